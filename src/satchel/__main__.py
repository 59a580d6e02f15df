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
    from satchel.interfaces.cli.main import main

    sys.exit(main(arguments))


if __name__ == "__main__":
    run()
