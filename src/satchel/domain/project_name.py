"""Name the scope of a project: after its git remote, or after its folder.

    git@github.com:Acme/Shop.git                    project/acme/shop
    https://user:token@gitlab.com/acme/web/shop     project/acme/web/shop
    a folder named My Shop, without a remote        project/my-shop

Host, user and password of a remote never reach the name. The prefix keeps a folder named `global` or `team` out of the
scopes of those names.
"""

import hashlib
import unicodedata

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.redact import redacted
from satchel.domain.scope_name import MAX_SCOPE_CHARS

PREFIX = "project/"
# No real address is longer.
MAX_URL_CHARS = 2_000
DIGEST_CHARS = 8

_HELPER = r"(?i)[a-z0-9+-]{1,40}::"
_QUERY = "[?#]"
_ESCAPE = "%[0-9a-fA-F]{2}"
_INVALID = r"[^a-z0-9._-]+"
_EDGES = "._-"


def repository_path(url: str) -> str | None:
    """Return the part of a remote's address that names the repository, such as acme/shop; None if it has none."""
    address = compiled(_HELPER).sub("", url.strip(), count=1).replace("\\", "/")
    # What follows ? or # may be a password that contains one, or a token.
    address, _, rest = compiled(_QUERY).sub("\n", address, count=1).partition("\n")
    if len(url) > MAX_URL_CHARS or not url.isprintable() or "@" in rest:
        return None
    scheme, is_url, rest = address.partition("://")
    # Up to the last @, since a password may contain any character.
    located = (rest if is_url else address).rpartition("@")[2]
    if is_url and scheme.lower() != "file":
        return _checked(located.partition("/")[2])
    host, colon, path = located.partition(":")
    # One letter before the colon is a drive.
    is_remote = not is_url and colon and len(host) > 1 and "/" not in host
    # Where a local repository is stored differs from clone to clone, its name does not.
    return _checked(path) if is_remote else _checked(located, last_only=True)


def _checked(path: str, *, last_only: bool = False) -> str | None:
    parts = [
        part
        for part in compiled(_ESCAPE).sub("-", path).split("/")
        if part.strip(". ~") and part not in ("_git", ".git")
    ]
    if parts:
        parts[-1] = parts[-1].removesuffix(".git")
    # The same repository has these words in its address over one protocol and not over the other.
    if (len(parts) > 2 and parts[0] == "scm") or (len(parts) > 3 and parts[0] == "v3"):
        del parts[0]
    name = "/".join(parts[-1:] if last_only else parts)
    return name if name and not redacted(name).found else None


def project_scope_name(path: str, longest: int = MAX_SCOPE_CHARS) -> str:
    """Return the scope of a project: a valid name, different for different paths, except for case and punctuation."""
    plain = unicodedata.normalize("NFC", path).lower()
    parts = (compiled(_INVALID).sub("-", part).strip(_EDGES) for part in plain.split("/"))
    name = PREFIX + ("/".join(part for part in parts if part) or "unnamed")
    if name != f"{PREFIX}unnamed" and plain.isascii() and len(name) <= longest:
        return name
    # The digest stands for the letters that the name cannot have.
    mark = hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()[:DIGEST_CHARS]
    kept = name[: max(0, longest - len(mark) - 1)].rstrip(f"{_EDGES}/")
    return f"{kept}-{mark}" if kept else mark[:longest]
