"""Text reaches SQL, full text, the index, regular expressions and parsers as a value, and none of them runs away with it."""

import json
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.safety.redact import redacted
from satchel.domain.strict_json import parse_json
from satchel.errors import InvalidRequest
from satchel.interfaces.operations import Session
from tests.faults.extent import extent
from tests.security.canaries import MINE, STOCK
from tests.security.cases import BY_NAME, CASES, as_operator, filled_in
from tests.security.conftest import Stock, open_session
from tests.security.hostile_texts import hostile_texts
from tests.security.patterns import attacks, package_patterns

# More than an operation may ever need of the processor: it finds a hang, and measures nothing.
HANG_SECONDS = 20.0
_STEMS = (
    "'", "''", '"', "`", ";", "--", "/*", "*/", "\\", "%", "_", "?", ":x", "@x", "$1", "(", ")", "[", "]", "{", "}", "*", "^", "-", "+", "~", "|",
    "' OR '1'='1", "' OR 1=1 --", '" OR ""="', "') OR ('1'='1", "'; DROP TABLE memories; --", "' UNION SELECT text FROM memories --",
    "x' AND randomblob(900000000) --", "scope:tenant", "text : x", "NEAR(a b)", "a NEAR/1 b", "a AND", "OR", "NOT", "AND OR NOT", "a*", "^a",
    '"unclosed', "a -b", "{text}: x", "rank MATCH 'x'", "scope != 'project/home'", "scope LIKE '%'", "true", "1=1", "x IN (1)", "CAST(1 AS TEXT)",
    "regexp_match(text, '.*')", "id IS NOT NULL", "\0", "\u2028", "%00", "../..", "{{7*7}}", "${jndi:x}", "$(id)", "`id`", "|id", "=1+1", "NULL", "nan",
)  # fmt: skip
PAYLOADS = [*_STEMS, *(f"{STOCK} {one}" for one in _STEMS), *(f"{one}{STOCK}" for one in _STEMS), *(f"{one * 300}" for one in _STEMS[:27]), *(text[:2_000] for text in hostile_texts(200, 5))]  # fmt: skip
LEAKS = re.compile(
    r"SELECT |INSERT |sqlite|apsw|fts5|syntax error|no such (?:table|column)|Traceback|lance|datafusion", re.IGNORECASE
)


class Hang(BaseException):
    """The operation took too much of the processor."""


