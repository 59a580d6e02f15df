"""The turn benchmark: its cases are sound, and its figures count what is shown."""

from bench.turns import PARTS, Outcome, Prompt, Shown, read_cases, turn_figures


def test_every_case_names_memories_of_its_store() -> None:
    cases = read_cases()

    assert len(cases) >= 25
    assert sum(len(case.prompts) for case in cases) >= 300
    assert {case.part for case in cases} == set(PARTS)
    for case in cases:
        keys = {one.key for one in case.memories}
        for prompt in case.prompts:
            assert {*prompt.want, *prompt.stale} <= keys, prompt
            assert bool(prompt.want) == (prompt.family != "off_topic"), prompt
        assert {one.replaces for one in case.memories} <= {None, *keys}


def test_figures_count_wanted_outdated_and_unrelated_memories() -> None:
    outcomes = [
        outcome(Prompt("which port?", "direct", ("a", "b")), "a", "x"),
        outcome(Prompt("which port now?", "changed", ("c",), ("a",)), "c", "a"),
        outcome(Prompt("thanks!", "off_topic", ()), "x"),
    ]

    found = turn_figures(outcomes)

    assert (found.n, found.wanted, found.complete, found.stale, found.off_topic) == (3, 1.0, 0.5, 1.0, 1.0)
    assert (found.items, found.characters) == (1.6667, 10.0)


def test_a_figure_that_no_prompt_counts_for_is_none() -> None:
    found = turn_figures([outcome(Prompt("which port?", "direct", ("a",)))])

    assert (found.wanted, found.stale, found.off_topic) == (0.0, None, None)


def outcome(prompt: Prompt, *keys: str) -> Outcome:
    return Outcome("held", prompt, Shown(frozenset(keys), 10))
