"""A user and a password side by side, and pairs of other words."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    "text",
    [
        "credentials are mira:walrusfeather",
        "Zugangsdaten: mira / walrusfeather",
        "Wi-Fi: Blue Door / walrusfeather",
        "Films: mira@example.org / walrus-feather",
        "log in as mira with Walrus7feather",
        "router: admin / walrusfeather",
        "esxi: root/Walrus7feather",
        "nas: mira7 / Walrus7Feather",
        "FTP: ftp.example.org / web221 / wR4-walrus-Feather",
    ],
)
def test_the_password_of_a_pair_is_masked(text: str) -> None:
    clean = mask(text)

    assert "[redacted:" in clean
    assert "eather" not in clean


@each_case(
    "text",
    [
        "credentials are admin-only",
        "Zugangsdaten: siehe Wiki / Intranet",
        "Wi-Fi: connected / disconnected",
        "Contact: mira@example.org / Support",
        "log in with ssh and restart the server",
        "Roles: admin / editor",
        "admin/dashboard",
        "gitlab: team-a / backend-api-v2",
        "Mail: inbox / archive-2026-05",
        "Server: web.example.org / eu-1 / running",
    ],
)
def test_pairs_of_other_words_stay(text: str) -> None:
    assert mask(text) == text
