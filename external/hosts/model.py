"""A mock model on loopback: it logs every request and answers by a convention in the user's words.

The last text of the user decides. `CALL:tool {"argument": 1}` asks for that tool; once a result follows, and for any other
text, the answer is a text. `CALL:shell {"command": "…"}` works in every host, whatever its shell tool is called. `HOLD`
keeps the host waiting for the text until `release()`.
"""

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from external.hosts.wire import CHAT, MESSAGES, RESPONSES, Answer, Json, Request, written

PATIENCE = 120.0
"""Seconds to wait for a request that a slow machine will make."""
CALL = re.compile(r"CALL:(\w+)\s*")
SHELL: dict[str, Callable[[str], Json]] = {
    "Bash": lambda command: {"command": command, "description": "Run a command"},
    "exec_command": lambda command: {"cmd": command},
    "shell_command": lambda command: {"command": command},
    "shell": lambda command: {"command": ["bash", "-lc", command]},
    "exec": lambda command: {"command": command},
}
"""How the hosts call their shell tool, and its arguments."""


class Model:
    """A model that runs while the context is open; `url` is its address without `/v1`."""

    def __init__(self, answer: str = "Understood.") -> None:
        self.answer = answer
        self._log: list[Request] = []
        self._came = threading.Condition()
        self._released = threading.Event()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *failure: object) -> None:
        self.release()
        self._server.shutdown()
        self._server.server_close()

    @property
    def requests(self) -> list[Request]:
        """The requests so far, oldest first."""
        with self._came:
            return list(self._log)

    def forget(self) -> None:
        """Empty the log, and hold requests again that ask for it."""
        with self._came:
            self._log.clear()
            self._released.clear()

    def release(self) -> None:
        """Answer the requests that are held, and hold no more."""
        self._released.set()

    def wait_for(self, words: str) -> Request:
        """Return the first request whose text has these words, waiting for it."""
        with self._came:
            self._came.wait_for(lambda: self._first(words), timeout=PATIENCE)
            if found := self._first(words):
                return found
        raise AssertionError(f"no request to the model said {words!r}")

    def _first(self, words: str) -> Request | None:
        return next((request for request in self._log if words in request.text), None)

    def respond(self, request: Request) -> tuple[str, bytes]:
        """Log a request and return the content type and the body of its answer."""
        with self._came:
            self._log.append(request)
            number = len(self._log)
            self._came.notify_all()
        call = _call(request)
        if call is None and re.search(r"\bHOLD\b", request.asked):
            self._released.wait(PATIENCE)
        return written(request, call or Answer(self.answer), number)


def _call(request: Request) -> Answer | None:
    """Return the tool call that the user's last text asks for; the last one, as recalled memories may come before it."""
    found = list(CALL.finditer(request.asked))
    if request.answered or not found:
        return None
    name, rest = found[-1][1], request.asked[found[-1].end() :]
    arguments: Json = json.JSONDecoder().raw_decode(rest)[0] if rest.startswith("{") else {}
    if name == "shell":
        name = next(tool for tool in SHELL if tool in request.tools)
        arguments = SHELL[name](arguments["command"])
    return Answer(tool=name, arguments=arguments)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep silent: a host that is killed hangs up in the middle of an answer."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_HEAD(self) -> None:
        self._send("text/plain", b"")

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "mock", "object": "model", "created": 1, "owned_by": "mock"}]})

    def do_POST(self) -> None:
        path = self.path.partition("?")[0]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
        if path in {CHAT, MESSAGES, RESPONSES}:
            self._send(*self.server.model.respond(Request(path, body)))
        else:
            # Claude Code also counts tokens here.
            self._json({"input_tokens": 1})

    def _json(self, value: Json) -> None:
        self._send("application/json", json.dumps(value).encode())

    def _send(self, kind: str, body: bytes) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the requests are kept whole."""
