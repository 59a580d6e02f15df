"""The picture of entities and relations."""

from itertools import combinations, pairwise

import pytest

from satchel.domain.graph import EntityType, RelationType
from satchel.domain.graph_answers import CitedRelation, Entity, GraphPath
from satchel.domain.record import Trust
from satchel.interfaces.inspector.network import BOX_HEIGHT, BOX_WIDTH, Network, chain, neighborhood


def entity(name: str) -> Entity:
    return Entity(name, EntityType.PROJECT, name)


def relation(tail: str, head: str) -> CitedRelation:
    return CitedRelation(entity(tail), RelationType.USES, entity(head), Trust.TRUSTED, f"{tail} uses {head}", ())


def path(*names: str, backwards: bool = False) -> GraphPath:
    """Return the path along names, whose relations lead forward or all of them back."""
    steps = [relation(*(reversed(pair) if backwards else pair)) for pair in pairwise(names)]
    return GraphPath(tuple(map(entity, names)), tuple(steps), len(steps), "", "", Trust.TRUSTED)


def columns(picture: Network) -> list[list[str]]:
    """Return the names of the boxes by column, from left to right, each from top to bottom."""
    found: dict[float, list[tuple[float, str]]] = {}
    for box in picture.boxes:
        found.setdefault(box.x, []).append((box.y, box.entity.name))
    return [[name for _, name in sorted(found[x])] for x in sorted(found)]


def test_what_leads_to_the_center_is_left_of_it() -> None:
    paths = [path("c", "a"), path("c", "b"), path("c", "x", backwards=True), path("c", "a", "d"), path("c", "b", "e")]

    picture = neighborhood(entity("c"), paths)

    assert columns(picture) == [["x"], ["c"], ["a", "b"], ["d", "e"]]
    assert [one.points_inward for one in picture.curves] == [False, False, True, False, False]
    assert [one.entity.name for one in picture.boxes if one.is_center] == ["c"]


def test_a_chain_goes_from_left_to_right() -> None:
    assert columns(chain(path("a", "b", "c", "d"))) == [["a"], ["b"], ["c"], ["d"]]


def test_an_entity_alone_is_one_box() -> None:
    picture = neighborhood(entity("c"), [])

    assert columns(picture) == [["c"]]
    assert picture.curves == ()


@pytest.mark.parametrize("fan", [1, 2, 5, 13])
def test_no_boxes_overlap_and_all_are_in_the_picture(fan: int) -> None:
    names = [str(number) for number in range(fan)]
    paths = [path("c", one) for one in names]
    paths += [path("c", f"in {one}", backwards=True) for one in names[::2]]
    paths += [path("c", one, f"{one}-{other}") for one in names[:4] for other in names]

    picture = neighborhood(entity("c"), paths)

    assert len(picture.boxes) == 1 + len(paths)
    for one, other in combinations(picture.boxes, 2):
        assert abs(one.x - other.x) >= BOX_WIDTH or abs(one.y - other.y) >= BOX_HEIGHT
    for box in picture.boxes:
        assert 0 <= box.x <= picture.width - BOX_WIDTH
        assert 0 <= box.y <= picture.height - BOX_HEIGHT


def test_the_same_paths_give_the_same_picture() -> None:
    paths = [path("c", "a"), path("c", "a", "d"), path("c", "d")]

    assert neighborhood(entity("c"), paths) == neighborhood(entity("c"), list(paths))
    assert len(neighborhood(entity("c"), paths).boxes) == 3
