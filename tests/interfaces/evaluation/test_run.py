"""`satchel eval`: own sets, the own store, and modes that cannot be measured."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import outcome_of
from satchel.errors import InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.interfaces.cli.main import main
from satchel.interfaces.evaluation.metrics import Evaluation, Figures
from satchel.interfaces.evaluation.run import run_evaluation
from satchel.interfaces.serialization import to_json

ROWS: tuple[dict[str, Any], ...] = (
    {"key": "ship", "text": "We ship on Thursdays before noon", "scope": "repo/api", "kind": "decision"},
    {"key": "tabs", "text": "Indent with tabs", "scope": "repo/api", "kind": "preference", "importance": 0.8},
    {"key": "fault", "text": "E-4711 means the disk is full", "scope": "repo/api"},
    {"key": "shop", "text": "We ship on Mondays before noon", "scope": "repo/shop", "kind": "decision"},
    {"key": "tea", "text": "下午三点以后只喝茶", "scope": "me", "title": "喝茶"},
    {"id": "day", "query": "when do we ship?", "scope": "repo/api", "expect": ["ship"], "family": "two_scopes"},
    {"id": "other", "query": "when do we ship?", "scope": "repo/shop", "expect": ["shop"], "family": "two_scopes"},
    {"id": "code", "query": "E-4711", "scope": "repo/api", "expect": ["fault"], "family": "error_code"},
    {"id": "tea", "query": "下午喝茶", "scope": "me", "expect": ["tea"], "language": "zh"},
    {"id": "none", "query": "zzz qqq", "scope": "repo/shop", "expect": ["shop"], "family": "hopeless"},
)


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return written(tmp_path / "golden.jsonl", *ROWS)


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def evaluate(settings: Settings, cases: Path, **given: Any) -> Evaluation:
    return run_evaluation(settings, quiet, cases=str(cases), **given).result


def overall(evaluation: Evaluation) -> dict[str, Figures | None]:
    return {one.mode: one.overall for one in evaluation.modes}


def untimed(value: Any) -> Any:
    """Return a report without its times."""
    if isinstance(value, dict):
        return {name: untimed(item) for name, item in value.items() if name not in ("p50_ms", "p95_ms")}
    return [untimed(item) for item in value] if isinstance(value, list) else value


# A set of one's own


def test_a_set_is_asked_in_every_mode(settings: Settings, cases: Path, home: Path) -> None:
    evaluation = evaluate(settings, cases)

    assert (evaluation.cases, evaluation.memories, evaluation.limit) == (5, 5, 5)
    assert (evaluation.source, evaluation.own_store) == (str(cases), False)
    assert evaluation.embedding_space == "hashing-256"
    assert [one.mode for one in evaluation.modes] == ["hybrid", "vector", "lexical"]
    lexical = overall(evaluation)["lexical"]
    assert lexical is not None
    # Four are found first, each alone in its answer; the fifth shares no word with anything.
    assert (lexical.n, lexical.hit_at_1, lexical.hit_at_5, lexical.mrr, lexical.returned) == (5, 0.8, 0.8, 0.8, 4)
    # By meaning there is always a nearest one, and in that scope it is the one expected.
    assert [one.hit_at_5 for mode, one in overall(evaluation).items() if one and mode != "lexical"] == [1.0, 1.0]
    assert {one.wrong_scope for one in overall(evaluation).values() if one} == {0.0}
    assert evaluation.holds is True
    assert not home.exists()


def test_families_languages_and_misses_are_reported(settings: Settings, cases: Path) -> None:
    (lexical,) = evaluate(settings, cases, mode="lexical").modes

    assert {name: (one.n, one.hit_at_5) for name, one in lexical.families.items()} == {
        "two_scopes": (2, 1.0),
        "error_code": (1, 1.0),
        "other": (1, 1.0),
        "hopeless": (1, 0.0),
    }
    assert {name: (one.n, one.hit_at_5) for name, one in lexical.languages.items()} == {
        "other": (4, 0.75),
        "zh": (1, 1.0),
    }
    assert [(miss.id, miss.expected, miss.returned) for miss in lexical.misses] == [("none", ("shop",), ())]


def test_equal_sets_give_equal_reports_apart_from_times(settings: Settings, tmp_path: Path) -> None:
    # Many memories that only their ids tell apart: whatever breaks ties must not be chance.
    same = [{"key": f"k{n}", "text": f"alpha beta {'xyz'[n % 3]}", "scope": "a"} for n in range(30)]
    asked = [{"id": f"q{n}", "query": "alpha", "scope": "a", "expect": [f"k{n}"]} for n in range(30)]
    cases = written(tmp_path / "ties.jsonl", *same, *asked)

    one, other = (run_evaluation(settings, quiet, cases=str(cases)) for _ in range(2))
    assert untimed(to_json(one.result)) == untimed(to_json(other.result))
    assert one.receipt.digest == other.receipt.digest
    found = overall(one.result)["lexical"]
    assert found is not None and 0 < found.hit_at_5 < 1


def test_a_single_mode_is_not_compared(settings: Settings, cases: Path) -> None:
    evaluation = evaluate(settings, cases, mode="hybrid")

    assert [one.mode for one in evaluation.modes] == ["hybrid"]
    assert evaluation.holds is None
    assert outcome_of(evaluation) == 0


def test_the_limit_applies_to_each_question(settings: Settings, tmp_path: Path) -> None:
    same = [{"key": f"k{n}", "text": f"alpha {n}", "scope": "a"} for n in range(30)]
    cases = written(tmp_path / "set.jsonl", *same, {"id": "q", "query": "alpha", "scope": "a", "expect": ["k1"]})

    def returned(limit: int) -> int:
        (lexical,) = evaluate(settings, cases, mode="lexical", limit=limit).modes
        assert lexical.overall is not None
        return lexical.overall.returned

    assert (returned(5), returned(12)) == (5, 12)
    for limit in (0, 4, 51):
        with pytest.raises(InvalidRequest) as caught:
            evaluate(settings, cases, limit=limit)
        assert caught.value.code == "out_of_range"


def test_progress_is_reported(settings: Settings, tmp_path: Path) -> None:
    same = [{"key": f"k{n}", "text": f"alpha {n}"} for n in range(30)]
    asked = [{"id": f"q{n}", "query": "alpha", "expect": [f"k{n}"]} for n in range(30)]
    said: list[tuple[int, int, str]] = []
    cases = written(tmp_path / "set.jsonl", *same, *asked)
    run_evaluation(settings, lambda *one: said.append(one), cases=str(cases))

    assert {"storing", "embedding", "asking, hybrid", "asking, vector", "asking, lexical"} <= {
        what for _, _, what in said
    }
    assert all(done <= total for done, total, _ in said)


def test_hybrid_that_finds_less_than_another_mode_is_a_failure(settings: Settings, cases: Path) -> None:
    evaluation = evaluate(settings, cases)

    assert outcome_of(evaluation) == 0
    assert outcome_of(replace(evaluation, holds=False)) == 1


# Without an embedder


@pytest.mark.parametrize("given", [{"embedder": "none"}, {}], ids=["asked for", "configured"])
def test_without_an_embedder_vector_modes_are_unavailable(
    settings: Settings, cases: Path, given: dict[str, Any]
) -> None:
    answer = run_evaluation(
        settings if given else replace(settings, embedding=replace(settings.embedding, provider="none")),
        quiet,
        cases=str(cases),
        **given,
    )

    found = overall(answer.result)
    assert (found["hybrid"], found["vector"]) == (None, None)
    assert found["lexical"] is not None
    assert [one.problem.partition(":")[0] for one in answer.result.modes] == ["embedder_none", "embedder_none", ""]
    assert [warning.partition(" was not measured: embedder_none")[0] for warning in answer.receipt.warnings] == [
        "hybrid",
        "vector",
    ]
    assert answer.result.holds is None
    assert outcome_of(answer.result) == 0


def test_a_mode_whose_embedder_fails_midway_is_unavailable(
    settings: Settings, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from satchel.adapters.embedders.hashing import Hashing

    embed = Hashing.embed

    def fails_for_one(self: Hashing, texts: list[str]) -> Any:
        if "E-4711" in texts:
            raise Unavailable("gone", code="gone")
        return embed(self, texts)

    monkeypatch.setattr(Hashing, "embed", fails_for_one)
    assert [one.problem for one in evaluate(settings, cases).modes] == ["gone: gone", "gone: gone", ""]


# One's own store


@pytest.fixture
def own(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A store with three memories, and a set that asks for two of them: one by its id, one by its text."""
    with Satchel.open(settings=settings) as memory:
        id = memory.store("We ship on Thursdays", scope="repo/api").result.id
        memory.store("Indent with tabs", scope="repo/api")
        memory.store("We ship on Mondays", scope="repo/shop")
        memory.maintenance.index_build()
    yield written(
        tmp_path / "own.jsonl",
        {"id": "by id", "query": "ship", "scope": "repo/api", "expect": [id]},
        {"id": "by text", "query": "tabs", "scope": "repo/api", "expect": ["Indent with tabs"]},
        {"id": "elsewhere", "query": "ship", "scope": "repo/api", "expect": ["We ship on Mondays"]},
    )


