"""Passphrases of several words, and words that a bank asks for."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secret"),
    [
        ("use seven purple otters skate at dawn as the passphrase when gpg asks", "seven purple otters skate at dawn"),
        ("quiet moose borrow eleven umbrellas is the passphrase for the backup disk", "quiet moose borrow eleven umbrellas"),
        ("SSH key passphrase -> old oak new leaf", "old oak new leaf"),
        ('Passphrase for the vault: "the fox paints bridges"', "the fox paints bridges"),
        ("when it asks for the passphrase, answer seven sleepy wizards dance", "seven sleepy wizards dance"),
        ("la phrase de passe est mille canards traversent Paris", "mille canards traversent Paris"),
        ("wachtzin is vier paarse fietsen in mei", "vier paarse fietsen in mei"),
        ('the disk unlocks with the phrase "marmalade before midnight"', "marmalade before midnight"),
        ('Account no. 88231-4, security word "periwinkle", ask for Mrs. Whitlow', "periwinkle"),
        ("memorable word: Tarragon", "Tarragon"),
    ],
)  # fmt: skip
def test_a_phrase_to_which_the_text_leads_is_masked(text: str, secret: str) -> None:
    assert mask(text) == text.replace(secret, "[redacted:passphrase]")


@each_case(
    "text",
    [
        "The passphrase is the one we agreed on.",
        "use a longer sentence as the passphrase next time",
        "you need the passphrase to open the backup disk",
        "the passphrase has to be at least six words long",
        "Passphrase: at least five random words",
        "Die Passphrase ist auf dem Zettel im Tresor.",
        "la phrase de passe est plus longue que le mot de passe",
        'The code word "async" is reserved in Python.',
        'the phrase "open sesame" opens the cave in the tale',
        "The memorable word in that poem is the last one.",
    ],
)
def test_what_is_said_about_a_phrase_stays(text: str) -> None:
    assert mask(text) == text
