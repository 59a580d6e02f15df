"""Replay scripts of commands in process, under a fixed clock and fixed ids.

A script is a text file of one command to a line. These lines are special:

    # …                            a comment
    @store NAME [key=value …]      use the store NAME; the settings are written when it is first named
    @wait 40d                      move the clock on (d days, h hours, s seconds)
    @file PATH <<END               write a file, up to the line END
    @read PATH                     record the contents of a file

A command may begin with `NAME = ` to name its answer, may set environment variables as in a shell, and may end with
`<<END`, which gives it the following lines up to END as standard input. `{NAME}` is the id in a named answer,
`{NAME:result.hits.0.id}` any value of it, `{dir}` the folder of the run, and `{long:9000}` a text of that length.

The clock stands still during a command and moves on between commands, and ids start again from the command's number.
So results don't depend on how often the product reads the clock.
"""

import io
import json
import os
import re
import shlex
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from .reduce import Reduction

STARTED_AT = 1_767_225_600  # 2026-01-01T00:00:00Z
SECONDS_PER_COMMAND = 60
PROCESS_ID = 4242
# Vectors that need no model and are equal on every machine, and time to make them all.
SETTINGS = ('embedding.provider = "hashing"', "recall.catch_up_ms = 60000")
_UNITS = {"d": 86_400, "h": 3_600, "s": 1}
_NAMED = re.compile(r"([a-z]\w*) = (.+)", re.DOTALL)
_VARIABLE = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(r"\{([a-z]\w*)(?::([\w.-]+))?\}")


def run_satchel(arguments: list[str]) -> int:
    """Run the command line in this process and return its exit code. The only way from here into the product."""
    from satchel.__main__ import run

    mask = os.umask(0o077)
    with patch.object(sys, "argv", ["satchel", *arguments]):
        try:
            run()
        except SystemExit as end:
            return int(end.code or 0)
        finally:
            os.umask(mask)
    raise AssertionError("the console entry returned without an exit code")


@dataclass
class Line:
    """One line of a script, with the text that follows it."""

    text: str
    body: str = ""


def parse(script: str) -> list[Line]:
    """Return the lines of a script without blank lines and comments."""
    parsed, lines = [], iter(script.splitlines())
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        head, here, end = line.partition(" <<")
        body = []
        if here:
            for inner in lines:
                if inner == end:
                    break
                body.append(inner + "\n")
        parsed.append(Line(head, "".join(body)))
    return parsed


@dataclass
class Replay:
    """One run of a script in a folder of its own."""

    folder: Path
    now: int = STARTED_AT
    number: int = 0
    store: str = ""
    answers: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reduction = Reduction(str(self.folder))

    def run(self, script: str) -> list[dict[str, Any]]:
        """Run every line and return what is to be compared, one entry for each command and each file read."""
        entries = []
        with _working_in(self.folder):
            for line in parse(script):
                if line.text.startswith("@"):
                    entries += self._directive(line)
                else:
                    entries.append(self._command(line))
        return entries

    def _directive(self, line: Line) -> list[dict[str, Any]]:
        name, *words = shlex.split(line.text)
        if name == "@store":
            self._use_store(*words)
        elif name == "@wait":
            self.now += int(words[0][:-1]) * _UNITS[words[0][-1]]
        elif name == "@file":
            self._write(self.folder / words[0], line.body)
        elif name == "@read":
            text = (self.folder / words[0]).read_text(encoding="utf-8")
            return [{"run": line.text, "lines": self.reduction.lines(text)}]
        else:
            raise ValueError(f"unknown directive: {line.text}")
        return []

    def _use_store(self, name: str, *settings: str) -> None:
        self.store = name
        path = self.folder / name / "config.toml"
        if not path.exists():
            self._write(path, "\n".join((*SETTINGS, *settings)) + "\n")

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (self.now, self.now))

    def _command(self, line: Line) -> dict[str, Any]:
        self.number += 1
        self.now += SECONDS_PER_COMMAND
        named = _NAMED.fullmatch(line.text)
        name, command = named.groups() if named else ("", line.text)
        words, variables = shlex.split(command), {}
        while match := _VARIABLE.fullmatch(words[0]):
            variables[match[1]] = _PLACEHOLDER.sub(self._value, match[2])
            del words[0]
        arguments = [_PLACEHOLDER.sub(self._value, word) for word in words]
        body = _PLACEHOLDER.sub(self._value, line.body)
        arguments = ["--home", str(self.folder / self.store), "--json", *arguments]
        code, out, err = self._run(arguments, body, variables)
        answer = _json(out)
        # An export to standard output leaves its own answer on standard error.
        aside = _json(err) if answer is None or isinstance(answer, list) else None
        if name:
            self.answers[name] = answer if aside is None else aside
        entry: dict[str, Any] = {"run": line.text, "exit": code, "answer": self.reduction.answer(answer)}
        if aside is not None:
            entry["aside"] = self.reduction.answer(aside)
        return entry

    def _run(self, arguments: list[str], body: str, variables: Mapping[str, str]) -> tuple[int, str, str]:
        ids = iter(range(1, 1_000_000))
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with (
            _standard_input(self.folder / "stdin", body),
            _environment(self.folder, variables),
            patch.object(time, "time", lambda: float(self.now)),
            patch.object(time, "time_ns", lambda: self.now * 1_000_000_000),
            patch.object(uuid, "uuid4", lambda: uuid.UUID(int=(self.number << 64) + next(ids), version=4)),
            patch.object(os, "getpid", lambda: PROCESS_ID),
            patch.object(sys, "stdout", out),
            patch.object(sys, "stderr", err),
        ):
            code = run_satchel(arguments)
        return code, _written(out), _written(err)

    def _value(self, match: re.Match[str]) -> str:
        name, path = match.groups()
        if name == "dir":
            return str(self.folder)
        if name == "long":
            return ("a long text of many words. " * int(path))[: int(path)]
        value = self.answers[name]
        for step in (path or "result.id").split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        return str(value)


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _json(text: str) -> Any:
    """Return what a command printed: one JSON value, a list of those on its lines, or None if it isn't JSON."""
    try:
        values = [json.loads(line) for line in text.splitlines()]
    except ValueError:
        return None
    return values[0] if len(values) == 1 else values or None


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _standard_input(path: Path, text: str) -> Iterator[None]:
    """Give the process a standard input, both as Python's stream and as file descriptor 0, which hooks read."""
    path.write_text(text, encoding="utf-8")
    saved = os.dup(0)
    with path.open(encoding="utf-8") as stream, path.open("rb") as raw, patch.object(sys, "stdin", stream):
        os.dup2(raw.fileno(), 0)
        try:
            yield
        finally:
            os.dup2(saved, 0)
            os.close(saved)


@contextmanager
def _environment(folder: Path, variables: Mapping[str, str]) -> Iterator[None]:
    """Let the command see nothing of the person who runs the test."""
    person = folder / "person"
    own = {"HOME": person, "XDG_DATA_HOME": person / "data", "XDG_CONFIG_HOME": person / "config", "TMPDIR": folder}
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "PYTHONHASHSEED")}
    fixed = {name: str(value) for name, value in own.items()} | {"TZ": "UTC"}
    with patch.dict(os.environ, {**kept, **fixed, **variables}, clear=True):
        time.tzset()
        yield
    time.tzset()
