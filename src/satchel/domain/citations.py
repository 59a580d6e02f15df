"""Short references to records: the citations that a pack prints, and the ids that a reference may mean."""

from msgspec import Struct

from satchel.domain.canonical import digest
from satchel.domain.observation import ID_PREFIX as OBSERVATION_PREFIX
from satchel.domain.observation import is_observation_id
from satchel.domain.safety.compiled import compiled

# Length of a citation, which must distinguish the records of one pack: every letter costs tokens on every line. Records
# that share a citation get a longer one.
CITATION_CHARS = 4
LONGER_CITATION_CHARS = (6, 8)
# A shorter beginning of an id is not looked up.
MIN_PREFIX_CHARS = 4
MAX_PLAIN_CHARS = 12

# Hexadecimal digits as letters, so that a citation looks neither like a number nor like a year, and costs fewer tokens.
_DIGITS, _LETTERS = "0123456789abcdef", "zyxwvutsrqponmlk"
_TO_LETTERS, _TO_DIGITS = str.maketrans(_DIGITS, _LETTERS), str.maketrans(_LETTERS, _DIGITS)
# How the ids of memories, observations, episodes, facts and decisions begin, before their hexadecimal digits.
_FORMS = ("", "mem_", "obs:", "ep-", "fact_", "dec_")

_HEXADECIMAL = r"(?:[a-z]+[-_:])?([0-9a-f]{8}[0-9a-f-]*)"
_PLAIN = rf"[0-9A-Za-z_.#/-]{{1,{MAX_PLAIN_CHARS}}}"
_LANE = r"[a-z]:"
_IN_LETTERS = rf"[k-z]{{{MIN_PREFIX_CHARS},8}}"
# As earlier versions cited memories. Neither "m" nor any letter of today's citations is a hexadecimal digit.
_IN_DIGITS = rf"m([0-9a-f]{{{MIN_PREFIX_CHARS},8}})"


def citation(lane: str, id: str, chars: int = CITATION_CHARS) -> str:
    """Return the citation of a record: the beginning of its id in letters, or a short id with the letter of its lane.

    An observation is cited by the beginning of its id as it is, which shows that the line is evidence.
    """
    if is_observation_id(id):
        return id[: len(OBSERVATION_PREFIX) + chars]
    if found := compiled(_HEXADECIMAL).fullmatch(id):
        return found.group(1)[:chars].translate(_TO_LETTERS)
    if compiled(_PLAIN).fullmatch(id):
        return f"{lane}:{id}"
    return digest(id).removeprefix("sha256:")[:chars].translate(_TO_LETTERS)


class Reference(Struct, frozen=True):
    """What a reference to a record may mean."""

    ids: tuple[str, ...]
    """Whole ids, which win."""
    prefixes: tuple[str, ...]
    """Beginnings of ids."""


def parse_reference(text: str) -> Reference:
    """Return what a text may mean: an id, the beginning of one, or the citation of a pack, with or without brackets."""
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        bare = bare[1:-1].strip()
    ids = [text, bare]
    if compiled(_LANE).match(bare) and compiled(_PLAIN).fullmatch(bare[2:]):
        ids.append(bare[2:])
    prefixes = [bare] if _is_long_enough(bare) else []
    digits = bare.translate(_TO_DIGITS) if compiled(_IN_LETTERS).fullmatch(bare) else ""
    if found := compiled(_IN_DIGITS).fullmatch(bare):
        digits = found.group(1)
    if digits:
        prefixes += [form + digits for form in _FORMS]
    return Reference(tuple(dict.fromkeys(ids)), tuple(prefixes))


def _is_long_enough(prefix: str) -> bool:
    # "obs:" alone is the beginning of every observation's id.
    form = next((form for form in _FORMS[1:] if prefix.startswith(form)), "")
    return len(prefix) - len(form) >= MIN_PREFIX_CHARS
