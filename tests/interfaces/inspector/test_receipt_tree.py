"""The body of a receipt as a tree."""

from typing import Any

from satchel.interfaces.inspector.receipt_tree import MAX_BRANCHES, MAX_CHILDREN, MAX_DEPTH, Branch, tree


def test_a_tree_has_every_value_of_a_small_body() -> None:
    body: dict[str, Any] = {"asked": {"limit": 5, "kinds": []}, "ids": ["x", None], "note": "said"}

    assert tree(body) == (
        Branch("asked", "", (Branch("limit", "5"), Branch("kinds", "[]"))),
        Branch("ids", "", (Branch("1", "x"), Branch("2", "null"))),
        Branch("note", "said"),
    )


def test_a_tree_is_bounded() -> None:
    deep: Any = "bottom"
    for _ in range(500):
        deep = {"inner": deep}
    wide = {"many": [{"id": str(number), "score": [1, 2, 3]} for number in range(10_000)]}

    def size(branches: tuple[Branch, ...]) -> int:
        return sum(1 + size(one.inner) for one in branches)

    assert size(tree({"deep": deep})) == MAX_DEPTH
    (many,) = tree(wide)
    assert (len(many.inner), many.hidden) == (MAX_CHILDREN, 10_000 - MAX_CHILDREN)
    assert size(tree({str(number): wide for number in range(50)})) <= MAX_BRANCHES
