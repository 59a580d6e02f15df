"""Words that describe a password, and words that may be one."""

from satchel.domain.safety.descriptions import describes, is_compound_adjective, is_state, language_of
from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    "word",
    ["wrong", "compromised", "unguessable", "abgelaufen", "erforderlich", "expiré", "obligatoire", "olvidada", "necesaria", "errata"],
)  # fmt: skip
def test_descriptions_are_known_in_several_languages(word: str) -> None:
    assert describes(word)


@each_case("word", ["walrus", "butterfly", "sommerregen", "tulipan", "quokka", "hummingbird"])
def test_other_words_may_be_a_password(word: str) -> None:
    assert not describes(word)


@each_case(("value", "is_adjective"), [("read-only", True), ("up-to-date", True), ("otter-in-a-boat", False), ("mossy-lantern", False)])  # fmt: skip
def test_a_compound_adjective_is_told_from_a_passphrase(value: str, is_adjective: bool) -> None:
    assert is_compound_adjective(value) is is_adjective


def test_a_participle_is_a_state_in_any_language() -> None:
    assert [is_state(word) for word in ("changed", "unverändert", "inchangé", "olvidado", "walrus")] == [
        True, True, True, True, False,
    ]  # fmt: skip


def test_a_verb_tells_the_language() -> None:
    english, german = language_of("is"), language_of("ist")

    assert english and "wrong" in english.words
    assert german and "falsch" in german.words
    assert language_of("knows") is None


@each_case(
    "text",
    [
        "The password is {}.",
        "the new password for the printer was {}, but not any more",
        "Das WLAN-Passwort ist {}",
        "Le mot de passe est {}.",
        "La contraseña es {}",
        "La password è {}",
        "**Password:** {}",
    ],
)
def test_what_a_sentence_names_is_masked_and_what_it_describes_is_not(text: str) -> None:
    assert "walrusfeather" not in mask(text.format("walrusfeather"))
    for word in ("incorrect", "unbekannt", "obligatoire"):
        assert mask(text.format(word)) == text.format(word)
