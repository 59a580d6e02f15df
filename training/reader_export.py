"""Write a trained reader into the package: an int8 graph of its layers, what scores their output, and a manifest."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tests.adapters.reader import reference
from torch import Tensor

from satchel.adapters.embedders import bert_graph, model_files
from satchel.adapters.embedders.model_files import GRAPH_FILE, NETWORK_FILES, SCORES_FILE, TENSORS_FILE
from satchel.adapters.reader.network import (
    DECISION,
    FOLDER,
    REASON,
    REPLACED,
    SETTLES,
    UNDECIDED,
    Scores,
    load_network,
)
from satchel.adapters.reader.trunk import encoder_hash
from satchel.adapters.reader.words import read_words
from satchel.domain.embedding import READER_MODEL
from training.network import exported
from training.reader import FIGURES_FILE
from training.reader_examples import Example
from training.reader_files import TRAINED_FILE
from training.reader_network import Batch, ReaderNetwork

TRUNK = "trunk."
# Added to the log-odds of answers, because training asks harder questions than people do. Chosen so that from the least likelihood on
# at most one of the 50 questions without an answer of the part `tuned` of `bench/data/decisions` gets one.
LEVEL = 2.0


def export_trained(trained: Path) -> None:
    """Write what `reader.run_training` has trained into the package."""
    figures = json.loads((trained / FIGURES_FILE).read_text(encoding="utf-8"))
    base, *factors = figures["choice"]
    state = torch.load(trained / TRAINED_FILE, map_location="cpu")
    export(state, [base + LEVEL, *factors], figures["asks_reason"])
    record_reference(state)


def export(
    state: Mapping[str, Tensor], choice: Sequence[float], asks_reason: Sequence[float], folder: Path = FOLDER
) -> None:
    """Write the files of the model; `choice` and `asks_reason` are the regressions of `likelihood_of` and `asks_for_reason`."""
    write_joint(
        state, READER_MODEL, folder, choice=np.array(choice, np.float32), asks_reason=np.array(asks_reason, np.float32)
    )


def write_joint(state: Mapping[str, Tensor], model: str, folder: Path, **scores: Any) -> None:
    """Write the files of a network that reads texts together; `scores` are further tensors that score the output."""
    folder.mkdir(parents=True, exist_ok=True)
    # External tensors are appended to an existing file.
    (folder / TENSORS_FILE).unlink(missing_ok=True)
    layers = {name.removeprefix(TRUNK): value for name, value in state.items() if name.startswith(TRUNK)}
    # The word vectors are those of the encoder.
    named = exported({**layers, "words.weight": torch.zeros(1, 1)})
    weights = {name: value.float().numpy() for name, value in named.items()}
    graph = bert_graph.build_trunk(weights, bert_graph.Architecture(layers=len({_layer(one) for one in layers} - {""})))
    bert_graph.write_int8(graph, folder / GRAPH_FILE, TENSORS_FILE)
    halved: dict[str, Any] = {name: value.half().numpy() for name, value in state.items() if not name.startswith(TRUNK)}
    np.savez_compressed(folder / SCORES_FILE, **halved, **scores)
    model_files.write_manifest(model, folder, NETWORK_FILES, licence="Apache-2.0", encoder_sha256=encoder_hash())


def _layer(name: str) -> str:
    """Return the number of the layer that a tensor belongs to; empty if it belongs to none."""
    return name.split(".")[1] if name.startswith("layers.") else ""


@torch.no_grad()
def record_reference(state: Mapping[str, Tensor]) -> None:
    """Record what the float weights give for a discussion, which a test compares with the int8 model."""
    encode, network = load_network().trunk.tokens, ReaderNetwork(dropout=0.0).eval()
    network.load_state_dict({**network.state_dict(), **{name: value.float() for name, value in state.items()}})
    begin, end = encode.ids("")
    asked = Example(encode.parts(reference.QUESTION), tuple(encode.parts(one) for one in reference.MESSAGES))
    found = network(Batch([asked], begin, end, torch.device("cpu")), torch.from_numpy(read_words().rows()))
    heads, first = found.heads[0].numpy(), float(found.first_choice[0])
    reference.write(
        Scores(
            decision=heads[:, DECISION],
            chosen=int(heads[:, DECISION].argmax()),
            reason=heads[:, REASON],
            replaced=heads[:, REPLACED] - first,
            none=float(found.none[0]),
            settles=heads[:, SETTLES],
            undecided=heads[:, UNDECIDED],
        )
    )
