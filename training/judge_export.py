"""Write a trained judge into the package: an int8 graph of its layers, what scores their output, and a manifest."""

from collections.abc import Mapping
from pathlib import Path

import torch
from tests.adapters.reader import judge_reference
from torch import Tensor

from satchel.adapters.reader.judge import FOLDER, load_judge
from satchel.adapters.reader.words import read_words
from satchel.domain.embedding import JUDGE_MODEL
from training.judge_examples import Example
from training.judge_network import Batch, JudgeNetwork
from training.judge_train import Plan
from training.reader_export import write_joint
from training.reader_files import JUDGE_FILE

# Whether any memory is wanted is learnt beside which are, and not asked.
ONLY_TRAINED = "any."


def export_trained(trained: Path) -> None:
    """Write what `judge.run_training` has trained into the package."""
    state = torch.load(trained / JUDGE_FILE, map_location="cpu")
    write_joint({name: one for name, one in state.items() if not name.startswith(ONLY_TRAINED)}, JUDGE_MODEL, FOLDER)
    record_reference(state)


@torch.no_grad()
def record_reference(state: Mapping[str, Tensor]) -> None:
    """Record what the float weights give for a prompt, which a test compares with the int8 model."""
    trunk, network = load_judge(), JudgeNetwork(0.0, Plan().layers).eval()
    network.load_state_dict({**network.state_dict(), **{name: value.float() for name, value in state.items()}})
    begin, end = trunk.tokens.ids("")
    asked = Example(trunk.encode(judge_reference.PROMPT), tuple(trunk.encode(one) for one in judge_reference.MEMORIES))
    batch = Batch([asked], begin, end, torch.device("cpu"))
    wanted, _ = network(batch, torch.from_numpy(read_words().rows()))
    judge_reference.write(wanted[0].tolist())
