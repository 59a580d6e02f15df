"""The names of settings."""

from tests.tables import each_case

from satchel.config.catalogue import OPENCLAW_PREFIX
from satchel.config.sources import CATALOGUE

KEYS = {
    "read_only": "readOnly",
    "home": "dbPath",
    "scope_policy.fallback_scopes": "scopePolicy.fallbackScopes",
    "scope_policy.skip_fallback_on_invalid_scope": "scopePolicy.skipFallbackOnInvalidScope",
    "budget.max_chars": "budget.maxChars",
    "receipts.max_items": "receipts.maxItems",
    "embedding.max_chars": "embedding.maxChars",
    "embedding.api_key": "embedding.apiKey",
    "embedding.model": "embedding.model",
}


@each_case(("key", "openclaw"), KEYS.items())
def test_a_setting_has_its_openclaw_key(key: str, openclaw: str) -> None:
    assert CATALOGUE[key].openclaw == openclaw
    assert CATALOGUE.find(openclaw) == CATALOGUE.find(OPENCLAW_PREFIX + openclaw) == CATALOGUE[key]
