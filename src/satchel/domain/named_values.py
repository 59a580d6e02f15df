"""Mask a value by the name of its field: `"password": "correct horse"` has a secret, the value alone looks like prose."""

from collections.abc import Sequence

from satchel.domain.safety.redact import Redacted, redacted
from satchel.domain.safety.secret_rule import SecretRule


def redacted_value(name: str, text: str, rules: Sequence[SecretRule]) -> Redacted:
    """Mask a value by its field name as well as by its content."""
    before = f'"{name}": "'
    clean = redacted(f'{before}{text}"', rules)
    if not clean.found:
        return Redacted(text)
    if not (clean.text.startswith(before) and clean.text.endswith('"')):
        return Redacted(f"[redacted:{clean.found[0][0]}]", clean.found)
    inner = clean.text[len(before) : -1]
    # A quote inside a password would end the match early and leave the rest readable.
    whole = inner.startswith("[redacted:") and not any(letter.isspace() for letter in text)
    return Redacted(inner.partition("]")[0] + "]" if whole else inner, clean.found)
