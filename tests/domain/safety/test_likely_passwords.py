"""Values that are likely a password by their shape and by what is around them."""

from satchel.domain.safety.likely_features import names
from satchel.domain.safety.likely_weights import WEIGHTS
from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secret"),
    [
        ("can't login to the jump host, tried root with Tr1cky_Badger and also tried my own key", "Tr1cky_Badger"),
        ("for the demo tenant type demo@lumen.example and then Cobalt%Heron77 at the second screen", "Cobalt%Heron77"),
        ("the old one doesn't work, Rusty&Anchor14 got me into the admin panel just now", "Rusty&Anchor14"),
        ("Melde dich im Portal an, Benutzer lager, danach Rabe+Storch12", "Rabe+Storch12"),
        ("connecte-toi avec lea.martin puis Renard%Gris8", "Renard%Gris8"),
        ("inloggen gaat met balie en daarna Molen!Wiek4", "Molen!Wiek4"),
        ("войди как manager, потом Volga!River8", "Volga!River8"),
        ("登录后台用 ops 和 Panda#Bamboo3", "Panda#Bamboo3"),
        ("the credentials I got by mail (Sparrow@Hill9) are rejected", "Sparrow@Hill9"),
        ("Das Passwort für das Kundenportal lautet Straßenbahn#9 – bitte nicht weiterleiten.", "Straßenbahn#9"),
        ("пароль: ёжик!в!тумане", "ёжик!в!тумане"),
    ],
)  # fmt: skip
def test_a_likely_password_is_masked(text: str, secret: str) -> None:
    assert secret not in mask(text)


@each_case(
    "text",
    [
        "We log in with Microsoft-365 on most laptops.",
        "log in and open Settings > Security+Privacy",
        "login via LDAP+Kerberos; see Handbook_2024.",
        "Type your user name, then press Ctrl+Alt+Del.",
        "per accedere usa SPID-Livello2 o CIE-3.0",
        "ftp lea@host - no password needed",
        'PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]',
        "mongodb+srv://<username>:<password>@cluster0.mongodb.net",
        "the password reset is fixed in 0744de23f89745f91925aa613c98e201",
        "clave primaria reunión_id",
        "Sign in with Google & GitHub is enabled for R&D.",
        'raise Conflict(f"there is a user {user.name!r} already")',
    ],
)
def test_names_and_code_stay(text: str) -> None:
    assert mask(text) == text


def test_every_weight_belongs_to_a_feature() -> None:
    assert set(WEIGHTS) <= set(names())
