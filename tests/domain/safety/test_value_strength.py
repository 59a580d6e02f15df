"""How much a value looks like a secret by itself."""

from satchel.domain.safety.value_strength import Strength, looks_chosen, strength
from tests.tables import each_case


@each_case(
    ("value", "expected"),
    [
        ("harbor", Strength.ORDINARY),
        ("web1", Strength.ORDINARY),
        ("db_primary", Strength.ORDINARY),
        ("2024-03-01", Strength.ORDINARY),
        ("10.0.0.4:5432", Strength.ORDINARY),
        ("lea@example.org", Strength.ORDINARY),
        ("app@cache.internal:6379/0", Strength.ORDINARY),
        ("src/app/login2.py", Strength.ORDINARY),
        ("https://example.org/a1", Strength.ORDINARY),
        ("repo#142", Strength.ORDINARY),
        ("left-pad@1.3.0", Strength.ORDINARY),
        ("mode=fast2", Strength.ORDINARY),
        ("#d0d0d0", Strength.ORDINARY),
        ("ISO27001", Strength.ORDINARY),
        ("SIGNATURE_HMAC_SHA256", Strength.WORDY),
        ("KeePassXC", Strength.ORDINARY),
        ("ChaCha20Poly1305", Strength.WORDY),
        ("6fa459ea-ee8a-3ca4-894e-db77e160355e", Strength.ORDINARY),
        ("a sentence with 3 words", Strength.ORDINARY),
        ("README.md", Strength.ORDINARY),
        ("reset-your-password", Strength.ORDINARY),
        ("Test2::Util::HashBase", Strength.ORDINARY),
        ("sheep-in-fog", Strength.JOINED),
        ("lantern42", Strength.MIXED),
        ("Gravel.Road", Strength.MIXED),
        ("Übermut_3", Strength.MIXED),
        ("K7QF-92XD-PLM4", Strength.CERTAIN),
        ("winter7-harbor-lantern", Strength.WORDY),
        ("WinterDriver32", Strength.WORDY),
        ("9be86603ff18325aa584a2cdb9617d2e", Strength.HEX),
        ("compass1490", Strength.CHOSEN),
        ("m4rk3t", Strength.CHOSEN),
        ("harbor+winter842", Strength.SIGNED),
        ("Socket433*", Strength.SIGNED),
        ("7L#r1PgjblP278!x", Strength.CERTAIN),
        ("bFrOR2hdbQgEqWZoC7yZHgZ58dJ2", Strength.CERTAIN),
    ],
)
def test_a_value_is_ranked_by_its_characters(value: str, expected: Strength) -> None:
    assert strength(value) is expected


def test_a_salt_of_signs_and_blanks_is_certain_and_prose_is_not() -> None:
    assert strength("p<bdee_aW8*h8q|eVR-}A*XS>4]oxYk1m<)R1 vlAvA*Cz0,BS") is Strength.CERTAIN
    assert strength("Expected 3 rows (2 new), got: {rows}; see [docs]!") is Strength.ORDINARY


def test_a_hash_does_not_look_chosen() -> None:
    assert looks_chosen("compass1490")
    assert not looks_chosen("9be86603ff18325aa584a2cdb9617d2e")
