"""OpenClaw with its gateway: configured for the mock model, with the plugin of Satchel in its memory slot."""

import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from external.hosts.model import Model
from external.hosts.scratch import PROGRAMS, SATCHEL, Scratch, eventually
from external.hosts.wire import Request

PLUGIN = Path(__file__).parent.parent.parent / "plugins" / "openclaw"
SCOPE = "project/acme/shop"
"""The scope of the agent's workspace."""
TOKEN = "gateway-token"
SECONDS = 120.0
# The host's own notes, which it sends as a last message of the user.
INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"


class OpenClawModel(Model):
    """A mock model to which the last words of the user are the user's own."""

    def respond(self, request: Request) -> tuple[str, bytes]:
        """Answer without the host's own notes."""
        messages = [one for one in request.body["messages"] if not _is_note(one)]
        return super().respond(Request(request.path, request.body | {"messages": messages}))


def _is_note(message: dict[str, Any]) -> bool:
    return message["role"] == "user" and INTERNAL in json.dumps(message["content"])[: 2 * len(INTERNAL) + 40]


class OpenClaw:
    """One gateway at a time, in a scratch home. The store exists already, as an installation leaves it."""

    def __init__(self, scratch: Scratch, model: Model) -> None:
        self.scratch, self.model = scratch, model
        self.workspace = scratch.project("shop")
        self.files = scratch.home / "files"
        self.files.mkdir()
        self.port = _free_port()
        self._gateway: subprocess.Popen[bytes] | None = None
        self.log = scratch.home / "gateway.log"
        scratch.satchel("store", "The canteen opens at noon.", "--scope", SCOPE)
        notes = scratch.home / "notes"
        notes.mkdir()
        (notes / "canteen.md").write_text("# Canteen\n\nThe canteen serves soup on Mondays.\n", encoding="utf-8")
        scratch.satchel("config", "set", "docs_cold_lane.source_roots", str(notes))
        self.configure()

    @property
    def variables(self) -> dict[str, str]:
        """The environment of the host."""
        state = self.scratch.home / ".openclaw"
        return self.scratch.variables | {
            "OPENCLAW_STATE_DIR": str(state),
            "OPENCLAW_CONFIG_PATH": str(self.configuration),
        }

    @property
    def configuration(self) -> Path:
        """The file of the host's configuration."""
        return self.scratch.home / ".openclaw" / "openclaw.json"

    def configure(self, slot: str = "satchel", **settings: Any) -> None:
        """Write the configuration of the host, with a plugin in the memory slot and settings for ours."""
        model = {
            "id": "mock",
            "name": "Mock",
            "reasoning": False,
            "input": ["text"],
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
            "contextWindow": 131072,
            "maxTokens": 4096,
        }
        provider = {"baseUrl": f"{self.model.url}/v1", "apiKey": "none", "api": "openai-completions", "models": [model]}
        ours = {"command": str(SATCHEL), "files": str(self.files), **settings}
        configuration = {
            "gateway": {
                "mode": "local",
                "port": self.port,
                "bind": "loopback",
                "auth": {"mode": "token", "token": TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "tools": {"toolSearch": False},
            "agents": {"defaults": {"workspace": str(self.workspace), "model": {"primary": "mockp/mock"}}},
            "models": {"mode": "merge", "providers": {"mockp": provider}},
            "plugins": {
                "load": {"paths": [str(PLUGIN)]},
                "slots": {"memory": slot},
                "entries": {
                    "satchel": {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": ours},
                },
            },
        }
        self.configuration.parent.mkdir(exist_ok=True)
        self.configuration.write_text(json.dumps(configuration, indent=2), encoding="utf-8")

    def start(self) -> None:
        """Start the gateway, unless it runs, and wait until it performs tools."""
        if self._gateway is not None:
            return
        with self.log.open("ab") as log:
            self._gateway = subprocess.Popen(
                [str(PROGRAMS / "openclaw"), "gateway", "run", "--port", str(self.port), "--bind", "loopback"],
                env=self.variables,
                cwd=self.scratch.home,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        assert eventually(self._is_ready), self.log.read_text(encoding="utf-8", errors="replace")[-4_000:]

    def _is_ready(self) -> bool:
        assert self._gateway is not None and self._gateway.poll() is None, "the gateway has ended"
        try:
            return self.invoke("memory_search", {"query": "canteen"})[0] == 200
        except OSError:
            return False

    def kill(self) -> None:
        """Kill the gateway and what it has started, but not Satchel's server, which is no child of it."""
        if self._gateway is not None:
            os.killpg(self._gateway.pid, signal.SIGKILL)
            self._gateway.wait()
            self._gateway = None

    def invoke(self, tool: str, arguments: object) -> tuple[int, Any]:
        """Call a tool without a model; return the status and the answer."""
        return self._post("/tools/invoke", {"tool": tool, "args": arguments}, {})

    def result(self, tool: str, arguments: object) -> Any:
        """Return what a tool answered."""
        status, answer = self.invoke(tool, arguments)
        assert status == 200, answer
        return answer["result"]

    def say(self, text: str, session: str) -> list[Request]:
        """Run a turn in a session and return the requests that it made to the model."""
        before = len(self.model.requests)
        body = {"model": "openclaw", "messages": [{"role": "user", "content": text}]}
        status, answer = self._post("/v1/chat/completions", body, {"x-openclaw-session-key": f"agent:main:{session}"})
        assert status == 200 and self.model.answer in json.dumps(answer), answer
        return self.model.requests[before:]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the host to its end."""
        return subprocess.run(
            [str(PROGRAMS / "openclaw"), *arguments],
            env=self.variables,
            cwd=self.scratch.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )

    def servers(self) -> list[int]:
        """Return the processes that serve the store."""
        return [pid for pid, line in self.scratch.ours().items() if " serve " in line]

    def kill_server(self) -> None:
        """Kill the server of the store, with no time to tidy up."""
        for pid in self.servers():
            os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: not self.servers())

    def _post(self, path: str, body: object, headers: dict[str, str]) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            json.dumps(body).encode(),
            {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                return reply.status, json.load(reply)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read() or b"null")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
