"""A plain model of what a store must show: dictionaries, with none of the store's own code."""

from dataclasses import dataclass, field, replace

SCOPES = ("here", "there", "here-too")
LIVE = frozenset({"active", "stale", "consolidated", "captured", "categorized"})
_SYLLABLES = ("ba", "ke", "di", "fo", "gu", "la", "me", "ni", "po", "ru")


def word(number: int, salt: str) -> str:
    """Return a word that no other number has and that no language inflects."""
    return salt + "".join(_SYLLABLES[int(digit)] for digit in f"{number:04}") + "x"


def text(number: int) -> str:
    """Return a sentence that shares no rare word with that of another number."""
    return f"{word(number, 'qu')} {word(number, 'wa')} {word(number, 'zo')} {word(number, 'vy')} is noted"


def cue(sentence: str) -> str:
    """Return the word that finds a sentence."""
    return sentence.split(" ", 1)[0]


@dataclass(frozen=True)
class ModelMemory:
    """What must be known of one memory."""

    text: str
    scope: str
    trust: str
    state: str = "active"

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def is_found(self) -> bool:
        """Whether a recall may return it."""
        return self.is_live and self.trust != "quarantined"


@dataclass
class Model:
    """Everything that a store holds, and what it must never show again."""

    memories: dict[str, ModelMemory] = field(default_factory=dict)
    tags: dict[str, dict[str, ModelMemory]] = field(default_factory=dict)
    observations: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Text and scope by id."""
    episodes: dict[str, tuple[str, str]] = field(default_factory=dict)
    documents: dict[tuple[str, str], str] = field(default_factory=dict)
    """Text by scope and reference."""
    messages: dict[str, tuple[str, str]] = field(default_factory=dict)
    facts: dict[str, tuple[str, str, str, int]] = field(default_factory=dict)
    """Source, subject, scope and the time from which it holds, by id."""
    relations: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """First name, second name and scope by id of the source."""
    forgotten: set[str] = field(default_factory=set)
    """Texts that were erased."""
    forgotten_ids: set[str] = field(default_factory=set)

    def of(self, scope: str) -> dict[str, ModelMemory]:
        """Return the memories of a scope."""
        return {id: one for id, one in self.memories.items() if one.scope == scope}

    def change(self, id: str, **fields: str) -> None:
        """Change fields of a memory."""
        self.memories[id] = replace(self.memories[id], **fields)

    def forget(self, id: str) -> None:
        """Erase a memory, and the observations of its scope that contain its text."""
        gone = self.memories.pop(id)
        self.forgotten.add(gone.text)
        self.forgotten_ids.add(id)
        for one, (said, scope) in list(self.observations.items()):
            if scope == gone.scope and gone.text in said:
                del self.observations[one]

    def words(self) -> set[str]:
        """Return every word that some record still has."""
        texts = [one.text for one in self.memories.values()]
        for lane in (self.observations, self.episodes, self.messages):
            texts += [said for said, _ in lane.values()]
        return {part.strip(";") for said in (*texts, *self.documents.values()) for part in said.split()}

    def restore(self, name: str, scope: str | None) -> None:
        """Restore the memories of a scope, or of all, to a tagged state."""
        then = self.tags[name]
        for id, one in self.memories.items():
            if scope not in (None, one.scope):
                continue
            if id in then:
                self.memories[id] = then[id]
            elif one.is_live:
                self.change(id, state="archived")
