"""The checks on a match: what is an example, an id, words or code, and what may be a secret."""

from satchel.domain.safety.secret_checks import (
    argument,
    bare_password,
    credential,
    maker_key,
    marked,
    password,
    random_looking,
    spoken_password,
    strong_credential,
    unnamed_key,
)
from tests.tables import each_case

RANDOM = "q7Zp2Lw9" + "Xc4Vb8Nm1Hs6"
UUID = "3f2b8c1e-94d7-4a06-b5e3-71c9d2f08a64"
HEX = "9fceb02d0ae598e95dc970b74767f19372d61af8"


@each_case(
    "value",
    [
        "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "0123456789abcdef0123456789abcdef",
        "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx", "sk-xxxxxxxxxxxxxxxxxxxx", "AIzaSyD...",
        "sk_test_4eC39HqLyjWD" + "arjtT1zdp7dc", "my-service-account-token-2024",
    ],
)  # fmt: skip
def test_examples_and_words_do_not_look_random(value: str) -> None:
    assert not random_looking(value)


def test_a_random_value_is_a_credential_of_any_sort() -> None:
    assert all(
        check(RANDOM) for check in (random_looking, marked, credential, strong_credential, unnamed_key, maker_key)
    )


def test_letters_alone_are_a_credential_only_if_their_case_is_random() -> None:
    assert credential("qWzRtYpLkJhGfDsAxCvB")
    assert not credential("SomeLongIdentifierName")


@each_case(
    "value",
    [
        "DB_PASSWORD", "config.get('x')", "images/logo-2024.png", "arn:aws:iam::123456789012:role/deploy1",
        "sha256:9f86d081884c7d65", "${API_KEY_2}", "$TOKEN1", "user.settings.token", "00000000-0000-0000-0000-000000000000",
    ],
)  # fmt: skip
def test_code_paths_and_placeholders_are_no_credential(value: str) -> None:
    assert not credential(value)


def test_an_id_counts_only_with_a_telling_name() -> None:
    assert credential(UUID) and maker_key(UUID)
    assert not strong_credential(UUID) and not unnamed_key(UUID)
    assert strong_credential(HEX) and not unnamed_key(HEX)


@each_case(
    "value",
    ["string", "password", " + getPassword() + ", ".$settings['password']", "#add-password", ",label:", "changeit"],
)
def test_code_and_types_are_no_password(value: str) -> None:
    assert not password(value)


def test_where_a_password_stands_decides_what_it_may_be() -> None:
    assert password("blooberry") and not bare_password("blooberry") and not spoken_password("blooberry")
    assert argument("Falcon2608") and not argument("8080:80") and not argument("/run/secret")
    assert not spoken_password("密碼12345678")
