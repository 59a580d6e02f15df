"""Proposing: which facts the sentences of a source seem to state, for somebody to look at. Nothing is asserted."""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

MAX_PROPOSALS = 50
MAX_READ_CHARS = 20_000
MAX_SENTENCE_CHARS = 400

_NAME = r"(?P<subject>[^\s,;:.，。；：、]{1,80}(?: [A-Z0-9][^\s,;:.，。；：、]{0,60}){0,3})"
# A full stop inside a version or a file name ends nothing.
_REST = r"(?P<object>(?:[^,;.，。；、\n]|\.(?=\S)){1,120})"


class Rule(Struct, frozen=True):
    """One way in which a sentence states a fact."""

    name: str
    predicate: str
    pattern: str


RULES = (
    Rule("en.depends_on", "depends_on", rf"{_NAME} (?:depends on|requires) {_REST}"),
    Rule("en.runs_on", "uses", rf"{_NAME} (?:runs on|uses) {_REST}"),
    Rule("en.replaces", "replaces", rf"{_NAME} (?:replaces|supersedes) {_REST}"),
    Rule("en.owns", "owns", rf"{_NAME} owns {_REST}"),
    Rule("en.status", "status", rf"(?:[Tt]he )?status of {_NAME} is {_REST}"),
    Rule("en.retired_by", "retired_by", rf"{_NAME} (?:was|is) (?:retired|deprecated) by {_REST}"),
    Rule("zh.depends_on", "depends_on", r"(?P<subject>[^\s，。；、]{1,40}?)(?:依赖于?|依賴於?|需要)(?P<object>[^，。；\n]{1,60})"),
    Rule("zh.uses", "uses", r"(?P<subject>[^\s，。；、]{1,40}?)(?:使用|运行在|運行在)(?P<object>[^，。；\n]{1,60})"),
    Rule("zh.replaces", "replaces", r"(?P<subject>[^\s，。；、]{1,40}?)(?:取代|替代|替换了|替換了)(?P<object>[^，。；\n]{1,60})"),
    Rule("zh.status", "status", r"(?P<subject>[^\s，。；、]{1,40}?)的(?:状态|狀態)(?:是|为|為)(?P<object>[^，。；\n]{1,60})"),
)  # fmt: skip
_UNSURE = re.compile(
    r"[?？]|\b(?:if|might|could|maybe|perhaps|not|never|should|would)\b|如果|也许|也許|可能|不|没|沒|是否|应该|應該",
    re.IGNORECASE,
)


class Found(Struct, frozen=True):
    """A fact that a sentence seems to state."""

    subject: str
    predicate: str
    object: str
    sentence: str
    rule: str


def proposals(text: str, sentences: Callable[[str], Iterable[str]]) -> list[Found]:
    """Return what a text seems to state, in order, each once."""
    seen: dict[tuple[str, str, str], Found] = {}
    for line in text[:MAX_READ_CHARS].splitlines():
        for sentence in sentences(line):
            for found in _stated(sentence[:MAX_SENTENCE_CHARS]):
                seen.setdefault((found.subject, found.predicate, found.object), found)
    return list(seen.values())[:MAX_PROPOSALS]


def _stated(sentence: str) -> Iterator[Found]:
    if _UNSURE.search(sentence):
        return
    for rule in RULES:
        if match := re.match(rule.pattern, sentence):
            subject, value = match["subject"].strip(), match["object"].strip()
            if subject and value:
                yield Found(subject, rule.predicate, value, sentence, rule.name)
                return