def test_a_set_without_memories_uses_the_own_store(settings: Settings, own: Path) -> None:
    evaluation = evaluate(settings, own)

    assert (evaluation.own_store, evaluation.memories, evaluation.cases) == (True, 3, 3)
    assert [one.hit_at_5 for one in overall(evaluation).values() if one] == [0.6667] * 3
    assert [one.wrong_scope for one in overall(evaluation).values() if one] == [0.0] * 3


def test_the_own_store_is_not_changed(settings: Settings, own: Path, home: Path) -> None:
    def content() -> dict[str, bytes]:
        return {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}

    def lasting(files: dict[str, bytes]) -> dict[str, bytes]:
        # SQLite makes its log and the log's shared memory for a reader as well; an empty log says nothing.
        return {name: data for name, data in files.items() if data and not name.endswith("-shm")}

    before = content()
    with Satchel.open(settings=settings) as memory:
        receipts = memory.maintenance.receipts_verify().result.receipts
    evaluate(settings, own)

    assert lasting(content()) == lasting(before)
    with Satchel.open(settings=settings) as memory:
        assert memory.maintenance.receipts_verify().result.receipts == receipts


def test_memories_without_a_vector_give_a_warning(settings: Settings, own: Path) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("A new one", scope="repo/api")
    answer = run_evaluation(settings, quiet, cases=str(own))

    assert [warning.partition(":")[0] for warning in answer.receipt.warnings] == ["embeddings_waiting"]
    with Satchel.open(settings=settings) as memory:
        assert memory.maintenance.stats(all_scopes=True).result.embeddings_waiting == 1


