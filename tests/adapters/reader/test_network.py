"""The reader's int8 network gives what the trained one gave, and is checked before it is used."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from satchel.adapters.embedders.model_files import GRAPH_FILE, MANIFEST_FILE, SCORES_FILE, TENSORS_FILE
from satchel.adapters.reader.network import ACTS_ON, DECISION, ENOUGH_TOKENS, FOLDER, choose, load_network
from satchel.adapters.reader.words import WIDTH, WORDS, Floats, read_words
from satchel.errors import Unavailable
from tests.adapters.reader import reference
from tests.tables import each_case

MAX_BYTES = 13_000_000


def test_int8_gives_the_scores_of_the_trained_network() -> None:
    found, expected = load_network().score(reference.QUESTION, reference.MESSAGES), reference.read()

    for name in (*reference.PARTS, "none"):
        scores = (np.clip(getattr(one, name), -reference.FURTHEST, reference.FURTHEST) for one in (found, expected))
        assert np.abs(np.subtract(*scores)).max() < reference.TOLERANCE, name
    assert (int(found.decision.argmax()), int(found.reason.argmax())) == (3, 2)


def test_the_same_discussion_gives_the_same_scores_to_the_last_bit() -> None:
    first, again = (load_network().score(reference.QUESTION, reference.MESSAGES) for _ in range(2))

    assert first.decision.tobytes() == again.decision.tobytes() and first.none == again.none


def test_the_words_of_the_question_and_the_order_of_messages_count() -> None:
    network = load_network()
    found = network.score(reference.QUESTION, reference.MESSAGES)
    other = network.score("Why did we buy a new gate?", reference.MESSAGES)
    turned = network.score(reference.QUESTION, reference.MESSAGES[::-1])

    assert found.decision.max() - found.none > 0 > other.decision.max() - other.none
    assert not np.allclose(found.decision, turned.decision[::-1], atol=0.01)


def _heads(decision: tuple[float, ...], acts_on: tuple[float, ...]) -> Floats:
    heads = np.zeros((len(decision), 11), np.float32)
    heads[:, DECISION], heads[:, ACTS_ON] = decision, acts_on
    return heads


@each_case(
    ("decision", "acts_on", "lengths", "expected"),
    [
        ((-2.0, 1.0, -1.0), (-6.0, -6.0, -6.0), (12, 12, 12), 1),
        ((1.0, 1.5), (-6.0, -6.0), (12, 2), 0),  # a few words
        ((1.0, 1.5), (-6.0, -6.0), (ENOUGH_TOKENS, 50), 1),
        ((0.0, 1.5), (-6.0, -1.0), (12, 12), 0),  # carries out what was decided before it
        ((-4.0, 1.5), (-6.0, -1.0), (12, 12), 1),
        ((1.5, 0.0), (-1.0, -6.0), (12, 12), 0),  # nothing is before the first
    ],
    ids=str,
)
def test_the_message_that_states_a_decision_is_chosen(
    decision: tuple[float, ...], acts_on: tuple[float, ...], lengths: tuple[int, ...], expected: int
) -> None:
    assert choose(_heads(decision, acts_on), lengths) == expected


def test_names_do_not_make_messages_longer() -> None:
    network, named = load_network(), [f"Wilhelmina Abernathy: {one}" for one in reference.MESSAGES]

    assert network.score(reference.QUESTION, named, reference.MESSAGES).chosen == 3


@each_case("name", [GRAPH_FILE, TENSORS_FILE, SCORES_FILE, MANIFEST_FILE])
@pytest.mark.parametrize("change", ["damaged", "missing"])
def test_a_changed_file_is_refused(name: str, change: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / name))
    if change == "missing":
        (folder / name).unlink()
    else:
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)

    with pytest.raises(Unavailable) as failed:
        load_network(folder)
    assert failed.value.code == "reader_broken"
    assert "reinstall" in (failed.value.hint or "")


def test_a_reader_of_another_encoder_is_refused(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(FOLDER, tmp_path / "model"))
    manifest = folder / MANIFEST_FILE
    text = manifest.read_text(encoding="utf-8")
    begin = text.index('"encoder_sha256": "') + len('"encoder_sha256": "')
    manifest.write_text(text[:begin] + "0" * 64 + text[begin + 64 :], encoding="utf-8")

    with pytest.raises(Unavailable, match="another encoder"):
        load_network(folder)


def test_the_word_vectors_are_those_of_the_encoder_and_the_rest_is_small() -> None:
    rows = read_words().of(np.array([0, WORDS - 1]))

    assert rows.shape == (2, WIDTH) and np.isfinite(rows).all()
    # Rows are scaled so that their largest value is 127.
    assert (np.abs(read_words().codes[1_000:1_100]).max(axis=1) == 127).all()
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MAX_BYTES
