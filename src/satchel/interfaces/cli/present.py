"""Print answers, errors and progress: the only module that prints."""

import codecs
import json
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

from satchel.domain.envelope import Failed, Ok
from satchel.domain.safety.compiled import compiled
from satchel.errors import InvalidRequest
from satchel.interfaces.cli.views.lines import Lines, count, fields
from satchel.interfaces.hidden_characters import HIDDEN
from satchel.interfaces.local_time import with_local_times
from satchel.interfaces.serialization import envelope
from satchel.interfaces.shapes import Shape
from satchel.memories.values import Exported

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

# What a terminal without UTF-8 shows instead of the signs of our views.
_ASCII_SIGNS = {"·": "-", "✓": "+", "✗": "x", "…": "...", "→": "->", "⚠": "!", "\ufe0f": ""}


class Screen:
    """Answers go to standard output, everything else to standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.is_asking = False
        """Whether a question waits for its answer: what it is about has not been done."""
        self._bar: Bar | None = None
        for stream in (sys.stdout, sys.stderr):
            # Characters that a terminal cannot show are escaped instead of raising.
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors=_ESCAPING)

    def show(
        self,
        answer: Ok[Any],
        *,
        shape: Shape | None = None,
        view: Callable[[Any], Lines] = fields,
        explain: bool = False,
    ) -> None:
        """Print an answer as JSON or by its view; on standard error if memories were exported to standard output."""
        aside = isinstance(answer.result, Exported) and answer.result.path == "-"
        if self.as_json:
            shaped = shape.answer(answer) if shape else envelope(answer)
            stream = sys.stderr if aside else sys.stdout
            print(_as_json(shaped, stream), file=stream)
            return
        self.show_warnings(answer.receipt.warnings)
        if isinstance(waiting := answer.receipt.considered.get("embeddings_waiting"), int) and waiting:
            text = f"{count(waiting, 'text')} without a vector yet: run 'satchel index build'"
            self._print(text, "dim", error=True)
        for line, style in view(answer.result):
            self._print(line, style, error=aside)
        if answer.receipt.kept and explain:
            self._print(f"receipt {answer.receipt.digest}", "dim")

    def show_failure(self, failure: Failed, shape: Shape | None = None) -> None:
        """Print an error: as one line, or as JSON."""
        if self.as_json and _print_json(shape.failure(failure) if shape else envelope(failure)):
            return
        hint = f" ({failure.hint})" if failure.hint else ""
        self._print(with_local_times(f"satchel: {failure.message}{hint}"), "red", error=True)

    def show_warnings(self, warnings: Iterable[str]) -> None:
        """Print warnings about an answer."""
        for warning in warnings:
            self._print(with_local_times(f"⚠️  {warning}"), "yellow", error=True)

    def show_note(self, text: str) -> None:
        """Print a remark while work goes on."""
        if not self.as_json:
            self._print(text, "", error=True)

    def show_early(self, text: str) -> None:
        """Print a part of the answer before the rest is known."""
        if not self.as_json:
            from satchel.interfaces.failures import writing_output  # few commands say anything early

            # A bar would stand there, and the reader of a pipe waits for the line.
            self.end_progress()
            with writing_output(done=False):
                self._print(text, "")
                sys.stdout.flush()

    def ask(self, question: str) -> bool:
        """Return whether the person agrees; yes if no person is at the terminal."""
        if not self._is_attended():
            return True
        print(f"{_visible(with_local_times(question))} [y/N] ", end="", flush=True)
        self.is_asking = True
        answer = sys.stdin.readline()
        self.is_asking = False
        return answer.strip().lower() in ("y", "yes")

    def must_agree(self, question: str) -> bool:
        """Return whether the person agrees. Raises InvalidRequest if nobody is at a terminal."""
        if not self._is_attended():
            raise InvalidRequest(
                "nothing was changed: there is no terminal to ask in", code="needs_yes", hint="--yes applies it"
            )
        return self.ask(question)

    def _is_attended(self) -> bool:
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    def show_lines(self, lines: Lines) -> None:
        """Print lines of a conversation with the person at the terminal."""
        for line, style in lines:
            self._print(line, style)
        sys.stdout.flush()

    def show_progress(self, done: int, total: int, what: str) -> None:
        """Update the progress bar, if standard error is a terminal."""
        if self.as_json or not sys.stderr.isatty():
            return
        if self._bar is None:
            self._bar = _start_bar()
        task = next((task for task in self._bar.tasks if task.description == what), None)
        task_id = self._bar.add_task(what, total=total) if task is None else task.id
        self._bar.update(task_id, completed=done, total=total)

    def end_progress(self) -> None:
        """Remove the progress bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _print(self, text: str, style: str, *, error: bool = False) -> None:
        stream, text = sys.stderr if error else sys.stdout, _visible(text)
        if not stream.isatty():
            print(text, file=stream)
            return
        from rich.console import Console

        text = _wrapped(text)
        Console(file=stream, highlight=False, soft_wrap=True).print(
            text, style=style or None, markup=False, emoji=False
        )


def _visible(text: str) -> str:
    """Return a text with an escape in place of every character that would hide itself or others."""
    return compiled(HIDDEN).sub(lambda found: _escape(ord(found.group())), text)


def _wrapped(text: str) -> str:
    """Return a long line in several lines, each as wide as the terminal. A text that has lines keeps them."""
    from shutil import get_terminal_size

    width = get_terminal_size().columns
    if "\n" in text or len(text) <= width:
        return text
    import textwrap

    indent = " " * (len(text) - len(text.lstrip()) + 4)
    return textwrap.fill(
        text, max(width, 2 * len(indent)), subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _escape(number: int) -> str:
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding lacks: a sign of our views by its like in ASCII, anything else by an escape."""
    assert isinstance(error, UnicodeEncodeError), "registered for output only"
    lacking = error.object[error.start : error.end]
    shown = (_ASCII_SIGNS.get(one) for one in lacking)
    return "".join(
        _escape(ord(one)) if sign is None else sign for one, sign in zip(lacking, shown, strict=True)
    ), error.end


_ESCAPING = "satchel.signs"
codecs.register_error(_ESCAPING, _escaped)


def _as_json(answer: Any, stream: TextIO) -> str:
    """Return one line of JSON: in ASCII if the stream is not UTF-8, where escapes such as \\U0001f389 would not be JSON."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return json.dumps(answer, ensure_ascii=encoding.lower().replace("-", "") != "utf8")


def _print_json(answer: Any) -> bool:
    """Return whether standard output accepted the text; a full disk may be the very error to report."""
    try:
        print(_as_json(answer, sys.stdout), flush=True)
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
