"""Entities and relations as boxes and curves, as numbers that a template draws as SVG.

The layout is layered: what leads to the central entity stands to its left, what it leads to stands to its right, one
column per step. The same paths always give the same picture, and no two boxes overlap.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.domain.graph_answers import CitedRelation, Entity, GraphPath

BOX_WIDTH, BOX_HEIGHT = 150, 26
COLUMN_GAP, ROW_STEP = 120, 38
MARGIN = 12


class Box(Struct, frozen=True):
    """An entity; x and y are its left upper corner."""

    entity: Entity
    x: float
    y: float
    is_center: bool


class Curve(Struct, frozen=True):
    """A relation between two boxes."""

    relation: CitedRelation
    path: str
    """The curve in the language of SVG, from the inner box to the outer one."""
    points_inward: bool
    """Whether the relation leads from the outer box to the inner one."""
    label_x: float
    label_y: float


class Network(Struct, frozen=True):
    """A picture of entities and their relations."""

    width: float
    height: float
    box_width: int
    box_height: int
    boxes: tuple[Box, ...]
    curves: tuple[Curve, ...]


class _Twig(Struct):
    """An entity beside the center: the relation it hangs on, its column counted from the center, and its row."""

    entity: Entity
    relation: CitedRelation
    parent: str
    column: int
    twigs: "list[_Twig]"
    row: float = 0.0


def neighborhood(center: Entity, paths: Iterable[GraphPath]) -> Network:
    """Draw the paths from an entity to its neighbours."""
    left, right = list[_Twig](), list[_Twig]()
    known: dict[str, _Twig] = {}
    for path in paths:
        for step, relation in enumerate(path.ties, start=1):
            entity = path.entities[step]
            if entity.id == center.id or entity.id in known:
                continue
            parent = path.entities[step - 1]
            if parent.id == center.id:
                siblings, column = (right, 1) if relation.tail.id == center.id else (left, -1)
            else:
                above = known[parent.id]
                siblings, column = above.twigs, above.column + (1 if above.column > 0 else -1)
            known[entity.id] = _Twig(entity, relation, parent.id, column, [])
            siblings.append(known[entity.id])
    return _drawn(center, left, right, known)


def chain(path: GraphPath) -> Network:
    """Draw one path from left to right."""
    start, *others = path.entities
    known: dict[str, _Twig] = {}
    first, siblings = list[_Twig](), list[_Twig]()
    for column, (entity, relation) in enumerate(zip(others, path.ties, strict=True), start=1):
        known[entity.id] = _Twig(entity, relation, path.entities[column - 1].id, column, [])
        (siblings if column > 1 else first).append(known[entity.id])
        siblings = known[entity.id].twigs
    return _drawn(start, [], first, known)


def _drawn(center: Entity, left: Sequence[_Twig], right: Sequence[_Twig], known: Mapping[str, _Twig]) -> Network:
    rows = [_place_rows(side) for side in (left, right)]
    tallest = max(1.0, *rows)
    for side, used in zip((left, right), rows, strict=True):
        _move(side, (tallest - used) / 2)
    columns = [0, *(one.column for one in known.values())]
    first, last = min(columns), max(columns)

    def corner(column: int, row: float) -> tuple[float, float]:
        return MARGIN + (column - first) * (BOX_WIDTH + COLUMN_GAP), MARGIN + row * ROW_STEP

    corners = {one.entity.id: corner(one.column, one.row) for one in known.values()}
    corners[center.id] = corner(0, (tallest - 1) / 2)
    width = 2 * MARGIN + (last - first + 1) * BOX_WIDTH + (last - first) * COLUMN_GAP
    height = 2 * MARGIN + (tallest - 1) * ROW_STEP + BOX_HEIGHT
    boxes = [Box(center, *corners[center.id], is_center=True)]
    boxes += [Box(one.entity, *corners[one.entity.id], is_center=False) for one in known.values()]
    curves = [_curve(one, corners[one.parent], corners[one.entity.id]) for one in known.values()]
    return Network(width, height, BOX_WIDTH, BOX_HEIGHT, tuple(boxes), tuple(curves))


def _place_rows(twigs: Sequence[_Twig], first: float = 0.0) -> float:
    """Give every twig its row, parents in the middle of their twigs; return how many rows they take."""
    row = first
    for one in twigs:
        used = _place_rows(one.twigs, row)
        one.row = row + (max(1.0, used) - 1) / 2
        row += max(1.0, used)
    return row - first


def _move(twigs: Sequence[_Twig], rows: float) -> None:
    for one in _all(twigs):
        one.row += rows


def _all(twigs: Sequence[_Twig]) -> Iterator[_Twig]:
    for one in twigs:
        yield one
        yield from _all(one.twigs)


def _curve(twig: _Twig, inner: tuple[float, float], outer: tuple[float, float]) -> Curve:
    is_right = twig.column > 0
    x1, y1 = inner[0] + (BOX_WIDTH if is_right else 0), inner[1] + BOX_HEIGHT / 2
    x2, y2 = outer[0] + (0 if is_right else BOX_WIDTH), outer[1] + BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    return Curve(
        twig.relation,
        f"M{x1:.1f} {y1:.1f} C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}",
        twig.relation.tail.id == twig.entity.id,
        # Beside the outer box, where the curves of siblings do not meet.
        x2 + (-COLUMN_GAP if is_right else COLUMN_GAP) * 0.36,
        y2 - 5,
    )
