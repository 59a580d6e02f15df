"""How clearly a text points to a value."""

from satchel.domain.safety.cues import Cue
from satchel.domain.safety.pointers import is_direct, names_any_word, needed, tells
from satchel.domain.safety.value_strength import Strength
from tests.tables import each_case


@each_case(
    ("cue", "between", "expected"),
    [
        (Cue.PASSWORD, " is ", Strength.MIXED),
        (Cue.PASSWORD, " for the router: ", Strength.MIXED),
        (Cue.PASSWORD, " policy: ", Strength.WORDY),
        (Cue.PASSWORD, " of the web team sends mail about ", Strength.CHOSEN),
        (Cue.SECRET, ": ", Strength.HEX),
        (Cue.SECRET, " was seen near ", Strength.CERTAIN),
        (Cue.KEY, ": ", Strength.CERTAIN),
        (Cue.LOGIN, " / ", Strength.JOINED),
        (Cue.LOGIN, " page shows ", Strength.SIGNED),
        (Cue.ACCOUNT, " for the vendor are vendor_ro / ", Strength.JOINED),
    ],
)
def test_the_clearer_the_pointer_the_less_a_value_must_look_like_a_secret(
    cue: Cue, between: str, expected: Strength
) -> None:
    assert needed(cue, between, quoted=False, around="") is expected


def test_a_preposition_points_only_to_what_was_changed() -> None:
    assert needed(Cue.PASSWORD, " to ", quoted=False, around="send the password to ") is Strength.WORDY
    assert needed(Cue.PASSWORD, " to ", quoted=False, around="changed the password to ") is Strength.MIXED


def test_a_noun_after_the_word_is_what_the_verb_is_about() -> None:
    assert tells(" for the router is ") and not tells(" manager is ")


def test_after_some_pointers_any_word_is_the_password() -> None:
    assert names_any_word("Passwort", " lautet ") and names_any_word("密码", "是") and names_any_word("password", ": ")
    assert not names_any_word("password", " is ") and not names_any_word("pass", ": ")


def test_a_direct_pointer_has_nothing_else_between() -> None:
    assert is_direct(" is ") and is_direct(": ") and not is_direct(" of the day is ")