def test_a_store_without_vectors_can_be_asked_by_words_only(settings: Settings, own: Path, home: Path) -> None:
    shutil.rmtree(home)
    with Satchel.open(settings=settings) as memory:
        memory.store("Indent with tabs", scope="repo/api")
    evaluation = evaluate(settings, own)

    assert [one.problem.partition(":")[0] for one in evaluation.modes] == ["no_vectors", "no_vectors", ""]


def test_a_missing_store_is_not_created(settings: Settings, tmp_path: Path, home: Path) -> None:
    cases = written(tmp_path / "own.jsonl", {"id": "q", "query": "ship", "expect": ["x"]})
    with pytest.raises(NotFound) as caught:
        evaluate(settings, cases)

    assert caught.value.code == "no_store"
    assert not home.exists()


# Files that are no set


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", "invalid_golden_set", "the golden set: it has no cases"),
        (b'{"key": "a", "text": "b"}\n{oops}\n', "not_json", "line 2: the row is not valid JSON"),
        (b'{"key": "a", "text": "b"}\n\n[1]\n', "not_an_object", "line 3: the row must be a JSON object"),
        (b'[{"key": "a", "text": "b"}, 7]', "not_an_object", "row 2: the row must be a JSON object"),
        (b'[{"key": "a", "text": "b"}', "cut_off", "row 2: cut off"),
        (b'{"key": "\xff", "text": "b"}', "not_utf8", "line 1: the row is not UTF-8"),
        (b'{"key": "a", "text": "' + b"x" * (1 << 20) + b'"}', "row_too_long", "line 1: row too long"),
        (b'{"key": "a", "text": "b", "kind": "rumour"}\n', "unknown_word", "line 1: unknown kind 'rumour'"),
        (b'{"key": "a", "text": "b", "importance": 7}\n', "out_of_range", "line 1: importance 7"),
    ],
)
def test_an_invalid_file_is_one_error_with_its_place(
    settings: Settings, tmp_path: Path, home: Path, content: bytes, code: str, said: str
) -> None:
    path = tmp_path / "broken.jsonl"
    case = b'{"id": "q", "query": "b", "expect": ["a"]}\n' if code in ("unknown_word", "out_of_range") else b""
    path.write_bytes(content + case)
    with pytest.raises(SatchelError) as caught:
        evaluate(settings, path)

    assert (caught.value.code, caught.value.message[: len(said)]) == (code, said)
    assert not home.exists()


