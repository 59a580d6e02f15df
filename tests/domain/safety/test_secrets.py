"""The rules on a corpus of generated secrets and harmless lines, and their cost on hostile text."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from satchel.domain.safety.redact import redacted
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES
from tests.domain.safety.corpus.field import field_samples, idiom_samples
from tests.domain.safety.corpus.samples import Sample, samples
from tests.domain.safety.corpus.scenes import scenes
from tests.faults.extent import is_whole
from tests.tables import each_case

# Attempts of one pattern at one place, if everything after a repeat that gives back fails.
MOST_ATTEMPTS = 15_000
# Characters that may keep a pattern going after its keyword.
FILLERS = ("", " ", "=", ': "', "a", "A1", "0", "-", "_", "/", " -p ", "\n", " is ", ".eyJ")

HOSTILE_CHARS = 100_000 if is_whole() else 20_000


@cache
def corpus() -> tuple[Sample, ...]:
    return tuple(samples())


@cache
def wrong(group: str, held: bool) -> tuple[int, Counter[str]]:
    """Return the number of samples of a group, and the forms of those that are missed or masked by mistake."""
    chosen = [sample for sample in corpus() if sample.group == group and sample.held == held]
    return len(chosen), Counter(sample.form for sample in chosen if not is_right(sample))


def is_right(sample: Sample) -> bool:
    clean = redacted(sample.text)
    if not sample.secrets:
        return not clean.found
    return bool(clean.found) and not any(secret in clean.text for secret in sample.secrets)


class TestCorpus:
    def test_it_is_large_and_the_same_in_every_run(self) -> None:
        groups = Counter(sample.group for sample in corpus())

        assert groups["known"] + groups["generic"] >= 1000
        assert groups["harmless"] >= 2000
        assert tuple(samples()) == corpus()

    @each_case(("group", "held", "least"), [
        ("known", False, 0.99), ("known", True, 0.98),
        ("generic", False, 0.98), ("generic", True, 0.95),
        ("harmless", False, 0.995), ("harmless", True, 0.99),
    ])  # fmt: skip
    def test_secrets_are_masked_and_harmless_lines_stay(self, group: str, held: bool, least: float) -> None:
        count, forms = wrong(group, held)

        assert count - forms.total() >= least * count, forms


class TestScenes:
    """Secrets of no known form in files, code, commands, chat and logs, and lines that resemble them."""

    def test_they_are_many_and_the_same_in_every_run(self) -> None:
        groups = Counter("plain" if sample.group == "plain" else "secret" for sample in scenes())

        assert groups["secret"] >= 400
        assert groups["plain"] >= 5000
        assert tuple(scenes()) == tuple(scenes())

    @each_case(("held", "least"), [(False, 0.93), (True, 0.91)])
    def test_most_secrets_are_masked(self, held: bool, least: float) -> None:
        chosen = [sample for sample in scenes() if sample.secrets and sample.held == held]
        missed = [sample.form for sample in chosen if not is_right(sample)]

        assert len(chosen) - len(missed) >= least * len(chosen), missed

    def test_of_5000_harmless_lines_at_most_5_are_masked(self) -> None:
        chosen = [sample for sample in scenes() if not sample.secrets]
        masked = [sample.text for sample in chosen if not is_right(sample)]

        assert len(masked) <= 5 * len(chosen) / 5000, masked


class TestField:
    """Secrets of no known form as people write them, each by itself, and harmless texts that resemble them."""

    def test_they_are_many(self) -> None:
        groups = Counter("secret" if sample.secrets else "harmless" for sample in field_samples())

        assert groups["secret"] >= 500
        assert groups["harmless"] >= 350

    @each_case(("held", "least"), [(False, 0.95), (True, 0.93)])
    def test_most_secrets_are_masked(self, held: bool, least: float) -> None:
        chosen = [sample for sample in field_samples() if sample.secrets and sample.held == held]
        missed = [sample.text for sample in chosen if not is_right(sample)]

        assert len(chosen) - len(missed) >= least * len(chosen), missed

    def test_no_harmless_text_is_masked(self) -> None:
        assert [sample.text for sample in field_samples() if not sample.secrets and not is_right(sample)] == []


def test_every_known_idiom_is_masked() -> None:
    assert [sample.text for sample in idiom_samples() if not is_right(sample)] == []


def repeats(parsed: Any, inside: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, int, int]]:
    """Yield every repetition of a pattern: within which others it stands, its sort, its least and its most."""
    for name, argument in ((str(op), argument) for op, argument in parsed):
        if name.endswith("REPEAT"):
            least, most, body = argument
            variable = least != most and int(most) > 1
            if variable:
                yield inside, name, int(least), int(most)
            yield from repeats(body, (*inside, name) if variable else inside)
        else:
            for body in bodies(name, argument):
                yield from repeats(body, inside)


def bodies(name: str, argument: Any) -> list[Any]:
    """Return the patterns within a part of a pattern that is no repetition."""
    match name:
        case "BRANCH":
            return list(argument[1])
        case "SUBPATTERN":
            return [argument[3]]
        case "ASSERT" | "ASSERT_NOT":
            return [argument[1]]
        case "ATOMIC_GROUP":
            return [argument]
    return []


def attempts(parsed: Any) -> int:
    """Return how often a pattern may be continued at one place: the product of what its parts may give back."""
    product = 1
    for name, argument in ((str(op), argument) for op, argument in parsed):
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, body = argument
            product *= (int(most) - int(least) + 1) * attempts(body)
        elif name == "BRANCH":
            product *= sum(map(attempts, argument[1]))
        elif name == "SUBPATTERN":
            product *= attempts(argument[3])
    return product


def parsed(rule: SecretRule) -> Any:
    parser: Any = vars(re)["_parser"]
    return parser.parse(rule.regex().pattern)


class TestCost:
    @each_case("rule", RULES, ids=lambda rule: str(rule.kind))
    def test_no_pattern_backtracks_far(self, rule: SecretRule) -> None:
        """Time grows with the text: repeats are bounded, and those that give back are short and not nested."""
        for inside, sort, _, most in repeats(parsed(rule)):
            assert most <= 20_000
            if sort != "POSSESSIVE_REPEAT":
                assert most <= 200
                assert not [outer for outer in inside if outer != "POSSESSIVE_REPEAT"]
        assert attempts(parsed(rule)) <= MOST_ATTEMPTS

    @each_case("rule", RULES, ids=lambda rule: str(rule.kind))
    def test_a_rule_is_tried_only_with_its_keyword(self, rule: SecretRule) -> None:
        assert rule.keywords and (all(rule.keywords) or rule.run)

    def test_hostile_text_of_its_keywords_does_not_hold_up_a_rule(self) -> None:
        for number, rule in enumerate(RULES):
            piece = rule.keywords[number % len(rule.keywords)] + FILLERS[number % len(FILLERS)]
            text = piece * (HOSTILE_CHARS // 10 // max(1, len(piece)))
            for found in rule.regex().finditer(text):
                rule.accepts(found.group(found.lastgroup or 0))
                if rule.values:
                    list(rule.values(text, found))

    @each_case("piece", ["ey" + "J", "password=", "a://b:", f"{'-' * 5}BEGIN PRIVATE KEY{'-' * 5}\n", "sk" + "-", 'api_key: "', "--pass ", "pw|token,\n", "Ab3$ password:\n"])  # fmt: skip
    def test_a_large_hostile_text_comes_back(self, piece: str) -> None:
        assert redacted(piece * (HOSTILE_CHARS // len(piece))).text
