"""A browser without a screen: sessions, pages and forms over raw HTTP."""

import re
from collections.abc import Mapping
from html import unescape
from urllib.parse import urlencode

from tests.interfaces.http.running import Reply, Server


class Browser:
    """A browser that entered the inspector of a server with `satchel open`'s one-time address."""

    def __init__(self, server: Server) -> None:
        self.server = server
        entered = self._send("GET", self.entry(), {})
        assert entered.status == 303, entered.body
        self.cookie = entered.headers["set-cookie"].partition(";")[0]

    def entry(self) -> str:
        """Return a new one-time address, without its host."""
        address: str = self.server.ask("/v1/open").json["result"]["address"]
        return address.partition(f":{self.server.status['port']}")[2]

    def get(self, path: str) -> "Document":
        """Load a page, which must be there."""
        reply = self.reply(path)
        assert reply.status == 200, reply.body.decode()
        return Document(reply)

    def reply(self, path: str, **headers: str | None) -> Reply:
        """Load anything."""
        return self._send("GET", path, {"Cookie": self.cookie, **headers})

    def submit(self, path: str, form: Mapping[str, str], **headers: str | None) -> Reply:
        """Submit a form of a page of this session."""
        token = self.get("/").form_token
        return self.post(path, {"form_token": token, **form}, **headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str | None) -> Reply:
        """Submit a form as it is given."""
        body = urlencode(form).encode()
        usual: dict[str, str | None] = {
            "Cookie": self.cookie,
            "Origin": f"http://127.0.0.1:{self.server.status['port']}",
            "Content-Type": "application/x-www-form-urlencoded",
            "Content-Length": str(len(body)),
        }
        return self._send("POST", path, usual | headers, body)

    def _send(self, method: str, path: str, headers: Mapping[str, str | None], body: bytes = b"") -> Reply:
        return self.server.ask(path, body, method=method, headers={"Authorization": None, **headers}, tcp=True)


class Document:
    """A page, as text and as markup."""

    def __init__(self, reply: Reply) -> None:
        self.html = reply.body.decode()

    @property
    def text(self) -> str:
        """What it says, on one line."""
        return " ".join(unescape(re.sub(r"<[^>]*>", " ", self.html)).split())

    @property
    def form_token(self) -> str:
        """The token that the forms of its session carry."""
        return self.html.partition('name="form_token" value="')[2].partition('"')[0]

    def links(self, beginning: str = "") -> list[str]:
        """The addresses of its links, in order."""
        found = map(unescape, re.findall(r'href="([^"]*)"', self.html))
        return [one for one in found if one.startswith(beginning)]
