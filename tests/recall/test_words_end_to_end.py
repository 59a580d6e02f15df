"""Words of any script are found by both engines: the ledger's full text (lexical) and the index (hybrid)."""

import pytest

from satchel.app import Satchel
from tests.tables import each_case

LONG = "pneumono" * 25

SENTENCES = {
    "turkish": "İstanbul iki kıtada kurulu",
    "yoruba": "ọ̀rọ̀ tí a sọ kò ṣe é kó",
    "hindi": "हिन्दी भारत की भाषा है",
    "german": "Die Straße ist gesperrt",
    "greek": "Ο Σίσυφος σπρώχνει",
    "french": "le café du coin",
    "chinese": "我们用记忆库",
    "japanese": "東京タワーに登る",
    "thai": "ที่นี่มีชา",
    "long": f"the word {LONG} is long",
    "cyrillic": f"слово {'ж' * 127} длинное",
}

LEXICAL_SOURCES = {"lexical": "ledger", "hybrid": "index"}
modes = pytest.mark.parametrize("mode", LEXICAL_SOURCES)


def by_word(memory: Satchel, question: str, mode: str) -> list[str]:
    """The texts that the lexical lane found: the vector lane of a small store returns everything."""
    answer = memory.recall(question, mode=mode, limit=20)
    assert answer.receipt.warnings == ()
    assert answer.receipt.considered["lexical_source"] == LEXICAL_SOURCES[mode]
    return [hit.memory.text for hit in answer.result.hits if any(part.name == "lexical" for part in hit.contributions)]


@pytest.fixture
def stocked(memory: Satchel) -> Satchel:
    for text in SENTENCES.values():
        memory.store(text)
    memory.maintenance.index_build()
    return memory


@modes
@each_case(
    ("question", "found"),
    [
        ("İstanbul", "turkish"),
        ("istanbul", "turkish"),
        ("ISTANBUL", "turkish"),
        ("İSTANBUL", "turkish"),
        ("i̇stanbul", "turkish"),
        ("ọ̀rọ̀", "yoruba"),
        ("Ọ̀RỌ̀", "yoruba"),
        ("o\u0323\u0300ro\u0323\u0300", "yoruba"),
        ("o\u0300\u0323ro\u0300\u0323", "yoruba"),
        ("ọrọ", "yoruba"),
        ("oro", "yoruba"),
        ("हिन्दी", "hindi"),
        ("भाषा", "hindi"),
        ("Straße", "german"),
        ("STRASSE", "german"),
        ("ΣΊΣΥΦΟΣ", "greek"),
        ("CAFÉ", "french"),
        ("cafe\u0301", "french"),
        ("cafe", "french"),
        ("记忆", "chinese"),
        ("库", "chinese"),
        ("タワー", "japanese"),
        ("มีชา", "thai"),
        (LONG, "long"),
        (LONG.upper(), "long"),
        (LONG[:128], "long"),
        ("ж" * 127, "cyrillic"),
    ],
)
def test_a_word_is_found_in_any_spelling(stocked: Satchel, question: str, found: str, mode: str) -> None:
    assert by_word(stocked, question, mode) == [SENTENCES[found]]


@modes
@each_case("question", ["Ankara", "ọba", "मराठी", LONG[:127], "忆记", "Gasse"])
def test_a_missing_word_is_not_found(stocked: Satchel, question: str, mode: str) -> None:
    assert by_word(stocked, question, mode) == []


@modes
@pytest.mark.parametrize("word", [pytest.param("İstanbul", id="turkish"), pytest.param(LONG, id="long")])
def test_words_in_title_tags_and_keywords_are_found(memory: Satchel, word: str, mode: str) -> None:
    memory.store("one", title=f"about {word}")
    memory.store("two", tags=[word])
    memory.store("three", keywords=[word])
    memory.store("four")
    memory.maintenance.index_build()
    assert sorted(by_word(memory, word, mode)) == ["one", "three", "two"]


@each_case("letter", ["x", "ж", "ა", "𐐨"])  # of one to four bytes
def test_a_word_of_two_hundred_letters_of_any_script_is_found_by_both_engines(memory: Satchel, letter: str) -> None:
    memory.store(f"before {letter * 200} after")
    memory.maintenance.index_build()
    for mode in LEXICAL_SOURCES:
        assert by_word(memory, letter * 200, mode) == [f"before {letter * 200} after"], mode


@modes
def test_a_question_of_punctuation_only_has_no_lexical_match(stocked: Satchel, mode: str) -> None:
    for question in ("?!", "😀", "・", "\u0301", '"', "* OR ^ : (", "-"):
        assert by_word(stocked, question, mode) == []
