"""Which memories go in front of a prompt: with the bundled model, on one store of a project."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.record import Trust
from satchel.turns.admission import MAX_UNTRUSTED, is_task
from satchel.turns.own_matters import own_log_odds
from tests.tables import each_case

RULES = (
    ("Commit messages: imperative, at most 60 characters, no emoji.", "preference", 0.9),
    ("Releasing: bump version.go, update the changelog, tag on main, then run goreleaser.", "procedure", 0.9),
    ("We parse flags with pflag, not cobra.", "decision", 0.9),
    ("The Homebrew tap is maintained by Ilse Vandamme.", "entity", None),
    ("Colours in the terminal only when stdout is a TTY and NO_COLOR is not set.", "preference", None),
    ("The spare keys of the office hang behind the printer.", "fact", 0.2),
    ("結帳服務的值班電話在阿德那裡，晚上十點以後才打。", "fact", None),
    ("Contracts with clients are kept for ten years.", "preference", 0.8),
)
FOUND_BY_AGENT = "The Windows build fails because of CRLF checkouts; .gitattributes now forces LF."


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Satchel]:
    home = tmp_path_factory.mktemp("project")
    with Satchel.open(settings=load(home=str(home), recall={"catch_up_ms": 20_000})) as memory:
        for text, kind, importance in RULES:
            memory.store(text, kind=kind, importance=importance)
        memory.store(FOUND_BY_AGENT, kind="fact", source_kind="tool")
        memory.maintenance.index_build()
        yield memory


def shown(memory: Satchel, prompt: str) -> list[str]:
    injected = [one.id for one in memory.turns.before(prompt).result.memories]
    return [memory.get(id).result.memory.text for id in injected]


@each_case(
    ("prompt", "wanted"),
    [
        ("Which library for command line flags did we choose?", RULES[2][0]),
        ("looks good, commit it", RULES[0][0]),
        ("ok everything is merged, please ship 1.9.2", RULES[1][0]),
        ("who takes care of the brew package?", RULES[3][0]),
        ("where do I find a key for the door?", RULES[5][0]),
        ("付款頁面半夜掛了，要打給誰？", RULES[6][0]),
        ("who is on call when the checkout service is down at night?", RULES[6][0]),
        ("why does the build fail on windows?", FOUND_BY_AGENT),
    ],
)
def test_the_memory_that_answers_or_governs_a_prompt_is_injected(project: Satchel, prompt: str, wanted: str) -> None:
    assert wanted in shown(project, prompt)


@each_case(
    "prompt",
    [
        "what's the tallest dam in Europe?",
        "tell me a joke about penguins",
        "good morning! slept badly, the neighbour's dog again",
        "梨配什么奶酪比较好",
    ],
)
def test_nothing_is_injected_for_a_prompt_that_no_memory_belongs_to(project: Satchel, prompt: str) -> None:
    answer = project.turns.before(prompt).result
    assert (answer.block, answer.skip_reason) == ("", "nothing_relevant")


def test_what_agents_store_displaces_no_rule(tmp_path: Path) -> None:
    prompt = "looks good, commit it"
    with Satchel.open(settings=load(home=str(tmp_path), recall={"catch_up_ms": 20_000})) as memory:
        for text, kind, importance in RULES:
            memory.store(text, kind=kind, importance=importance)
        memory.maintenance.index_build()
        before = shown(memory, prompt)
        for number in range(40):
            text = f"looks good, commit it, variant {number}"
            memory.store(text, source_kind="tool", kind="preference", importance=1.0)
        memory.maintenance.index_build()
        answer = memory.turns.before(prompt).result
        trusted = [one for one in answer.memories if one.trust is Trust.TRUSTED]
        untrusted = [one for one in answer.memories if one.trust is not Trust.TRUSTED]

        assert before and [memory.get(one.id).result.memory.text for one in trusted] == before
        assert len(untrusted) <= MAX_UNTRUSTED
        assert answer.block.count(", untrusted|") == len(untrusted)


def test_a_memory_graded_unimportant_answers_unless_the_setting_leaves_it_out(project: Satchel) -> None:
    prompt = "where do I find a key for the door?"
    assert RULES[5][0] in shown(project, prompt)
    policies = project.parts.policies
    without = replace(policies, auto_recall=replace(policies.auto_recall, include_ignored=False))
    assert RULES[5][0] not in shown(Satchel(replace(project.parts, policies=without)), prompt)


@each_case(
    ("prompt", "expected"),
    [
        ("commit this", True),
        ("could you commit this?", True),
        ("帮我提交一下，可以吗", True),
        ("which flags library do we use?", False),
        ("whats the tallest dam in europe", False),
        ("can you remind me who signs?", False),
        ("測試環境在哪裡", False),
    ],
)
def test_a_task_is_told_from_a_question(prompt: str, expected: bool) -> None:
    assert is_task(prompt) is expected


def test_wording_tells_own_matters_from_general_ones(encoder: OnnxEncoder) -> None:
    own = ["who signs off the invoices?", "cut the release", "发版前要跑哪几项检查来着"]
    general = ["what is an invoice?", "write a haiku about rain", "解释一下什么是死锁"]
    for prompts, sign in ((own, 1), (general, -1)):
        for prompt, vector in zip(prompts, encoder.embed(prompts), strict=True):
            assert sign * own_log_odds(prompt, vector, encoder.name) > 0, prompt
    # Without a vector of the model it was learnt with, only the words count.
    assert own_log_odds("explain the CAP theorem", None, None) < own_log_odds("is the tap still red?", None, None)
    assert own_log_odds(own[0], encoder.embed(own[:1])[0], "another space") == own_log_odds(own[0], None, None)


def test_a_long_prompt_is_a_task_or_a_question_by_its_ends() -> None:
    pasted = " lorem ipsum" * 2_000
    assert not is_task(f"how do we ship?{pasted} 請 {pasted}")
    assert is_task(f"{pasted}\n{pasted} 請")
