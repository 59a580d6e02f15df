"""Pairs of a question and a function, taken from Python files."""

from pathlib import Path

from training.code_pairs import collect_code_sets
from training.sets import TextSet

SOURCE = '''
def read_number_from_file(path):
    """Return the number that a file holds.

    More about it.
    """
    with open(path) as file:
        return int(file.read())


def undocumented(path):
    return path
'''


def test_a_documented_function_is_asked_for_without_showing_the_question(tmp_path: Path) -> None:
    (tmp_path / "numbers.py").write_text(SOURCE)
    (tmp_path / "broken.py").write_text("def (")

    found = {(one.units, one.questions[0].text.lower()) for seed in range(30) for one in _collected(tmp_path, seed)}

    questions = {question for _, question in found}
    assert questions == {"return the number that a file holds", "read number from file"}
    for (code,), question in found:
        assert question not in code.lower()
        assert "read_number_from_file" not in code or "holds" not in code


def test_the_same_seed_gives_the_same_sets(tmp_path: Path) -> None:
    (tmp_path / "numbers.py").write_text(SOURCE)

    assert _collected(tmp_path, 1) == _collected(tmp_path, 1)


def _collected(folder: Path, seed: int) -> list[TextSet]:
    return collect_code_sets([folder], 10, seed)
