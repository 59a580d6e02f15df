"""Questions in scripts that the bundled encoder does not know: words alone decide, and question words do not count."""

from pathlib import Path

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.words import content_terms
from tests.tables import each_case, fresh_folder

MEETINGS = [
    ("Встреча с налоговым консультантом в воскресенье", "когда встреча?"),
    ("Зустріч із бухгалтером у неділю", "коли зустріч?"),
    ("العطلة تبدأ يوم الخميس القادم", "متى العطلة؟"),
    ("הפגישה עם רואה החשבון ביום ראשון", "מתי הפגישה?"),
    ("Η συνάντηση με τον λογιστή είναι την Κυριακή", "πότε είναι η συνάντηση;"),
    ("회의는 일요일 오후 세 시에 시작한다", "회의는 언제야?"),
    ("会議は日曜日の午後に始まる", "会議はいつですか"),
]


@each_case(("text", "question"), MEETINGS)
def test_a_short_question_finds_the_memory_that_shares_its_word(tmp_path: Path, text: str, question: str) -> None:
    with Satchel.open(settings=load(home=str(fresh_folder(tmp_path)), recall={"catch_up_ms": 60_000})) as store:
        store.store(text)
        assert [hit.memory.text for hit in store.recall(question).result.hits] == [text]


def test_one_telling_word_of_several_is_enough(tmp_path: Path) -> None:
    with Satchel.open(settings=load(home=str(tmp_path / "one"), recall={"catch_up_ms": 60_000})) as store:
        store.store("Встреча с налоговым консультантом в воскресенье")
        assert store.recall("во сколько начинается завтрашняя большая встреча отдела?").result.hits
        assert not store.recall("где лежит мой старый зонт?").result.hits


@each_case(
    ("question", "terms"),
    [("когда встреча?", ("встреча",)), ("متى العطلة؟", ("العطلة",)), ("מתי הפגישה?", ("הפגישה",))],
)
def test_question_words_are_not_content(question: str, terms: tuple[str, ...]) -> None:
    assert content_terms(question) == terms
