"""Passwords that a person made up: their shape, and the weak words next to which it is enough."""

from satchel.domain.safety.made_up import Oddity, oddity
from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("value", "expected"),
    [
        ("walrus-Copper-52", Oddity.CLEAR),
        ("feather~Tuba", Oddity.CLEAR),
        ("w4lrus-Copper", Oddity.CLEAR),
        ("walrus-Copper", Oddity.SLIGHT),
        ("58-Walross", Oddity.SLIGHT),
        ("W@lrus_Blue", Oddity.SLIGHT),
        ("walrus-copper", Oddity.NONE),
        ("Walrus-Copper", Oddity.NONE),
        ("Walrus-52", Oddity.NONE),
        ("Ctrl+Shift+Walrus", Oddity.NONE),
        ("24-Stunden", Oddity.NONE),
        ("2031-Walross", Oddity.NONE),
        ("user-Settings", Oddity.NONE),
        ("read-Only", Oddity.NONE),
        ("walrus-Copper.png", Oddity.NONE),
    ],
)
def test_a_style_that_no_name_has_is_odd(value: str, expected: Oddity) -> None:
    assert oddity(value) is expected


@each_case(
    "text",
    [
        "accounts for the fair:\nida / walrus-Feather-52\nben / tulip-Feather-18",
        "mdp imprimante du bureau : w@lrus_Feather",
        "Anmeldung am Kiosk mit 58-Feather, danach neu starten",
        "# still in there -- admin:walrus.Feather",
        "Compte de Zoé : zoe@example.org / walrus!Feather — pour les billets",
        "Das Kennwort haben wir auf w7-Feather-ok geändert",
        "Pour ouvrir le zip, le code est walrus-Feather-Mai",
        "restic --password-command 'echo walrus~Feather' check",
        'lftp -u shop,"walrus-Feather" ftp.example.org',
        "login is ida@example.org and the pass is walrusFeather",
    ],
)
def test_a_made_up_password_is_masked_next_to_a_weak_word(text: str) -> None:
    clean = mask(text)

    assert "[redacted:" in clean
    assert "Feather" not in clean


@each_case(
    "text",
    [
        "accounts in Austria:\nida / Wien-Mitte\nben / Graz-West",
        "user: node-Exporter, group: Monitoring",
        "users online: ida-Marie, jean-Paul",
        "login page redesign: hero-Picture and side-Bar",
        "def login(user: str, extra: typing.Any) -> None:",
        "The author wrote walrus-Feather-52 in 2011.",
        "Anmeldung mit Face-ID oder Touch-ID",
        "admin:read.All",
        "Contact: ida@example.org / Walrus",
        "the login page is at https://example.org/walrus-Feather-52",
    ],
)
def test_names_next_to_such_words_stay(text: str) -> None:
    assert mask(text) == text
