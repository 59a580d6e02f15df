"""Passwords that are told some sentences after the text says that something is locked."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secret"),
    [
        ("The sheet is protected. Please use Gravel#8810 to open it.", "Gravel#8810"),
        (
            "Das Archiv ist verschlüsselt, das Kennwort folgt getrennt.\n\nWie versprochen: Kiesel-Grube-4",
            "Kiesel-Grube-4",
        ),
        ("Reset done. I gave him the new one, it's Wq7!gravel, until Monday.", "Wq7!gravel"),
        ("Jan: my desk is locked again\nMara: Gravel_in_May3", "Gravel_in_May3"),
    ],
)
def test_a_value_that_opens_something_is_masked(text: str, secret: str) -> None:
    assert "[redacted:" in mask(text) and secret not in mask(text)


@each_case(
    "text",
    [
        "The archive is encrypted, use Office2021 on web-server-01.",
        "Jan: the branch is locked again\nStatus: waiting-for-review-2",
        "The password follows separately.\n\nRegards from team-north-4 and all",
    ],
)
def test_other_values_stay(text: str) -> None:
    assert mask(text) == text
