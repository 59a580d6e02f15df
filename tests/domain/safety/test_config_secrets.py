"""Secrets in the configuration of known programs, and lines of it that have none."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case

CHOSEN = "mossylantern8"
ENTRIES = "kind: Secret\nmetadata:\n  name: shop\nstringData:\n  username: mira\n  licence: {}\n  note: ${{NOTE}}\n"


@each_case(
    "text",
    [
        "bindpw {}",
        "wpa-psk {}",
        "rwcommunity {} 10.1.0.0/16",
        "tacacs-server host 10.0.0.9 key 0 {}",
        "username mira privilege 15 secret {}",
        'createUser mira SHA-256 "otherlantern9" AES "{}"',
        '203.0.113.9 : PSK "{}"',
        "ACL SETUSER mira on >{} ~cart:* +@read",
        "[mail.example.org]:587 mira:{}",
        "<keyMaterial>{}</keyMaterial>",
        "shop.jdbc.password    {}",
        "ssh mira@nas (Mossy5!lantern)",
    ],
)
def test_the_value_of_a_setting_is_masked(text: str) -> None:
    clean = mask(text.format(CHOSEN))

    assert "[redacted:" in clean
    assert CHOSEN not in clean


@each_case(
    "text",
    [
        "bindpw is described in the manual",
        "wpa-psk networks are common",
        "enable password encryption",
        "createUser(name, role)",
        "user mira on duty >later.txt is fine",
        "ssh mira@nas (backup)",
        "stats auth is disabled",
        "the username and password portion of the URL",
    ],
)
def test_a_sentence_about_a_setting_stays(text: str) -> None:
    assert mask(text) == text


def test_only_the_secret_entries_of_a_kubernetes_secret_are_masked() -> None:
    assert mask(ENTRIES.format("walrusfeather")) == ENTRIES.format("[redacted:kubernetes-secret]")


def test_entries_of_another_kind_stay() -> None:
    text = ENTRIES.format("walrusfeather").replace("kind: Secret", "kind: ConfigMap")

    assert mask(text) == text
