"""Names of people are hidden in every text of a result, and nowhere else."""

from satchel.domain.graph import EntityType
from satchel.domain.graph_answers import Entity
from satchel.domain.people import hide_people
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ("Ada owns the pier", "a person owns the pier"),
        ("Ada Lovelace and Ada", "a person and a person"),
        ("Adapter, MyAda, ada_1", "Adapter, MyAda, ada_1"),
        ("王小明負責碼頭", "a person負責碼頭"),
        ("mail to Ada, Ada's or (Ada)", "mail to a person, a person's or (a person)"),
        ("", ""),
    ],
)
def test_a_name_is_hidden_as_a_whole_word(text: str, expected: str) -> None:
    assert hide_people(text, ["Ada", "Ada Lovelace", "王小明", " "]) == expected


def test_nested_values_are_hidden_and_ids_and_types_stay() -> None:
    entity = Entity("Ada", EntityType.PERSON, "Ada", "pier of Ada", "global")
    found = hide_people((entity, {"Ada": ["Ada"]}, 7, None), ["Ada"])

    assert found == (
        Entity("Ada", EntityType.PERSON, "a person", "pier of a person", "global"),
        {"Ada": ["a person"]},
        7,
        None,
    )


def test_without_names_nothing_changes() -> None:
    assert hide_people("Ada", []) == "Ada"