@contextmanager
def hang_detector(seconds: float = HANG_SECONDS) -> Iterator[None]:
    """Raise Hang after so much time of the processor, not of the clock: other processes do not count."""

    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(params=["ledger", "index"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Satchel]:
    """A small store that searches the ledger, and one that keeps a Lance index."""
    recall = {"catch_up_ms": 10_000, **({"index_from": 0} if request.param == "index" else {})}
    settings = load(home=str(tmp_path / "home"), embedding={"provider": "hashing"}, recall=recall)
    with Satchel.open(settings=settings) as memory:
        for number, scope in enumerate((MINE, MINE, "tenant/other", "global")):
            memory.store(f"{STOCK} number {number}", scope=scope, tags=(f"t{number}",))
        yield memory


def test_there_are_payloads_enough() -> None:
    assert len(PAYLOADS) >= 400 and len(set(PAYLOADS)) > 350


def test_a_search_finds_what_a_plain_filter_finds(store: Satchel) -> None:
    mine = {one.id for one in store.memories.list(scope=MINE).result.memories}
    for payload in extent(PAYLOADS[::12], PAYLOADS):
        for mode in ("lexical", "vector", "hybrid"):
            try:
                hits = store.recall(payload, scope=MINE, mode=mode, fallback=False).result.hits
            except InvalidRequest:
                continue
            assert {one.memory.id for one in hits} <= mine, (payload, mode)
        # Words of the payload that a memory has find it, whatever stands around them.
        if payload.startswith(STOCK) and payload.isprintable():
            assert {one.memory.id for one in store.recall(payload, scope=MINE, mode="lexical").result.hits} == mine, (
                payload
            )


def test_a_lookup_finds_nothing_but_the_same_text(store: Satchel) -> None:
    for payload in extent(PAYLOADS[::6], PAYLOADS):
        for lookup in (
            lambda given: store.get(given, scope=MINE),
            lambda given: store.memories.list(scope=MINE, after=given),
            lambda given: store.memories.list(scope=given),
            lambda given: store.forget(given, scope=MINE),
        ):
            try:
                answer = lookup(payload).result
            except Exception as error:  # noqa: BLE001  which errors are allowed is asserted
                assert type(error).__module__ == "satchel.errors", (payload, error)
                continue
            assert not getattr(answer, "memories", ()), payload
    assert store.maintenance.stats(all_scopes=True).result.tally.memories == 4


def test_no_parameter_is_read_as_a_query(stock: Stock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Some payloads climb from where the test runs, and a folder may be large.
    (folder := tmp_path / "a" / "b" / "c").mkdir(parents=True)
    monkeypatch.chdir(folder)
    session = open_session(stock.copy(tmp_path / "home"))
    with closing(session):
        for number, name in enumerate(CASES):
            operation = BY_NAME[name]
            if name in ("doctor", "ingest", "episodes embed", "index rebuild", "backends probe"):
                continue
            base = filled_in(CASES[name][0], stock.mine.ids)
            texts = [
                one
                for one in operation.parameters
                if one.type is str
                and one.metavar not in ("FILE", "PATH", "FOLDER")
                and one.name not in ("cwd", "scope")
            ]
            for one in texts:
                for payload in extent(PAYLOADS[number % 40 :: 140], PAYLOADS[number % 8 :: 8]):
                    answer = _guarded(session, name, {**base, one.name: [payload] if one.repeated else payload})
                    # An error repeats the beginning of what was given.
                    told = "" if LEAKS.search(payload) else _error_text(answer)
                    assert '"internal_error"' not in answer, (name, one.name, payload)
                    assert not LEAKS.search(told), (name, one.name, payload, told)
                    assert "zqcanary" not in answer, (name, one.name, payload)


def _guarded(session: Session, name: str, given: dict[str, object]) -> str:
    with hang_detector():
        return as_operator(session, BY_NAME[name], given, MINE)


def _error_text(answer: str) -> str:
    try:
        error = json.loads(answer)["error"]
    except (ValueError, KeyError):
        return ""
    return f"{error['message']} {error['hint']}"


def test_no_pattern_explodes() -> None:
    """Every regular expression is bounded on texts made from its own repeats: an exponential one never ends."""
    patterns = package_patterns()
    assert len(patterns) > 800
    size = 400
    tried, slow = 0, []
    for (pattern, flags), where in extent(list(patterns.items())[::40], list(patterns.items())):
        compiled = re.compile(pattern, flags)
        for text in attacks(pattern, flags, size):
            tried += 1
            try:
                with hang_detector(3.0):
                    for _ in compiled.finditer(text):
                        pass
            except Hang:
                slow.append((where, pattern[:80], text[:40]))
                break
    assert slow == []
    assert tried > len(patterns) // 40


UNITS = (
    "?!…", ".a.", " ", " ,，", "_-_", '"', "\n", "&#", "<a ", "[", "*.?", "-----BEGIN ", "a", "我们决定", "http://a@", "1", "if we use a, then ",
    "a=", "(", "“”", "a: ", "\\", "\u0301", "👩\u200d", "password=", "eyJ", "```\n", "> ", "- ", "| ", "<document>", "A", "-", "\t",
    '{"password": "", "user": "x"},',
)  # fmt: skip
LONGEST = extent(10_000, 99_000)


@pytest.mark.parametrize("unit", extent(UNITS[::12], UNITS))
def test_no_text_of_full_length_hangs_an_operation(tmp_path: Path, unit: str) -> None:
    text = (unit * (LONGEST // len(unit) + 1))[:LONGEST]
    with Satchel.open(settings=open_session(tmp_path / "home").settings) as memory:
        calls: list[Callable[[], object]] = [
            lambda: memory.store(f"x {text}"),
            lambda: memory.recall(text),
            lambda: memory.pack(text),
            lambda: memory.turns.before(text),
            lambda: memory.turns.after([{"role": "user", "content": text}]),
            lambda: memory.conversations.add(text),
            lambda: memory.conversations.why(text),
            lambda: memory.episodes.add([{"text": text}]),
            lambda: memory.documents.add([{"ref": "r", "text": text}], collection="c"),
            lambda: memory.observations.capture(json.dumps({"tool_name": "Bash", "summary": text})),
            lambda: memory.observations.ingest(),
            lambda: memory.routing.route(text),
            lambda: memory.attention.route(goal=text),
            lambda: memory.graph.ask(text),
            lambda: memory.facts.search(text),
        ]
        for call in calls:
            try:
                with hang_detector():
                    call()
            except InvalidRequest:
                continue


@pytest.mark.parametrize("unit", ['{"password": "", "user": "x"},', "user: root, ", "the key is "])
def test_a_long_line_is_searched_for_secrets_in_one_pass(unit: str) -> None:
    """A word that announces a secret is looked at with what is near it, not with the whole line before it."""
    text = unit * (150_000 // len(unit))
    with hang_detector():
        assert redacted(text).text == text


def test_the_same_lines_are_searched_for_secrets_once() -> None:
    text = "-----BEGIN RSA PRIVATE KEY-----\n" * 100_000
    with hang_detector(10.0):
        assert redacted(text).text == text


def bombs() -> Iterator[str]:
    """Yield JSON that is small to write and large to read."""
    yield "[" * 1_000_000
    yield "[" * 1_000_000 + "]" * 1_000_000
    yield '{"a":' * 1_000_000
    yield "[" + "[]," * 400_000 + "[]]"
    yield "1" * 2_000_000
    yield f"[{'1' * 4_000},{'9' * 4_000}]"
    yield "1e" + "9" * 100_000
    yield '"' + "\\u0000" * 200_000 + '"'
    yield '{"a":{"a":{"a":NaN}}}'


def test_no_json_bomb_gets_through() -> None:
    for bomb in bombs():
        with hang_detector():
            try:
                parse_json(bomb, "the bomb", bounded_integers=True)
            except InvalidRequest as error:
                assert len(error.message) < 300
    with hang_detector():
        many = parse_json(json.dumps({f"k{number}": number for number in range(100_000)}), "the object")
    assert len(many) == 100_000
