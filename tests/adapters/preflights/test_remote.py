"""The preflight check of a server."""

from satchel.adapters.preflights.remote import RemotePreflight
from satchel.domain.preflight import PreflightStatus, WriteIntent
from satchel.domain.record import SourceKind, Trust
from tests.adapters import servers
from tests.canary import MASKED, TOKEN


def test_secrets_are_masked_before_a_write_is_sent() -> None:
    intent = WriteIntent(f"the key is {TOKEN}", SourceKind.TOOL, Trust.UNTRUSTED, "global")
    with servers.friendly(lambda request: {"status": "allow", "reasons": []}) as server:
        verdict = RemotePreflight(server.url, 5.0).check(intent)

    assert verdict.status is PreflightStatus.ALLOW
    [request] = server.requests
    assert (request["text"], request["source_kind"]) == (f"the key is {MASKED}", "tool")
