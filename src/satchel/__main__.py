"""`satchel` and `python -m satchel`: the command line, and short ways to what must not wait for the rest of it."""

import os
import sys

from satchel import __version__


def run() -> None:
    """Run the command line of this process, and exit with its code."""
    # Whatever this process creates is for its owner's eyes only.
    os.umask(0o077)
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(f"satchel {__version__}\n")
        sys.exit(0)
    if "capture" in arguments:
        from satchel.interfaces import capture_command

        if (given := capture_command.understood(arguments)) is not None:
            sys.exit(capture_command.run(given))
    if "turn" in arguments:
        from satchel.interfaces import turn_command

        if (turn := turn_command.understood(arguments)) is not None and turn_command.run(*turn):
            sys.exit(0)
    _load_msgspec()
    from satchel.interfaces.cli.main import main

    sys.exit(main(arguments))


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
