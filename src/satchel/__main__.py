"""`satchel` and `python -m satchel`: the command line, and short ways to what must not wait for the rest of it."""

import os
import sys

from satchel import __version__


def run() -> None:
    """Run the command line of this process, and exit with its code."""
    # Whatever this process creates is for its owner's eyes only.
    os.umask(0o077)
    _replace_closed_streams()
    code = 0
    try:
        code = _performed(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        _discard_the_rest()
    except OSError as error:
        _discard_the_rest()
        if code == 0:
            sys.stderr.write(f"satchel: it was done, but the answer could not be written: {error.strerror}\n")
        code = code or 1
    sys.exit(code)


def _performed(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        sys.stdout.write(f"satchel {__version__}\n")
        return 0
    if "capture" in arguments:
        from satchel.interfaces.hooks import capture as capture_command

        if (given := capture_command.understood(arguments)) is not None:
            return capture_command.run(given)
    if "turn" in arguments:
        from satchel.interfaces.hooks import turn_client as turn_command

        if (turn := turn_command.understood(arguments)) is not None:
            return _turned(arguments, *turn)
    _load_msgspec()
    from satchel.interfaces.cli.main import main

    try:
        return main(arguments)
    except SystemExit as end:
        # So it ends where it was only asked for its help.
        return end.code if isinstance(end.code, int) else 0


def _turned(arguments: list[str], which: str, home: str | None) -> int:
    """Run a hook. Whatever becomes of its answer, the turn goes on: even where nobody takes it, the code is 0."""
    from satchel.interfaces.hooks import turn_client as turn_command

    try:
        if not turn_command.run(which, home):
            _load_msgspec()
            from satchel.interfaces.cli.main import main

            main(arguments)
        sys.stdout.flush()
    except OSError:
        _discard_the_rest()
    return 0


def _replace_closed_streams() -> None:
    """Put the null device where a standard stream was closed: a file opened later would get its number and its output."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  it stays open; pathlib is slow


def _discard_the_rest() -> None:
    """Let what was printed and not taken go nowhere. Python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _load_msgspec() -> None:
    """Load msgspec without typing_extensions, which takes a tenth of a short command and has nothing that it needs.

    It asks for it where it is installed, and does with Python's own typing where it is not. This process is ours alone;
    whoever wants it later on finds it as ever.
    """
    modules: dict[str, object] = sys.modules  # type: ignore[assignment]
    if "typing_extensions" in modules:
        return
    modules["typing_extensions"] = None
    try:
        import msgspec  # noqa: F401
    finally:
        del modules["typing_extensions"]


if __name__ == "__main__":
    run()
