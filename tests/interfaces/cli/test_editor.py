"""The person's editor is started on a private file, and its outcome is told plainly."""

import sys
from pathlib import Path

import pytest

from satchel.errors import SatchelError
from satchel.interfaces.cli.editor import edit_text
from tests.tables import each_case, fresh_folder


class _Terminal:
    @staticmethod
    def isatty() -> bool:
        return True


def use_editor(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Make a Python program the editor; the file is its last argument."""
    script = folder / "editor.py"
    script.write_text(
        f"import os, sys\nfrom pathlib import Path\nfile = Path(sys.argv[-1])\n{program}\n", encoding="utf-8"
    )
    monkeypatch.setenv("EDITOR", f"{sys.executable} {script} --wait")
    monkeypatch.setattr(sys, "stdin", _Terminal())


def test_the_text_comes_back_as_it_was_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = f"""
text = file.read_text(encoding="utf-8")
Path({str(tmp_path)!r}, "mode").write_text(oct(file.parent.stat().st_mode & 0o777) + " " + str(file))
file.write_text(text.replace("Thursdays", "Fridays") + "\\n", encoding="utf-8")"""
    use_editor(tmp_path, monkeypatch, program)

    assert edit_text("We ship on Thursdays ü") == "We ship on Fridays ü"

    mode, _, file = (tmp_path / "mode").read_text().partition(" ")
    assert (mode, Path(file).exists(), Path(file).parent.exists()) == ("0o700", False, False)


def test_visual_comes_before_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_editor(tmp_path, monkeypatch, "file.write_text('by visual')")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {tmp_path / 'editor.py'}")
    monkeypatch.setenv("EDITOR", "false")

    assert edit_text("x") == "by visual"


@each_case(
    "program, code",
    [
        ("sys.exit(3)", "unavailable"),
        ("file.unlink()", "invalid_request"),
        ("file.write_bytes(b'\\xff')", "invalid_request"),
    ],
)
def test_a_failed_editor_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, code: str
) -> None:
    use_editor(fresh_folder(tmp_path), monkeypatch, program)
    with pytest.raises(SatchelError) as failed:
        edit_text("We ship on Thursdays")
    assert failed.value.code == code


@each_case("command", ["/nowhere/editor", "'unfinished", " "])
def test_an_unusable_command_is_an_error(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr(sys, "stdin", _Terminal())
    monkeypatch.setenv("EDITOR", command)
    with pytest.raises(SatchelError):
        edit_text("x")


def test_without_a_terminal_the_text_has_to_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(SatchelError) as refused:
        edit_text("x")
    assert refused.value.hint == "give the new text with --text"
