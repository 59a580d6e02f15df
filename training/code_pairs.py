"""Make training pairs from the functions of installed Python packages: what a function is for, and its code."""

import ast
import random
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from training.sets import Question, TextSet

MIN_LINES, MAX_LINES = 3, 40
MIN_WORDS, MAX_WORDS = 3, 20
# Functions in one set, from which hard negatives are mined.
POOL = 400
MAX_FILE_BYTES = 400_000
_SKIPPED = ("test", "tests", "idlelib", "lib2to3", "pip", "_vendor", "vendor")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def collect_code_sets(folders: list[Path], count: int, seed: int) -> list[TextSet]:
    """Return sets of functions, each asked for by its summary or by the words of its name."""
    chooser = random.Random(seed)
    pairs = sorted(set(_pairs(folders, chooser)))
    chooser.shuffle(pairs)
    seen, chosen = set[str](), list[tuple[str, str]]()
    for summary, code in pairs:
        if summary.lower() not in seen and code not in seen:
            seen |= {summary.lower(), code}
            chosen.append((summary, code))
    chosen = chosen[:count]
    return [_set(chosen[start : start + POOL]) for start in range(0, len(chosen), POOL)]


def _set(pairs: list[tuple[str, str]]) -> TextSet:
    questions = tuple(Question(summary, (place,)) for place, (summary, _) in enumerate(pairs))
    return TextSet("functions", tuple(code for _, code in pairs), questions)


def _pairs(folders: list[Path], chooser: random.Random) -> Iterator[tuple[str, str]]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if not set(path.relative_to(folder).parts[:-1]) & set(_SKIPPED) and path.stat().st_size <= MAX_FILE_BYTES:
                yield from _functions(path, chooser)


def _functions(path: Path, chooser: random.Random) -> Iterator[tuple[str, str]]:
    try:
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (pair := _pair(node, lines, chooser)):
            yield pair


def _pair(
    node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str], chooser: random.Random
) -> tuple[str, str] | None:
    documentation = ast.get_docstring(node)
    if not documentation or node.name.startswith("__") or len(node.body) < 2:
        return None
    summary = " ".join(_SENTENCE_END.split(documentation.strip(), maxsplit=1)[0].split()).strip(" .:")
    if not summary.isascii() or not MIN_WORDS <= len(summary.split()) <= MAX_WORDS:
        return None
    whole = lines[node.lineno - 1 : node.end_lineno]
    if not MIN_LINES <= len(whole) <= MAX_LINES:
        return None
    name_words = " ".join(_WORD_START.sub(" ", node.name).lower().split())
    if len(name_words.split()) >= MIN_WORDS and chooser.random() < 0.3:
        # Asked for by name: the documentation stays, the name goes.
        return name_words, re.sub(rf"\b{re.escape(node.name)}\b", "f", textwrap.dedent("\n".join(whole)))
    document = node.body[0]
    body = lines[node.lineno - 1 : document.lineno - 1] + lines[document.end_lineno or 0 : node.end_lineno]
    return summary.lower() if chooser.random() < 0.5 else summary, textwrap.dedent("\n".join(body))
