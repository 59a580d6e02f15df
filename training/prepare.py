"""Gather everything that training needs into one folder, so that a bare machine with an accelerator can run it."""

import gzip
import json
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from bench.datasets import load_turns
from bench.datasets.dataset import Corpus, Unit
from safetensors.numpy import load, save_file

from satchel.adapters.embedders.weights_source import MINILM, WEIGHTS_FILE, download, read
from training.chinese import choose_words, read_dictionary, read_frequencies, write_pairs, write_words
from training.code_pairs import collect_code_sets
from training.prepared import BASE_FILE, CHINESE_FILE, DEV_FILE, DICTIONARY_FILE, SETS_FILE, TOKENIZER_FILE
from training.sets import read_sets, without_names, write_sets
from training.task_sets import decision_sets, store_sets

HERE = Path(__file__).parent
AUTHORED, STORES, DECISIONS = HERE / "authored", HERE / "turns", HERE / "decisions"
CODE_PAIRS = 9_000
SEED = 18
DEV_FILES = {
    "locomo": "locomo_dev.json",
    "longmemeval": "lme_oracle_dev.json",
    "beam": "beam100k_dev.json.gz",
    "cosqa": "cosqa_dev.json",
}


class Chinese(NamedTuple):
    """The files that Chinese words come from: CC-CEDICT, and jieba's list of word frequencies."""

    dictionary: Path
    frequencies: Path


def prepare(out: Path, data: Path | None, dev: Path | None, base: Path | None, chinese: Chinese | None) -> None:
    """Write the base model, the training sets, the development sets and the Chinese words to a folder."""
    out.mkdir(parents=True, exist_ok=True)
    _write_base(out, base)
    sources = [*sorted(AUTHORED.glob("*.jsonl")), *(sorted(data.glob("*.jsonl*")) if data else [])]
    # A folder of further data may hold what is authored here too.
    sets = list(dict.fromkeys(one for path in sources for one in read_sets(path)))
    sets += [one for one in (*store_sets(STORES), *decision_sets(DECISIONS)) if one.questions]
    library = Path(sysconfig.get_path("stdlib"))
    installed = Path(sysconfig.get_path("purelib"))
    sets += collect_code_sets([library, installed], CODE_PAIRS, SEED)
    write_sets(sets, out / SETS_FILE)
    if dev:
        with gzip.open(out / DEV_FILE, "wt", encoding="utf-8") as file:
            json.dump(dict(_dev_sets(dev)), file, ensure_ascii=False)
    if chinese:
        words = read_dictionary(chinese.dictionary)
        notes = [text for one in sets for text in (*one.units, *(asked.text for asked in one.questions))]
        write_words(choose_words(words, read_frequencies(chinese.frequencies), notes), out / CHINESE_FILE)
        write_pairs(words, out / DICTIONARY_FILE)


def _write_base(out: Path, base: Path | None) -> None:
    source = base or download(out, MINILM)
    files = read(source, MINILM)
    weights = {
        name: value.astype(np.float16) for name, value in load(files[WEIGHTS_FILE]).items() if "pooler" not in name
    }
    save_file(weights, out / BASE_FILE)
    (out / TOKENIZER_FILE).write_bytes(files[TOKENIZER_FILE])
    if base is None:
        source.unlink()


def _dev_sets(folder: Path) -> Iterator[tuple[str, list[dict[str, object]]]]:
    for name, file in DEV_FILES.items():
        found = load_turns(name, folder / file)
        chats = [_corpus(one, found.apart, named=True) for one in found.corpora]
        yield name, chats
        if name == "locomo":
            yield "locomo-unnamed", [_corpus(one, found.apart, named=False) for one in found.corpora]
        if name in ("longmemeval", "beam"):
            yield f"{name}-bare", [_corpus(one, found.apart, named=False) for one in found.corpora]


def _corpus(one: Corpus, apart: Sequence[str], *, named: bool) -> dict[str, object]:
    places = {unit.id: place for place, unit in enumerate(one.units)}
    names = sorted({unit.speaker for unit in one.units if unit.speaker})
    asked = [
        {
            "q": question.text if named else without_names(question.text, names),
            "pos": [places[id] for id in question.gold],
        }
        for question in one.questions
        if question.gold and question.category not in apart
    ]
    return {"units": [_unit(unit, names, named) for unit in one.units], "qa": asked}


def _unit(unit: Unit, names: Sequence[str], named: bool) -> str:
    if not named:
        return without_names(unit.text, names)
    by = unit.speaker or unit.role
    return f"{by}: {unit.text}" if by else unit.text
