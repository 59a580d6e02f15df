"""Our own routing dataset: two hundred questions in four classes over a ferry line's code, notes and talks."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from satchel.app import Satchel

DATA = Path(__file__).parent / "data"
CLASSES = ("exact", "semantic", "relation", "decision")
STATEMENTS_PER_FILE = 5


class Case(Struct, frozen=True):
    """A question, its class, and the texts that one of the first answers must contain."""

    kind: str
    query: str
    wanted: tuple[str, ...]


def cases() -> list[Case]:
    """Return every question."""
    return [
        *(Case("exact", query, (symbol,)) for _, symbol, _, query in rows("exact")),
        *(Case("semantic", query, (text,)) for _, text, query in rows("semantic")),
        *(Case("relation", query, _listed(named)) for _, query, named in rows("relation")),
        *(Case("decision", query, (held,)) for _, _, query, held in rows("decision")),
    ]


def rows(kind: str) -> list[tuple[str, ...]]:
    """Return the rows of a class."""
    lines = (DATA / f"routing_{kind}.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines if line and not line.startswith("#")]


def fill(memory: Satchel, folder: Path) -> None:
    """Fill a store: ingest the files, store the notes, add the talks, and extract the graph."""
    for name, text in _files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    memory.documents.ingest(str(folder))
    memory.graph.extract(str(folder))
    for title, text, _ in rows("semantic"):
        memory.store(text, title=title)
    for number, (question, decided, _, _) in enumerate(rows("decision")):
        talk = f"talk-{number // 10}"
        memory.conversations.add(question, conversation=talk, role="user")
        memory.conversations.add(decided, conversation=talk, role="assistant")
    memory.maintenance.index_build()


def _files() -> Iterator[tuple[str, str]]:
    by_file: dict[str, list[str]] = {}
    for file, symbol, said, _ in rows("exact"):
        by_file.setdefault(file, []).append(_code(file, symbol, said))
    yield from ((file, "\n\n".join(parts) + "\n") for file, parts in by_file.items())
    statements = [statement for statement, _, _ in rows("relation")]
    for start in range(0, len(statements), STATEMENTS_PER_FILE):
        part = statements[start : start + STATEMENTS_PER_FILE]
        yield f"docs/architecture/part-{start // STATEMENTS_PER_FILE:02}.md", "# Parts\n\n" + "\n\n".join(part) + "\n"


def _code(file: str, symbol: str, said: str) -> str:
    if file.endswith(".toml"):
        return f"# {said}\n{symbol} = 4"
    if symbol.isupper():
        return f"# {said}\n{symbol} = 10"
    if symbol[0].isupper():
        return f'class {symbol}:\n    """{said}."""'
    return f'def {symbol}(given):\n    """{said}."""\n    return given'


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))
