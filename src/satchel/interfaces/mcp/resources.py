"""What a client can read by its address: a pack, a memory, a receipt. As the protocol's JSON, made without the SDK.

Each is what a tool answers, within the same bounds.
"""

import re
from typing import Any
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.envelope import Ok
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound, SatchelError
from satchel.interfaces import agents, toolbox
from satchel.interfaces.operations import Session

SCHEME = "satchel://"
MIME_TYPE = "text/plain"
MAX_URI_CHARS = 8_000
_DIGEST = re.compile(r"(?:sha256:)?([0-9a-f]{4,64})")


class Resource(Struct, frozen=True):
    """A kind of resource: its word in the address, and the tool that answers."""

    word: str
    variable: str
    title: str
    description: str
    tool: str
    parameter: str
    needs: str
    """The tool that must be offered for this to be readable."""

    @property
    def template(self) -> str:
        """The form of its addresses."""
        return f"{SCHEME}{self.word}/{{{self.variable}}}"


PACK = Resource(
    "pack",
    "query",
    "Pack",
    "A small, cited bundle of memories, facts and evidence for what the next step is about",
    tool="memory_pack",
    parameter="query",
    needs="memory_pack",
)
MEMORY = Resource(
    "memory",
    "id",
    "Memory",
    "One memory or observation in full, with its source and history",
    tool="memory_get",
    parameter="memory_id",
    needs="memory_get",
)
RECEIPT = Resource(
    "receipt",
    "digest",
    "Receipt",
    "Why an answer was as it was: what was asked, searched, chosen and left out",
    tool="why",
    parameter="receipt",
    # Receipts explain what the agent was told; `why` as a tool adds the newest one, and search by record.
    needs="memory_recall",
)
RESOURCES = (PACK, MEMORY, RECEIPT)


def resource_templates(bounds: agents.Bounds) -> list[dict[str, Any]]:
    """Return the forms of the addresses that can be read."""
    return [
        {
            "uriTemplate": one.template,
            "name": one.word,
            "title": one.title,
            "description": one.description,
            "mimeType": MIME_TYPE,
        }
        for one in RESOURCES
        if _is_offered(one.needs, bounds)
    ]


def read_resource(uri: str, session: Session, bounds: agents.Bounds, client: str) -> dict[str, Any]:
    """Return the contents of an address. Raises SatchelError if there is nothing, or it may not be read."""
    resource, subject = parse_uri(uri)
    if refusal := agents.refusal_of(agents.TOOLS[resource.needs], bounds):
        raise refusal
    answer = _perform(resource.tool, {resource.parameter: subject}, session, bounds, client)
    if isinstance(answer, SatchelError):
        raise answer
    return {"contents": [{"uri": uri, "mimeType": MIME_TYPE, "text": toolbox.text_of(answer)}]}


def parse_uri(uri: str) -> tuple[Resource, str]:
    """Return the kind of resource that an address names, and its subject."""
    word, _, rest = uri.removeprefix(SCHEME).partition("/")
    resource = next((one for one in RESOURCES if one.word == word), None)
    if not uri.startswith(SCHEME) or resource is None:
        templates = ", ".join(one.template for one in RESOURCES)
        raise NotFound(
            f"no resource {replace_undecodable(uri[:80])!a}", code="no_resource", hint=f"there are {templates}"
        )
    subject = _decoded(rest) if len(uri) <= MAX_URI_CHARS else ""
    if resource is RECEIPT:
        digest = _DIGEST.fullmatch(subject)
        subject = f"sha256:{digest[1]}" if digest else ""
    if not subject.strip():
        raise InvalidRequest(f"invalid address of a {word}", code="invalid_address", hint=f"use {resource.template}")
    return resource, subject


def _decoded(text: str) -> str:
    """Return a percent-encoded text; empty if it is not UTF-8."""
    try:
        decoded = unquote(text, errors="strict")
    except UnicodeDecodeError:
        return ""
    return decoded if decoded == replace_undecodable(decoded) else ""


def _perform(
    tool: str, given: dict[str, Any], session: Session, bounds: agents.Bounds, client: str
) -> Ok[Any] | SatchelError:
    # Which tools are offered has been checked: a resource may be read with another tool than the one it needs.
    return agents.perform(session, agents.TOOLS[tool], replace(bounds, only=()), given, client)


def _is_offered(tool: str, bounds: agents.Bounds) -> bool:
    return agents.refusal_of(agents.TOOLS[tool], bounds) is None
