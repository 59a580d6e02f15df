"""Commands that are not operations: servers and hooks. Each imports what it needs when it runs."""

import sys
from argparse import Namespace
from collections.abc import Callable

from msgspec import Struct

from satchel.config import SettingsSources
from satchel.domain.hosts import HOOK_EVENTS
from satchel.errors import InvalidRequest
from satchel.interfaces.failures import writing_output
from satchel.interfaces.operations import Parameter

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
    from satchel.interfaces.cli.serving import serve_agent

    return serve_agent(sources, given)


def _serve(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.cli.serving import serve_store

    return serve_store(sources, given)


def _worker(sources: SettingsSources, given: Namespace) -> int:
    if sources.settings.remote.url:
        from satchel.interfaces.http.served import local_only

        raise local_only("worker")
    from satchel.interfaces.cli.worker import run_worker

    return run_worker(sources, once=given.once)


def _open(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.cli.serving import open_in_browser

    return open_in_browser(sources, given)


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
    with writing_output(done=True):
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
_MCP_CONFIGURATION = """client configuration (Claude Code: .mcp.json; most clients take the same):
  {
    "mcpServers": {
      "satchel": {
        "command": "satchel",
        "args": ["mcp", "--scope", "project/example"]
      }
    }
  }"""
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
        "embed new records in the background, alongside other workers",
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
