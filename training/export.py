"""Write trained weights as the bundled model: an int8 graph, the tokenizer and a manifest."""

import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from satchel.adapters.embedders import bert_graph, model_files
from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.model_files import CHINESE_FILE, GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE
from satchel.domain.embedding import BUNDLED_MODEL


def export(weights: Path, prepared: Path, folder: Path = FOLDER) -> None:
    """Write the files of the model to a folder, by default into the package."""
    folder.mkdir(parents=True, exist_ok=True)
    floats = {name: value.astype(np.float32) for name, value in load_file(weights).items()}
    # External tensors are appended to an existing file.
    (folder / TENSORS_FILE).unlink(missing_ok=True)
    bert_graph.write(floats, folder / GRAPH_FILE, TENSORS_FILE, int8_words=True)
    for name in (TOKENIZER_FILE, CHINESE_FILE):
        shutil.copyfile(prepared / name, folder / name)
    model_files.write_manifest(BUNDLED_MODEL, folder, source="all-MiniLM-L6-v2", licence="Apache-2.0")
