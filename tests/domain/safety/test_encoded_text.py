"""Text in base64: what is decoded, and that secrets in it are masked."""

import base64
from collections.abc import Callable

from satchel.domain.safety.encoded_text import Encoded, encoded_texts
from satchel.domain.safety.redact import Redacted, redacted
from tests.tables import each_case

SECRET = "password=" + "Granite!" + "4471-x"


def in_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_printable_text_is_decoded_with_its_place() -> None:
    run = in_base64("a perfectly normal sentence")

    assert list(encoded_texts(f"see {run} there")) == [Encoded(4, 4 + len(run), "a perfectly normal sentence")]


@each_case("run", ["0123456789abcdef" * 4, "A" * 25, in_base64("\x00\x01\x02" * 12), "short", in_base64("é" * 20)])
def test_other_runs_are_not_text(run: str) -> None:
    assert list(encoded_texts(run)) == []


@each_case("encode", [in_base64, lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")])
def test_a_secret_in_base64_is_masked(encode: Callable[[str], str]) -> None:
    assert redacted(f"data {encode(SECRET)} end") == Redacted(
        "data [redacted:encoded-secret] end", (("encoded-secret", 1),)
    )


def test_harmless_text_in_base64_stays() -> None:
    text = f"data {in_base64('the password has twelve characters')} end"

    assert redacted(text) == Redacted(text)
