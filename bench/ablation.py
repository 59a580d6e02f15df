"""What each ingredient of searching episodes gives: every question asked again with one of them left out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.progress import show
from bench.results import Result, machine
from bench.sets import read
from satchel.config import load
from satchel.interfaces.bench.embedding import loaded_embedder
from satchel.interfaces.bench.haystack import Episodes, scratch
from satchel.interfaces.bench.metrics import Ranking, by_category, figures
from satchel.interfaces.bench.retrieval import ranked_for
from satchel.interfaces.bench.sets import BenchmarkSet, Level
from satchel.interfaces.encode import encoded
from satchel.recall.question import Mode

NOTHING = "nothing"
