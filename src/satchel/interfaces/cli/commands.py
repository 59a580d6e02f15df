"""Commands that are not operations: servers and hooks. Each imports what it needs when it runs."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok, outcome_of
from satchel.domain.hosts import HOOK_EVENTS
from satchel.domain.moment import iso
from satchel.domain.receipt import Receipt
from satchel.domain.scope import check_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.operations import Parameter
from satchel.wiring.adapters import ledger_path, scope_policy_in, store_exists

if TYPE_CHECKING:
    from satchel.interfaces.http.binding import Binding

MAX_PORT = 65_535
SHELLS = ("bash", "zsh", "fish")


class Command(Struct, frozen=True):
    """A command that is not an operation: its help, its parameters, and a function that returns the exit code."""

    name: str
    help: str
    run: Callable[[SettingsSources, Namespace], int]
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    examples: tuple[str, ...] = ()
    epilog: str = ""


def _mcp(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.agents import Bounds, chosen_tools
    from satchel.interfaces.http.served import local_only

    settings = sources.settings
    if settings.remote.url:
        raise local_only("mcp", f"give the host the address {settings.remote.url.rstrip('/')}/mcp and a token instead")
    policy = scope_policy_in(settings.scope_policy, os.curdir)
    scope = None if given.scope is None else check_scope(given.scope, policy)
    bounds = Bounds(
        scope,
        given.read_only or settings.read_only,
        _folder_for_files(given.files),
        chosen_tools(given.tools or ()),
        follows_project=given.scope == AUTO_SCOPE,
    )
    from satchel.interfaces.mcp.start import serve

    return serve(settings, bounds)


def _serve(sources: SettingsSources, given: Namespace) -> int:
    settings = sources.settings
    home, screen = ledger_path(settings).parent, Screen(as_json=getattr(given, "json", False))
    _check_port(given.port)
    if getattr(given, "url", None):
        from satchel.interfaces.http.served import local_only

        raise local_only("serve")
    binding = _binding(given)
    if given.status or given.stop:
        from satchel.interfaces.http.control import status_of, stop

        if given.stop:
            from satchel.adapters.server_files import ServerFiles

            was_running = ServerFiles(home).is_running()
            screen.show(_status_answer(stop(home)), view=_stopped_lines if was_running else _server_lines)
            return 0
        found = status_of(home)
        screen.show(_status_answer(found), view=_server_lines)
        return outcome_of(found)
    if not given.on_demand:
        from satchel.interfaces.http.control import stop_on_demand

        stop_on_demand(home)
    elif not store_exists(settings):
        # It was removed since a hook asked for the server, which must not create it again.
        raise NotFound(f"no store in {home}", hint="'satchel serve' without --on-demand creates one")
    from satchel.interfaces.http.server import serve

    def announce(status: ServerStatus) -> None:
        screen.show(_status_answer(status), view=_server_lines)
        # The process that started the server may be waiting for this line on a pipe.
        sys.stdout.flush()

    files = _folder_for_files(given.files)
    return serve(home, given.port, files, announce, on_demand=given.on_demand, binding=binding)


def _worker(sources: SettingsSources, given: Namespace) -> int:
    if sources.settings.remote.url:
        from satchel.interfaces.http.served import local_only

        raise local_only("worker")
    from satchel.interfaces.cli.worker import run_worker

    return run_worker(sources, once=given.once)


def _binding(given: Namespace) -> "Binding | None":
    """Return where other machines reach the server; None if they do not."""
    if given.bind is None:
        if given.tls_cert or given.tls_key or given.behind_proxy or given.host_name:
            raise InvalidRequest(
                "nothing to encrypt: the server listens on this machine alone",
                code="bad_bind",
                hint="give --bind ADDRESS:PORT too, such as --bind 0.0.0.0:7711",
            )
        return None
    from satchel.interfaces.http.binding import make_binding

    return make_binding(
        given.bind,
        certificate=given.tls_cert,
        key=given.tls_key,
        names=given.host_name or (),
        behind_proxy=given.behind_proxy,
    )


def _open(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.http.open_inspector import open_inspector, open_remote_inspector, show_in_browser

    _check_port(given.port)
    if sources.settings.remote.url:
        opened = open_remote_inspector(sources.settings.remote)
    else:
        opened = open_inspector(sources.settings, given.port)
    shown = given.browser and show_in_browser(opened.address)
    receipt = Receipt("open", asked={}, decided={"port": opened.port}, at=time.time_ns() // 1_000_000)
    screen = Screen(as_json=getattr(given, "json", False))
    screen.show(Ok(opened, receipt), view=_opened_in_browser if shown else _address_lines)
    return 0


def _opened_in_browser(result: InspectorAddress) -> Lines:
    yield f"opened the inspector in your browser: {result.address.partition('/open')[0]}", ""


def _address_lines(result: InspectorAddress) -> Lines:
    here = " on this machine" if result.address.startswith("http://127.0.0.1:") else ""
    yield f"open this address in a browser{here} within a minute; it works once:", ""
    yield f"  {result.address}", "bold"


def _server_lines(result: ServerStatus) -> Lines:
    if not result.running:
        yield f"no server is running for {result.home}", ""
        return
    yield f"serving {result.home}", "bold"
    if result.problem:
        yield f"  process {result.pid}: {result.problem}", "red"
        return
    yield f"  process {result.pid}, version {result.version}, since {iso(result.since or 0)}", "dim"
    if result.idle_end is not None:
        yield f"  started on demand; ends at {iso(result.idle_end)} if nobody uses it until then", "dim"
    yield f"  socket {result.socket}", ""
    if result.port is not None:
        yield f"  http://127.0.0.1:{result.port}", ""
    if result.url is not None:
        yield f"  {result.url}, on {result.bind}", ""
    if not result.current:
        yield "  it has other settings than yours: commands do not use it until it is restarted", "yellow"


def _stopped_lines(result: ServerStatus) -> Lines:
    yield f"stopped the server for {result.home}", ""


def _status_answer(status: ServerStatus) -> Ok[ServerStatus]:
    return Ok(status, Receipt("serve", asked={}, decided={"running": status.running}, at=time.time_ns() // 1_000_000))


def _check_port(port: int | None) -> None:
    if port is not None and not 0 <= port <= MAX_PORT:
        raise InvalidRequest(f"invalid port {port}", code="bad_port", hint=f"0 to {MAX_PORT}; 0 for any")


def _folder_for_files(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    with suppress(RuntimeError):  # an unknown user has no home folder
        folder = folder.expanduser()
    # An empty name would mean the current folder.
    if not name.strip() or not folder.is_dir():
        raise InvalidRequest(f"{name[:80]!r} is not a folder", code="not_a_folder", hint="create it first")
    return folder.resolve()


_MCP_CONFIGURATION = """client configuration (Claude Code: .mcp.json; most clients take the same):
  {
    "mcpServers": {
      "satchel": {
        "command": "satchel",
        "args": ["mcp", "--scope", "project/example"]
      }
    }
  }"""


def _hook(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks import hook

    home = getattr(given, "home", None)
    return hook.run(hook.HookArguments(given.host, given.event, home, given.scope, given.input), lambda: None)


def _turn_start(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks.turn import start

    return start(sources, given.input, given.scope)


def _turn_before(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks.turn import before

    return before(sources, given.input, given.scope)


def _turn_after(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks.turn import after

    return after(sources, given.input, given.scope)


def _completion(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.cli.completion import completion_script

    if given.shell not in SHELLS:
        raise InvalidRequest(
            f"unknown shell {given.shell[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(SHELLS)}"
        )
    sys.stdout.write(completion_script(given.shell))
    return 0


def _help(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.cli.parser import parse_command_line

    parse_command_line([*given.words, "--help"])
    return 0


_TURN_PARAMETERS = (
    Parameter(name="input", help="the input; standard input if omitted or '-'", positional=True),
    Parameter(
        name="scope", help="scope of the turn, whatever the input says; auto is the project of the host's folder"
    ),
)
_HOOK_SETTINGS = """in .claude/settings.json ('satchel install claude-code' writes all of them):
  {"hooks": {"UserPromptSubmit": [{"hooks": [
    {"type": "command", "command": "satchel hook claude-code UserPromptSubmit"}]}]}}
