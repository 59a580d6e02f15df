"""The networks in NumPy give what they gave in PyTorch."""

import numpy as np

from satchel.adapters.reader.acts import ACTS, INPUTS
from satchel.adapters.reader.network import WEIGHTS_FILE, load_weights, score, standardized
from tests.adapters.reader import reference

MAX_WEIGHTS_BYTES = 3_000_000


def test_numpy_gives_the_scores_of_pytorch() -> None:
    weights = load_weights()
    question, vectors, deviations = reference.inputs(len(weights.means))
    found = score(question, vectors, deviations * weights.deviations + weights.means, weights)
    expected = reference.read()

    for name in ("decision", "reason", "replaced", "none"):
        difference = np.abs(np.asarray(getattr(found, name)) - np.asarray(getattr(expected, name)))
        assert difference.max() < reference.TOLERANCE, name


def test_the_networks_differ_and_the_scores_depend_on_the_order_of_messages() -> None:
    weights = load_weights()
    question, vectors, deviations = reference.inputs(len(weights.means))
    features = deviations * weights.deviations + weights.means
    found = score(question, vectors, features, weights)
    turned = score(question, vectors[::-1], features[::-1], weights)

    assert not np.allclose(found.decision, turned.decision[::-1], atol=0.01)
    assert len({float(one["none.bias"][0]) for one in weights.networks}) == len(weights.networks) == 3


def test_far_values_are_cut_and_the_weights_are_small() -> None:
    weights = load_weights()
    far = np.full((1, len(weights.means)), 1e30, np.float32)

    assert standardized(far, weights).max() == 4.0
    assert weights.acts.shape == (INPUTS, len(ACTS))
    assert WEIGHTS_FILE.stat().st_size < MAX_WEIGHTS_BYTES
