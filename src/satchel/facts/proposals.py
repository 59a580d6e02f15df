"""Proposes facts that the sentences of a source seem to state. Asserts nothing."""

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from satchel.facts.values import Proposal

MAX_PROPOSALS = 50
MAX_READ_CHARS = 20_000
MAX_SENTENCE_CHARS = 400

_NAME = r"(?P<subject>[^\s,;:.，。；：、]{1,80}(?: [A-Z0-9][^\s,;:.，。；：、]{0,60}){0,3})"
# A dot inside a version or file name does not end the object.
_REST = r"(?P<object>(?:[^,;.，。；、\n]|\.(?=\S)){1,120})"


class ProposalRule(Struct, frozen=True):
    """A pattern of sentences that state a fact."""

    name: str
    predicate: str
    pattern: str


RULES = (
    ProposalRule("en.depends_on", "depends_on", rf"{_NAME} (?:depends on|requires) {_REST}"),
    ProposalRule("en.runs_on", "uses", rf"{_NAME} (?:runs on|uses) {_REST}"),
    ProposalRule("en.replaces", "replaces", rf"{_NAME} (?:replaces|supersedes) {_REST}"),
    ProposalRule("en.owns", "owns", rf"{_NAME} owns {_REST}"),
    ProposalRule("en.status", "status", rf"(?:[Tt]he )?status of {_NAME} is {_REST}"),
    ProposalRule("en.retired_by", "retired_by", rf"{_NAME} (?:was|is) (?:retired|deprecated) by {_REST}"),
    ProposalRule("zh.depends_on", "depends_on", r"(?P<subject>[^\s，。；、]{1,40}?)(?:依赖于?|依賴於?|需要)(?P<object>[^，。；\n]{1,60})"),
    ProposalRule("zh.uses", "uses", r"(?P<subject>[^\s，。；、]{1,40}?)(?:使用|运行在|運行在)(?P<object>[^，。；\n]{1,60})"),
    ProposalRule("zh.replaces", "replaces", r"(?P<subject>[^\s，。；、]{1,40}?)(?:取代|替代|替换了|替換了)(?P<object>[^，。；\n]{1,60})"),
    ProposalRule("zh.status", "status", r"(?P<subject>[^\s，。；、]{1,40}?)的(?:状态|狀態)(?:是|为|為)(?P<object>[^，。；\n]{1,60})"),
)  # fmt: skip
_UNSURE = re.compile(
    r"[?？]|\b(?:if|might|could|maybe|perhaps|not|never|should|would)\b|如果|也许|也許|可能|不|没|沒|是否|应该|應該",
    re.IGNORECASE,
)


def propose_facts(text: str, sentences: Callable[[str], Iterable[str]]) -> list[Proposal]:
    """Return the facts that a text seems to state, in order, without duplicates."""
    seen: dict[tuple[str, str, str], Proposal] = {}
    for line in text[:MAX_READ_CHARS].splitlines():
        for sentence in sentences(line):
            for found in _read_sentence(sentence[:MAX_SENTENCE_CHARS]):
                seen.setdefault((found.subject, found.predicate, found.object), found)
    return list(seen.values())[:MAX_PROPOSALS]


def _read_sentence(sentence: str) -> Iterator[Proposal]:
    if _UNSURE.search(sentence):
        return
    for rule in RULES:
        if match := re.match(rule.pattern, sentence):
            subject, value = match["subject"].strip(), match["object"].strip()
            if subject and value:
                yield Proposal(subject, rule.predicate, value, sentence, rule.name)
                return
