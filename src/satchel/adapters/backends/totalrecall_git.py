"""Total Recall as a git branch: one file per memory, read and written without touching the working tree."""

import re
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from satchel.adapters.backends import options
from satchel.adapters.backends.process import run
from satchel.domain.moment import iso, parse_moment
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteErrorCode, RouteItem
from satchel.errors import BackendFailed, InvalidRequest
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery
from satchel.routing.text_relevance import decay, relevance
from satchel.routing.times import of_asked_time

NAME = "totalrecall"
BRANCH = "openclaw-memory"
FOLDER = "_memory"
MAX_FILES = 2_000
WRITE_SECONDS = 30.0
_FRONT = re.compile(r"\A---\n(.*?)\n---\n?", re.DOTALL)
_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})")
_BRANCH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


class GitBranch:
    """Implements ports.backend.Backend over the orphan branch of a repository."""

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._folder = options.path(entry, "folder")
        self._branch = options.text(entry, "branch", BRANCH)
        if not _BRANCH_NAME.fullmatch(self._branch):
            raise options.invalid(entry, "branch", "the name of a branch")

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the memories of the branch, with decay by age. A query without content words returns the newest."""
        now = int(datetime.now(UTC).timestamp() * 1000) if asked.period is None else None
        files = list(self._files(asked.deadline))
        found = of_asked_time(asked, lambda query: filter(None, (_item(*one, query, now) for one in files)))
        return reply(NAME, asked, found)

    def write(self, key: str, text: str, at: int, tags: Sequence[str] = ()) -> str:
        """Add a memory as one commit on the branch, and return its file. The working tree does not change."""
        deadline = time.monotonic() + WRITE_SECONDS
        stamp = iso(at)
        slug = re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")[:60] or "memory"
        name = f"{FOLDER}/{stamp[:19].replace(':', '-')}_{slug}.md"
        listed = ", ".join(_flat(tag) for tag in tags)
        front = f"---\nkey: {_flat(key)}\nevent_time: {stamp}\nrecord_time: {stamp}\ntags: [{listed}]\n---\n"
        subject = f"memory: {_flat(key)} — {_flat(text)[:60]}"
        stream = _commit(self._branch, self._tip(deadline), name, f"{front}{text}\n", subject, at // 1000)
        self._git(deadline, "fast-import", "--quiet", input=stream)
        return name

    def _files(self, deadline: float) -> Iterator[tuple[str, str]]:
        tip = self._tip(deadline)
        if not tip:
            return
        listing = self._git(deadline, "ls-tree", "-r", "-z", tip, "--", FOLDER).split(b"\0")
        rows = [row.partition(b"\t") for row in listing if row.endswith(b".md")]
        names = sorted(((name, head.split()[2]) for head, _, name in rows), reverse=True)[:MAX_FILES]
        # One process for all files, since one per file would be too slow.
        contents = self._git(deadline, "cat-file", "--batch", input=b"\n".join(blob for _, blob in names) + b"\n")
        for (name, _), text in zip(names, _contents(contents), strict=False):
            yield name.decode("utf-8", "replace"), text.decode("utf-8", "replace").replace("\r\n", "\n")

    def _tip(self, deadline: float) -> str:
        done = run([*self._command(), "rev-parse", "-q", "--verify", f"refs/heads/{self._branch}^{{commit}}"], deadline)
        # Status 1 means that the branch does not exist; anything else, that this is not a repository.
        if done.code not in (0, 1):
            raise BackendFailed(f"{self._folder} is not a git repository", code=RouteErrorCode.UNAVAILABLE)
        return done.output.decode("ascii", "replace").strip()

    def _git(self, deadline: float, *arguments: str, input: bytes = b"") -> bytes:
        done = run([*self._command(), *arguments], deadline, input=input)
        if done.code != 0:
            raise BackendFailed(f"git {arguments[0]}: {done.message.strip()[:200]}", code=RouteErrorCode.ERROR)
        return done.output

    def _command(self) -> list[str]:
        return ["git", "-C", str(self._folder)]


def _commit(branch: str, tip: str, name: str, text: str, subject: str, seconds: int) -> bytes:
    """Return a commit of one file for git fast-import, which applies only if the branch has not moved."""
    body, line = text.encode("utf-8", "replace"), subject.encode("utf-8", "replace")
    parent = f"from {tip}\n" if tip else ""
    return (
        f"commit refs/heads/{branch}\ncommitter satchel <satchel@localhost> {seconds} +0000\ndata {len(line)}\n".encode()
        + line
        + f"\n{parent}M 100644 inline {name}\ndata {len(body)}\n".encode()
        + body
        + b"\n"
    )


def _contents(batch: bytes) -> Iterator[bytes]:
    """Yield the contents of each object in the output of `git cat-file --batch`."""
    place = 0
    while place < len(batch):
        end = batch.index(b"\n", place)
        size = int(batch[place:end].split()[-1])
        yield batch[end + 1 : end + 1 + size]
        place = end + 2 + size


def _item(name: str, text: str, query: PreparedQuery, now: int | None) -> RouteItem | None:
    front, body = _split_front_matter(text)
    listing = not query.terms and not query.exact
    match = 1.0 if listing else relevance(query, f"{front.get('key', '')} {front.get('tags', '')} {body}")
    if match <= 0 or not body:
        return None
    recorded = _moment(front.get("record_time") or front.get("timestamp")) or _time_in_name(name) or 0
    happened = _moment(front.get("event_time"))
    return item(
        body,
        match if now is None else match * decay(now - (recorded if happened is None else happened)),
        NAME,
        iso(recorded),
        path=name,
        event_time=None if happened is None else iso(happened),
        record_time=iso(recorded),
    )


def _split_front_matter(text: str) -> tuple[dict[str, str], str]:
    found = _FRONT.match(text)
    if not found:
        return {}, text.strip()
    pairs = (line.partition(":") for line in found.group(1).splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}, text[found.end() :].strip()


def _time_in_name(name: str) -> int | None:
    found = _STAMP.search(name)
    return _moment(f"{found.group(1)}T{found.group(2)}:{found.group(3)}:{found.group(4)}Z") if found else None


def _moment(text: str | None) -> int | None:
    try:
        return parse_moment(text, "time") if text else None
    except InvalidRequest:
        return None


def _flat(text: str) -> str:
    return " ".join(text.split()).replace(",", " ")