standard output, if there is anything to say:
  {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "<relevant-memories>…"}}"""
_START_INPUT = """the input, one object, which may be empty:
  {"cwd": "/srv/shop", "scope": "auto"}
or what Claude Code, Codex or Gemini CLI sends at the start of a session
standard output: {"ok": true, "result": {"block": "<relevant-memories>…", …}, "receipt": …}"""
_BEFORE_INPUT = """the input, one object:
  {"prompt": "which day do we ship?", "scope": "project/shop",
   "messages": [{"role": "user", "content": "hello"}]}
or what Claude Code (UserPromptSubmit), Codex or OpenClaw (before_prompt_build) sends
standard output: {"ok": true, "result": {"block": "<relevant-memories>…", …}, "receipt": …}"""
_AFTER_INPUT = """the input, one object:
  {"messages": [{"role": "user", "content": "From now on, always use tabs."}],
   "scope": "project/shop", "session": "s1"}
or what Claude Code (Stop), Codex (notify, Stop) or OpenClaw (agent_end) sends
standard output: {"ok": true, "result": {"captured": […], …}, "receipt": …}"""
_COMPLETION_SETUP = """bash, with the package bash-completion:
  mkdir -p ~/.local/share/bash-completion/completions
  satchel completion bash > ~/.local/share/bash-completion/completions/satchel
