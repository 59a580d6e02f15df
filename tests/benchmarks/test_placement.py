"""The rules by which Citus spreads tables."""

from bench.placement import DISTRIBUTED, LOCAL, REFERENCE, ForeignKey, Table, place


def table(name: str, columns: str, *unique: str, refers: tuple[ForeignKey, ...] = ()) -> Table:
    return Table(
        name, tuple(columns.split()), tuple(tuple(one.split()) for one in unique), refers, 0, small_numbers=False
    )


def key(target: str, columns: str, target_columns: str) -> ForeignKey:
    return ForeignKey(target, tuple(columns.split()), tuple(target_columns.split()), same_schema=True)


def kinds(*tables: Table) -> dict[str, str]:
    return {one.table: one.kind for one in place({one.name: one for one in tables})}


def test_every_key_needs_the_scope() -> None:
    found = kinds(
        table("good", "scope id", "scope id"),
        table("bad", "scope id", "scope id", "id"),
        table("without", "id", "id"),
        table("no_key", "scope id"),
    )
    assert found == {"good": DISTRIBUTED, "bad": LOCAL, "without": LOCAL, "no_key": DISTRIBUTED}


def test_a_foreign_key_stays_on_one_server() -> None:
    found = kinds(
        table("parents", "scope id", "scope id"),
        table("spaces", "id", "id"),
        table(
            "beside", "scope id", "scope id", refers=(key("parents", "scope id", "scope id"), key("spaces", "id", "id"))
        ),
        table("across", "scope id", "scope id", refers=(key("parents", "id", "id"),)),
        table("nowhere", "scope id", "scope id", refers=(key("gone", "id", "id"),)),
    )
    assert found == {
        "parents": DISTRIBUTED, "spaces": REFERENCE, "beside": DISTRIBUTED, "across": LOCAL, "nowhere": LOCAL,
    }  # fmt: skip


def test_what_refers_to_a_local_table_is_local_too() -> None:
    found = kinds(
        table("c", "scope id", "scope id", refers=(key("b", "scope id", "scope id"),)),
        table("b", "scope id", "scope id", refers=(key("a", "scope id", "scope id"),)),
        table("a", "scope id", "id"),
    )
    assert set(found.values()) == {LOCAL}
