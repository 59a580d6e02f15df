"""Gather what the training of the judge needs in a folder: stores with prompts as tokens, and the layers of the reader.

The memories that are read with a prompt are those that the product finds for it.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from bench.embedding import load_embedder
from bench.haystack import SCOPE, scratch
from tokenizers import Tokenizer

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.model_files import CHINESE_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.text_tokens import TextTokens
from satchel.adapters.reader import network
from satchel.adapters.reader.judge import both_ends
from satchel.app import Satchel
from satchel.config import Settings
from satchel.ports import Embedder
from satchel.recall.request import Mode
from satchel.turns.admission import Prompt, is_task, prior_log_odds, weigh
from satchel.turns.own_matters import own_log_odds
from training.reader_files import TOKENS_FILE, TRUNK_FILE
from training.reader_prepare import MAX_TEXT_TOKENS, trunk

HERE = Path(__file__).parent
STORES, NOTES, PROMPTS = HERE / "turns", HERE / "authored", HERE / "prompts"
# Sets of `authored` whose units are notes, not turns of a chat.
NOTE_KINDS = frozenset({"memories", "chinese", "people-and-notes", "chinese-and-decisions"})
KINDS = {"event": "episode", "task": "todo"}
FOUND = 12
NEAR = 24

Row = dict[str, Any]
Encode = Callable[[str], list[int]]


def prepare(out: Path, stores: Path = STORES) -> None:
    """Write the folder."""
    out.mkdir(parents=True, exist_ok=True)
    tokens = TextTokens(Tokenizer.from_file(str(FOLDER / TOKENIZER_FILE)), FOLDER / CHINESE_FILE, MAX_TEXT_TOKENS)
    begin, end = tokens.ids("")

    def encode(text: str) -> list[int]:
        return tokens.parts(both_ends(text))

    settings = Settings()
    embedder = load_embedder(settings, Mode.HYBRID, None, None)
    assert embedder is not None
    rows = [found_in(row, settings, embedder) for row in read_rows(stores)]
    notes = [nearest_in(row, embedder) for row in read_rows(NOTES) if row["kind"] in NOTE_KINDS]
    prepared = {
        "begin": begin,
        "end": end,
        "stores": [_tokenized(row, encode) for row in rows],
        "questions": [_tokenized(row, encode) for row in notes],
        "general": [_tokenized_general(row, encode) for row in general_prompts(rows, embedder)],
    }
    with gzip.open(out / TOKENS_FILE, "wt", encoding="ascii") as file:
        json.dump(prepared, file, separators=(",", ":"))
    # The reader has learnt already to read texts together.
    arrays: dict[str, Any] = trunk(network.FOLDER)
    np.savez_compressed(out / TRUNK_FILE, **arrays)


def read_rows(folder: Path) -> list[Row]:
    """Read all lines of a folder."""
    return [json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in _lines(path)]


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text(encoding="utf-8").split("\n") if line.strip())


def found_in(row: Row, settings: Settings, embedder: Embedder) -> Row:
    """Return a store with what the product finds for its prompts, best first, and what it knows of each."""
    places = {one["id"]: place for place, one in enumerate(row["memories"])}
    with scratch(settings, embedder) as memory:
        stored = dict[str, int]()
        for one in row["memories"]:
            kind, source = KINDS.get(one["kind"], one["kind"]), "operator" if one["by"] == "person" else "tool"
            answer = memory.store(one["text"], scope=SCOPE, kind=kind, source_kind=source)
            stored[answer.result.id] = places[one["id"]]
        memory.maintenance.index_build()
        prompts = [_found(memory, stored, asked, embedder) for asked in row["prompts"]]
    named = [{**one, **{part: [places[id] for id in one[part]] for part in ("wanted", "fine")}} for one in prompts]
    return {"store": row["store"], "memories": [one["text"] for one in row["memories"]], "prompts": named}


def _found(memory: Satchel, stored: dict[str, int], asked: Row, embedder: Embedder) -> Row:
    text = asked["prompt"]
    (vector,) = embedder.embed([text])
    prompt = Prompt(text, own_log_odds(text, vector, embedder.name), True, is_task(text))
    hits = memory.recall(text, scope=SCOPE, limit=FOUND, min_relevance=0.0, untrusted=True, keep=False).result.hits
    weighed = sorted(hits, key=lambda hit: -prior_log_odds(hit, prompt))
    signals = [weigh(hit, prompt) for hit in weighed]
    return {
        **asked,
        "found": [stored[hit.memory.id] for hit in weighed],
        "relevance": [round(one.relevance, 3) for one in signals],
        "is_rule": [one.is_governing_rule for one in signals],
        "own": round(prompt.own_log_odds, 3),
    }


def nearest_in(row: Row, embedder: Embedder) -> Row:
    """Return notes with questions in the form of a store; what is found are the nearest notes."""
    notes, asked = (_vectors(embedder, texts) for texts in (row["units"], [one["q"] for one in row["qa"]]))
    prompts = [
        {"prompt": one["q"], "family": "question", "wanted": one["pos"], "fine": [], "found": _nearest(near, FOUND)}
        for one, near in zip(row["qa"], asked @ notes.T, strict=True)
    ]
    return {"store": row["kind"], "memories": row["units"], "prompts": prompts}


def general_prompts(stores: Sequence[Row], embedder: Embedder) -> list[Row]:
    """Return prompts that need no memory, with the memories of all stores that are nearest to each."""
    prompts = [one["prompt"] for one in read_rows(PROMPTS) if not one["own"]]
    memories = [text for store in stores for text in store["memories"]]
    cosines = _vectors(embedder, prompts) @ _vectors(embedder, memories).T
    return [
        {"prompt": prompt, "near": [memories[place] for place in _nearest(near, NEAR)]}
        for prompt, near in zip(prompts, cosines, strict=True)
    ]


def _vectors(embedder: Embedder, texts: Sequence[str]) -> np.ndarray[Any, Any]:
    return np.array(embedder.embed(list(texts)), np.float32)


def _nearest(cosines: np.ndarray[Any, Any], most: int) -> list[int]:
    found: list[int] = np.argsort(-cosines, kind="stable")[:most].tolist()
    return found


def _tokenized(row: Row, encode: Encode) -> Row:
    prompts = [{**one, "prompt": encode(one["prompt"])} for one in row["prompts"]]
    return {**row, "memories": [encode(one) for one in row["memories"]], "prompts": prompts}


def _tokenized_general(row: Row, encode: Encode) -> Row:
    return {"prompt": encode(row["prompt"]), "near": [encode(one) for one in row["near"]]}