def test_a_missing_file_is_named(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        evaluate(settings, tmp_path / "nowhere.jsonl")
    assert caught.value.code == "no_such_file"


# On the command line


@pytest.fixture
def _hashing(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")


@pytest.mark.usefixtures("_hashing")
def test_a_person_gets_a_table(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--cases", str(cases)]) == 0

    lines = re.sub(r" +\d+\.\d ms", " MS", capsys.readouterr().out).splitlines()
    assert lines[0] == f"5 cases ({cases}) over 5 memories"
    assert lines[2].split() == ["n", "hit@1", "hit@3", "hit@5", "MRR", "wrong", "scope", "p50", "p95"]
    assert "lexical                 5  0.800  0.800  0.800  0.800        0.000 MS MS" in lines
    assert "  error_code            1  1.000  1.000  1.000  1.000        0.000 MS MS" in lines
    assert "  language zh           1  1.000  1.000  1.000  1.000        0.000 MS MS" in lines
    assert lines[-1] == "hybrid ranks at least as well as the other modes"


@pytest.mark.usefixtures("_hashing")
def test_the_table_shows_misses_and_unmeasured_modes(cases: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--cases", str(cases), "--mode", "lexical"]) == 0
    out = capsys.readouterr().out
    assert "lexical has no answer in the first five for 1 case:\n  none  zzz qqq  (repo/shop)\n" in out
    assert out.endswith("hybrid was not compared with the other modes\n")

    assert main(["eval", "--cases", str(cases), "--embedder", "none"]) == 0
    captured = capsys.readouterr()
    assert "\nvector              unavailable: embedder_none" in captured.out
    assert captured.err.count("embedder_none") == 2


@pytest.mark.usefixtures("_hashing")
def test_a_program_gets_the_whole_report(
    cases: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["eval", "--cases", str(cases), "--json"]) == 0

    answer = json.loads(capsys.readouterr().out)
    assert set(answer["result"]) == set(Evaluation.__struct_fields__)
    assert answer["result"]["modes"][0]["families"]["two_scopes"]["n"] == 2
    assert answer["receipt"]["body"]["decided"]["holds"] is True
    assert "ms" not in str(answer["receipt"]["body"])