bash without it:
  satchel completion bash > ~/.satchel-completion.bash
  echo 'source ~/.satchel-completion.bash' >> ~/.bashrc
zsh:
  mkdir -p ~/.zfunc && satchel completion zsh > ~/.zfunc/_satchel
  echo 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit' >> ~/.zshrc
fish:
  mkdir -p ~/.config/fish/completions
  satchel completion fish > ~/.config/fish/completions/satchel.fish
then open a new shell"""
_TURN_INPUT = "Takes one JSON object. Keys that it does not know are ignored with a warning. "
_NEVER_FAILS = _TURN_INPUT + "If anything goes wrong, it exits with 0 and an empty answer that says why."
_NAMES_WHAT_IS_LOST = _TURN_INPUT + "If something could not be kept, it exits with 1, and the answer says what and why."
_SERVE_REQUEST = """a request of a program:
  curl --unix-socket ~/.local/share/satchel/serve.sock http://localhost/v1/recall \\
    -H "Authorization: Bearer $(cat ~/.local/share/satchel/serve.token)" --json '{"query": "release day"}'"""

COMMANDS: tuple[Command, ...] = (
    Command(
        "hook",
        "handle a hook event of an agent host: recall, capture, or both",
        _hook,
        parameters=(
            Parameter(
                name="host", help="the host that calls", positional=True, required=True, choices=tuple(HOOK_EVENTS)
            ),
            Parameter(name="event", help="the host's name of the event", positional=True, required=True),
            Parameter(name="input", help="the input; standard input if omitted or '-'", positional=True),
            Parameter(name="scope", help="scope of the session; the project of the host's folder if omitted"),
        ),
        details="Takes the host's own JSON and answers in the host's own form. Always exits with 0 and prints nothing else: "
        "'satchel doctor' shows what failed.\n"
        + "\n".join(f"  {host}: {', '.join(events)}" for host, events in HOOK_EVENTS.items()),
        examples=("""echo '{"prompt": "which day do we ship?"}' | satchel hook claude-code UserPromptSubmit""",),
        epilog=_HOOK_SETTINGS,
    ),
    Command(
        "turn start",
        "print the rules, decisions and preferences of a project, for the start of a session",
        _turn_start,
        parameters=_TURN_PARAMETERS,
        details=_NEVER_FAILS,
        examples=("""echo '{"cwd": "/srv/shop"}' | satchel turn start --scope auto""",),
        epilog=_START_INPUT,
    ),
    Command(
        "turn before",
        "print the memories for a prompt, for a host to prepend",
        _turn_before,
        parameters=_TURN_PARAMETERS,
        details=_NEVER_FAILS,
        examples=("""echo '{"prompt": "which day do we ship?"}' | satchel turn before --scope project/shop""",),
        epilog=_BEFORE_INPUT,
    ),
    Command(
        "turn after",
        "capture preferences and decisions from a turn",
        _turn_after,
        parameters=_TURN_PARAMETERS,
        details=_NAMES_WHAT_IS_LOST,
        examples=("""echo '{"messages": [{"role": "user", "content": "Always use tabs."}]}' | satchel turn after""",),
        epilog=_AFTER_INPUT,
    ),
    Command(
        "mcp",
        "serve an agent over MCP on standard input and output",
        _mcp,
        parameters=(
            Parameter(
                name="scope",
                help="run every call in this scope; the agent cannot name another. auto is the project of the folder, and "
                "recalls that find too little there look in global too",
            ),
            Parameter(name="read_only", help="offer only tools that change nothing", type=bool, default=False),
            Parameter(
                name="files",
                help="folder in which the agent may export and import; neither is possible without it",
                metavar="FOLDER",
            ),
            Parameter(
                name="tools",
                help="offer these tools instead of the everyday seven: names with commas between, or all",
                repeated=True,
                default=(),
                metavar="NAMES",
            ),
        ),
        details="An MCP client starts it, and it ends with the client. It answers at once; a store that cannot be opened is an "
        "error of the calls. What an agent stores is untrusted; its source is the client. 'satchel serve' offers the same over "
        "HTTP, at /mcp.",
        examples=(
            "satchel mcp --scope auto",
            "satchel mcp --scope project/shop --read-only",
            "satchel mcp --tools memory_recall,graph_path",
        ),
        epilog=_MCP_CONFIGURATION,
    ),
    Command(
        "serve",
        "keep the store open for your other commands and for programs",
        _serve,
        parameters=(
            Parameter(name="port", help="listen on this port of 127.0.0.1 as well", type=int),
            Parameter(
                name="bind",
                help="let users from other machines in, on this address and port; beyond this machine it needs TLS",
                metavar="ADDRESS:PORT",
            ),
            Parameter(name="tls_cert", help="certificate of --bind, with its chain, in PEM", metavar="FILE"),
            Parameter(name="tls_key", help="private key of the certificate, which only you can read", metavar="FILE"),
            Parameter(
                name="host_name",
                help="name by which clients reach --bind, with a port if it differs",
                repeated=True,
                default=(),
                metavar="NAME",
            ),
            Parameter(
                name="behind_proxy",
                help="a proxy in front of --bind terminates TLS, so the server itself does not encrypt",
                type=bool,
                default=False,
            ),
            Parameter(
                name="files",
                help="folder in which agents may export and import; neither is possible without it",
                metavar="FOLDER",
            ),
            Parameter(
                name="on_demand",
                help="end when unused for serve.idle_minutes, or when the store or its settings change; log to serve.log",
                type=bool,
                default=False,
            ),
            Parameter(name="status", help="show whether a server is running for this store", type=bool, default=False),
            Parameter(
                name="stop", help="stop the server, after it finished what it was doing", type=bool, default=False
            ),
        ),
        details="Commands use it if it has the same settings, and answer the same without it. It listens on a socket in "
        "the store's folder, which only you can use, until Ctrl-C or --stop.",
        examples=(
            "satchel serve",
            "satchel serve --port 7788",
            "satchel serve --bind 0.0.0.0:7711 --host-name memory.example.com --tls-cert cert.pem --tls-key key.pem",
            "satchel serve --status",
        ),
        epilog=_SERVE_REQUEST,
    ),
    Command(
        "worker",
        "embed what was stored, as it comes, next to other workers",
        _worker,
        parameters=(Parameter(name="once", help="end when nothing waits any more", type=bool, default=False),),
        details="Any number of workers, on any machine, share the work for a store in PostgreSQL: each claims texts that no other "
        "has claimed, and hears at once of a write. For a store in a file one worker at a time works, and looks every second. "
        "What a worker that was killed had claimed is free again. It runs until Ctrl-C, or until the file of its store is replaced.",
        examples=("satchel worker", "satchel --store postgresql://satchel@db.example.org/satchel worker --once"),
    ),
    Command(
        "open",
        "open the inspector, pages about your store, in the browser",
        _open,
        parameters=(
            Parameter(
                name="browser",
                help="open a browser",
                off="print the address instead of opening a browser",
                type=bool,
                default=True,
            ),
            Parameter(name="port", help="listen on this port of 127.0.0.1; any free one if omitted", type=int),
        ),
        details="Uses the running server, or starts one that ends when it is unused; with --url or SATCHEL_URL, the server there, "
        "as a user with the role operator in every scope. The address lets one browser in, "
        "once and within a minute; its session ends with the server or after 12 hours without use.",
        examples=("satchel open", "satchel open --no-browser"),
    ),
    Command(
        "completion",
        "print a script that completes commands in your shell",
        _completion,
        parameters=(Parameter(name="shell", help="bash, zsh or fish", positional=True, required=True, choices=SHELLS),),
        details="It completes commands, options, the values of options where they are known, and file names. It is a plain "
        "script: write it to a file once, and again after an update of Satchel.",
        examples=tuple(f"satchel completion {shell}" for shell in SHELLS),
        epilog=_COMPLETION_SETUP,
    ),
    Command(
        "help",
        "show the help of a command",
        _help,
        parameters=(
            Parameter(
                name="words", help="the command; all of them if omitted", positional=True, repeated=True, flag="command"
            ),
        ),
        details="The same as --help after the command.",
        examples=("satchel help recall", "satchel help graph path"),
    ),
)
