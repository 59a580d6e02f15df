"""What a person sees: the one module that prints."""

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from satchel.domain.envelope import Failed, Ok
from satchel.interfaces.cli.views.lines import Lines, fields
from satchel.interfaces.encode import envelope
from satchel.interfaces.shapes import Shape
from satchel.memories.values import Exported

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


# What turns the order of letters around: a memory could be made to read as something that it does not say.
_TURNING = {number: f"\\u{number:04x}" for number in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


class Screen:
    """Standard output for answers, standard error for everything said on the way."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self._bar: Bar | None = None
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character gets its escape, never an exception.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")

    def show(
        self,
        answer: Ok[Any],
        *,
        shape: Shape | None = None,
        view: Callable[[Any], Lines] = fields,
        explain: bool = False,
    ) -> None:
        """Print an answer, for a program in its shape, for a person by its view; on standard error where standard output has the exported memories."""
        aside = isinstance(answer.result, Exported) and answer.result.path == "-"
        if self.as_json:
            shaped = shape.answer(answer) if shape else envelope(answer)
            print(json.dumps(shaped, ensure_ascii=False), file=sys.stderr if aside else sys.stdout)
            return
        for warning in answer.receipt.warnings:
            self._say(f"⚠️  {warning}", "yellow", error=True)
        if waiting := answer.receipt.considered.get("embeddings_waiting"):
            self._say(f"{waiting} memories wait for a vector: 'satchel index build' makes them all", "dim", error=True)
        for line, style in view(answer.result):
            self._say(line, style, error=aside)
        if answer.receipt.kept and explain:
            self._say(f"receipt {answer.receipt.digest}", "dim")

    def show_failure(self, failure: Failed, shape: Shape | None = None) -> None:
        """Print an error: one line, or the envelope, or what the operation answers in its place."""
        if self.as_json and _printed(shape.failure(failure) if shape else envelope(failure)):
            return
        hint = f" ({failure.hint})" if failure.hint else ""
        self._say(f"satchel: {failure.message}{hint}", "red", error=True)

    def show_note(self, text: str) -> None:
        """Print something worth knowing while work goes on."""
        if not self.as_json:
            self._say(text, "", error=True)

    def tell(self, text: str) -> None:
        """Print a part of the answer before the rest of it is known."""
        if not self.as_json:
            self._say(text, "")

    def show_progress(self, done: int, total: int, what: str) -> None:
        """Move the progress bar, on a terminal."""
        if self.as_json or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = _start_bar()
        task = next((task for task in self._bar.tasks if task.description == what), None)
        task_id = self._bar.add_task(what, total=total) if task is None else task.id
        self._bar.update(task_id, completed=done, total=total)

    def end_progress(self) -> None:
        """Take the progress bar away."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _say(self, text: str, style: str, *, error: bool = False) -> None:
        stream, text = sys.stderr if error else sys.stdout, text.translate(_TURNING)
        if not stream.isatty():
            print(text, file=stream)
            return
        from rich.console import Console

        Console(file=stream, highlight=False, soft_wrap=True).print(
            text, style=style or None, markup=False, emoji=False
        )


def _printed(answer: Any) -> bool:
    """Say whether standard output took an answer. Where it takes nothing, that may be the very failure to be told."""
    try:
        print(json.dumps(answer, ensure_ascii=False), flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        return False
    return True


def _start_bar() -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.start()
    return bar
