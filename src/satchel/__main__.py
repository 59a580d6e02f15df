"""`satchel` and `python -m satchel`: the command line, with fast paths for --version, --help, hooks and MCP."""

import os
import sys

from satchel import __version__, interrupts


def start() -> None:
    """Run the command line as a program of its own.

    It exits at once: all is written and closed by then, and unloading the modules takes 15 ms, the model 40.
    """
    interrupts.end_on_interrupt()
    try:
        run()
    except KeyboardInterrupt:
        interrupts.end_process()
    except SystemExit as end:
        _flush_errors()
        if interrupts.was_interrupted():
            interrupts.end_process()
        os._exit(end.code if isinstance(end.code, int) else 1)


def _flush_errors() -> None:
    try:  # noqa: SIM105  contextlib would have to be loaded before Ctrl-C is handled
        sys.stderr.flush()
    except OSError:
        pass


def run() -> None:
    """Run the command line and exit with its code."""
    # New files are private to their owner.
    os.umask(0o077)
    # Its products are small: a thread for each core that waits for the next one costs more than it saves.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _replace_closed_streams()
    code = 0
    try:
        code = _run_command(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        if code == 0:
            from satchel.interfaces.failures import unwritable_output

            sys.stderr.write(f"satchel: {unwritable_output(error, done=True).message}\n")
        code = code or 1
    sys.exit(code)


def _run_command(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        sys.stdout.write(f"satchel {__version__}\n")
        return 0
    if arguments in ([], ["help"], ["--help"], ["-h"]):
        from satchel.interfaces.cli.overview import overview

        sys.stdout.write(overview())
        return 0
    if "capture" in arguments:
        from satchel.interfaces.hooks import capture

        if (options := capture.parse_arguments(arguments)) is not None:
            return capture.run(options)
    if "hook" in arguments:
        from satchel.interfaces.hooks import hook

        if (event := hook.parse_arguments(arguments)) is not None:
            return hook.run(event, _load_msgspec)
    if "turn" in arguments:
        from satchel.interfaces.hooks import turn_client

        if (turn := turn_client.parse_arguments(arguments)) is not None:
            return _run_turn_hook(*turn)
    if arguments[:1] == ["mcp"] and not {"-h", "--help"} & set(arguments):
        from satchel.interfaces.mcp import opening

        # Before anything is loaded: a host waits for the first answer.
        opening.begin()
    _load_msgspec()
    from satchel.interfaces.cli.main import main

    try:
        return main(arguments)
    except SystemExit as end:
        # argparse exits after --help.
        return end.code if isinstance(end.code, int) else 0


def _run_turn_hook(which: str, home: str | None) -> int:
    """Run a turn hook. A failure must not stop the host's turn: the exit code is 0, or 1 if `turn after` kept not everything."""
    from satchel.interfaces.hooks import turn_client

    code = None
    try:
        asked, code = turn_client.run(which, home)
        if code is None:
            _load_msgspec()
            from satchel.interfaces.hooks import turn

            code = turn.run(which, home, ask_server=not asked)
        sys.stdout.flush()
    except OSError:
        _discard_output()
    return code or 0


def _replace_closed_streams() -> None:
    """Open the null device for closed standard streams; a file opened later would reuse their descriptor."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115  it stays open; pathlib is slow


def _discard_output() -> None:
    """Discard unwritten output, which Python would try to flush again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _load_msgspec() -> None:
    """Import msgspec without typing_extensions, which takes a tenth of the time of a short command.

    msgspec imports it only if it is installed. Later imports of it work as usual.
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
    start()
