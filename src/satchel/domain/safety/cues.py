"""Words that announce a secret, in several languages, by stem: a name may be inflected, joined or abbreviated."""

from enum import Enum

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import random_looking
from satchel.domain.safety.secret_words import PASSWORD_STEMS


class Cue(Enum):
    """What a word announces."""

    PASSWORD = "password"
    SECRET = "secret"
    """A token or a secret, made by a program."""
    KEY = "key"
    """A key, which may also be one of a table or of a map."""
    LOGIN = "login"
    """Something that takes a password as one of several values: a login, a cipher, a wireless network."""
    ACCOUNT = "account"
    """A user together with a password."""
    LOCKED = "locked"
    """Something that a password opens, which may be told later."""


STEMS: dict[Cue, tuple[str, ...]] = {
    Cue.PASSWORD: PASSWORD_STEMS,
    Cue.SECRET: (
        "secret", "secert", "token", "tokn", "geheim", "segreto", "schlüssel", "schluessel", "apikey", "api key",
        "api-key", "api_key", "keey", "llave", "credential", "signing", "密钥", "密鑰", "秘钥", "秘鑰", "金鑰", "權杖", "キー",
        "секрет", "clé secrète", "clé d'api", "clave secreta", "clave de api", "clave de la api", "chave secreta", "chave de api",
        "private key", "privater schlüssel", "clé privée", "clave privada", "私钥", "私鑰", "秘密鍵", "auth code", "授权码", "授權碼", "jeton", "令牌", "klucz api", "klíč api", "kljuc api", "klyuch api", "chave api", "clave api", "clé api", "cle api", "chiave api", "トークン", "시크릿", "토큰", "токен",
    ),
    Cue.LOCKED: (
        "encrypted", "protected", "locked", "zip", ".7z", "login for", "login to", "log in", "log on", "credentials", "creds", "zugangsdaten", "identifiants", "credenciales", "reset",
        "verschlüsselt", "geschützt", "gesperrt", "archiv", "entsperr", "entschlüssel", "einlogg", "chiffré", "protégé", "verrouill",
        "connecter", "cifrad", "protegid", "bloquead", "crittografat", "protett", "bloccat", "versleuteld", "beveiligd",
        "zaszyfrowan", "zabezpieczon", "zablokowan", "krypterad", "låst", "加密", "暗号化", "암호화",
    ),
}  # fmt: skip
"""In a word of any form: a letter may stand before and after them."""
PARTS: dict[Cue, tuple[str, ...]] = {
    Cue.PASSWORD: (
        "pw", "pass", "psk", "clave", "mdp", "parola", "geslo", "unlock",
        # Written in Latin letters, as the names of variables are.
        "mima", "kouling", "parol", "anshou", "pasuwado", "bimil", "bimilbeonho", "amho", "ansho",
    ),
    Cue.SECRET: ("tok", "hmac", "pepper", "seed", "miyao", "siyao", "lingpai"),
    Cue.KEY: ("key", "keys", "chiave", "clé", "chave", "sleutel", "nyckel", "nøgle", "nøkkel", "klucz", "klíč", "ključ", "ключ", "klyuch", "kljuc", "anahtar"),
    Cue.LOGIN: (
        "login", "log in", "sign in", "reset", "auth", "cipher", "aes", "encrypt", "decrypt", "scrypt", "wifi", "wlan", "ssid",
        "cryptsetup", "luks", "anmeldung", "user", "root", "admin", "connect", "connection", "pdo", "bind",
    ),
    Cue.ACCOUNT: ("creds", "cred", "zugangsdaten", "zugang", "credenciales", "identifiants", "账号", "賬號", "帐号"),
}  # fmt: skip
"""Short or ambiguous: a part of a name of their own, or the end of one in small letters (bindpw, authtok)."""

# Parts of a name that make it another: what is known about a secret, where it is, how many there are.
_ABOUT = frozenset(
    [
        "file", "path", "dir", "hash", "hashed", "name", "id", "ids", "length", "len", "count", "type", "policy", "field", "hint",
        "url", "uri", "ref", "expires", "expiry", "limit", "budget", "arn", "version", "algorithm", "fingerprint", "size",
        "changed", "updated", "rotated", "created", "age", "strength",
    ]
)  # fmt: skip
_KEYS_OF_OTHER_THINGS = r"(?i)(?:public|pub|site|publishable|primary|foreign|cache|partition|sort|host|idempotency|object|index|map|hot|row|公)[ _.-]?$"
# Within the name of a resource, which is no secret: arn:aws:secretsmanager:…:secret:…
_IN_RESOURCE = r"(?<![A-Za-z0-9])(?:arn|urn|vault):[^\s\"'`,;]{1,190}\Z"
_ENDINGS = frozenset(["pw", "pass", "tok", "auth", "login"])
# Words of another meaning that end like an abbreviation.
_WORDS = r"(?i)(?:com|encom|by|sur|tres|under|over|im)\Z"
# A pack cites records so, and the letters of a citation may happen to end like an abbreviation: [wlpw].
_CITED = r"\[(?:[k-z]{4}|[k-z]{6}|[k-z]{8})\]"
_NAME_BEFORE = r"[A-Za-z0-9_]{0,40}\Z"
_INFLECTION = r"[^\W\d_]{0,6}"
_NAME_AFTER = r"[A-Za-z0-9_]{0,40}(?:-[A-Za-z0-9]{1,20}){0,4}"


def ends_of_name(text: str, start: int, end: int, cue: Cue, *, is_part: bool) -> int | None:
    """Return where the name with a cue ends, or nothing if the name means something else."""
    stem = text[start:end]
    before = compiled(_NAME_BEFORE).search(text, max(0, start - 40), start)
    after = compiled(_NAME_AFTER if stem.isascii() else _INFLECTION).match(text, end) if _has_inflection(stem) else None
    head, tail = before.group() if before else "", after.group() if after else ""
    if is_part and (
        not _is_part(head, stem, tail)
        or _is_in_base64(text, start - len(head), head, tail, end + len(tail))
        or compiled(_CITED).match(text, max(0, start - len(head) - 1))
    ):
        return None
    if compiled(_IN_RESOURCE).search(text, max(0, start - 200), start) or head.lower().endswith("publickey"):
        return None
    if _is_about(tail) or (cue is Cue.KEY and compiled(_KEYS_OF_OTHER_THINGS).search(text, max(0, start - 14), start)):
        return None
    return end + len(tail)


def _has_inflection(stem: str) -> bool:
    """Return whether a word is written with letters: in Chinese, Japanese and Korean what follows is another word."""
    return max(stem) < "\u2e80"


def _is_part(head: str, stem: str, tail: str) -> bool:
    """Return whether a stem is a part of a name of its own: db_pass, smtpPass, PASS2; or its end: bindpw."""
    if tail[:1].isalpha() and not (tail[0].isupper() and stem[-1].islower()):
        return False
    starts = not head[-1:].isalpha() or (stem[0].isupper() and head[-1].islower())
    return starts or (len(head) >= 2 and head.islower() and stem in _ENDINGS and not compiled(_WORDS).search(head))


def _is_in_base64(text: str, start: int, head: str, tail: str, end: int) -> bool:
    """Return whether the letters of base64 happen to spell a short word."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return (
        random_looking(head + tail)
        or "+" in around
        or (text[end : end + 1] == "/" and bool(head + tail or around[0] == "/"))
    )


def _is_about(tail: str) -> bool:
    words = compiled(r"[A-Z]?[a-z]+|[A-Z]+").findall(tail)
    return any(word.lower() in _ABOUT for word in words)
