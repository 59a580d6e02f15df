"""Choose the Chinese words that get a vector of their own, from a dictionary and a list of word frequencies."""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from satchel.adapters.embedders.han_words import HanWords, han

# Common characters first, because every word can be read by them; then the most frequent words.
ROWS = 18_000
MIN_CHARACTER_FREQUENCY = 60
# The counts are of newspapers: words of computing, of Taiwan and of our own notes are raised to this.
MIN_MODERN_FREQUENCY = 500
MAX_GLOSSES = 4
MAX_GLOSS_CHARS = 60

_ENTRY = re.compile(r"(\S+) (\S+) \[([^\]]*)\] /(.*)/")
# Remarks about a word that do not say what it means.
_REMARK = re.compile(
    r"(?:old |erhua |Japanese |archaic )?variant of|see |surname |abbr\. for|used in |CL:|also written|also pr\.|Taiwan pr\.|"
    r"equivalent of"
)
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]|[\u3400-\u9fff|]+")
_ARTICLE = re.compile(r"^(?:to|a|an|the) (?:be )?")
_MODERN = re.compile(r"\((?:computing|Internet|Tw)\)|computer|software|database|server|website|program")


@dataclass
class Word:
    """A simplified word with its traditional forms and what it means in English, common meanings first."""

    simplified: str
    traditional: list[str] = field(default_factory=list)
    glosses: list[str] = field(default_factory=list)
    modern: bool = False

    @property
    def forms(self) -> list[str]:
        """All ways to write it."""
        return list(dict.fromkeys([self.simplified, *self.traditional]))


def read_dictionary(path: Path) -> dict[str, Word]:
    """Read a file in the format of CC-CEDICT. Names come after the other meanings of a word."""
    words: dict[str, Word] = {}
    names = list[tuple[str, str, str]]()
    for traditional, simplified, reading, senses in _entries(path):
        if reading[:1].isupper():
            names.append((traditional, simplified, senses))
        else:
            _add(words, traditional, simplified, senses)
    for name in names:
        _add(words, *name)
    return {simplified: word for simplified, word in words.items() if word.glosses}


def _entries(path: Path) -> Iterator[tuple[str, str, str, str]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    for line in data.decode().splitlines():
        found = _ENTRY.match(line)
        if found and han().fullmatch(found[2]) and han().fullmatch(found[1]):
            yield found[1], found[2], found[3], found[4]


def _add(words: dict[str, Word], traditional: str, simplified: str, senses: str) -> None:
    word = words.setdefault(simplified, Word(simplified))
    word.traditional.append(traditional)
    word.glosses += [gloss for gloss in _glosses(senses) if gloss not in word.glosses]
    word.modern = word.modern or _MODERN.search(senses) is not None


def _glosses(senses: str) -> Iterator[str]:
    for sense in senses.split("/"):
        if not _REMARK.match(sense):
            for part in sense.split(";"):
                gloss = _ARTICLE.sub("", _ASIDE.sub("", part).strip())
                if gloss and len(gloss) <= MAX_GLOSS_CHARS:
                    yield gloss


def read_frequencies(path: Path) -> dict[str, int]:
    """Read lines of a word and its count, as jieba has them."""
    with path.open(encoding="utf-8") as lines:
        return {word: int(count) for word, count, *_ in map(str.split, lines)}


def choose_words(
    words: Mapping[str, Word], frequencies: Mapping[str, int], notes: Iterable[str], rows: int = ROWS
) -> list[Word]:
    """Return the words that get a vector: common characters, then the most frequent words."""
    used = _words_used(words, notes)

    def order(word: Word) -> tuple[bool, int, int, str]:
        raised = word.modern or word.simplified in used
        own = frequencies.get(word.simplified, 0)
        count = max(own, MIN_MODERN_FREQUENCY if raised else 0)
        is_common_character = len(word.simplified) == 1 and count >= MIN_CHARACTER_FREQUENCY
        # Many words are raised to the same count, and the last of them get no vector.
        return not is_common_character, -count, -own, word.simplified

    return sorted(words.values(), key=order)[:rows]


def _words_used(words: Mapping[str, Word], notes: Iterable[str]) -> set[str]:
    known = list(words.values())
    dictionary = HanWords(0, len(known), "\n".join(" ".join(word.forms) for word in known))
    tokens = {token for text in notes for run in han().findall(text) for token in dictionary.tokens(run, len(run))}
    return {known[token].simplified for token in tokens if token < len(known)}


def write_words(words: Sequence[Word], path: Path) -> None:
    """Write the forms of each word on a line; a form of two words belongs to the more frequent one."""
    taken = set[str]()
    lines = list[str]()
    for word in words:
        forms = [form for form in word.forms if form not in taken or form == word.simplified]
        taken.update(forms)
        lines.append(" ".join(forms))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_pairs(words: Mapping[str, Word], path: Path) -> None:
    """Write every word of the dictionary with its glosses, to train on."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for word in words.values():
            file.write(json.dumps([word.simplified, word.glosses[:MAX_GLOSSES]], ensure_ascii=False) + "\n")


def read_pairs(path: Path) -> list[tuple[str, list[str]]]:
    """Read what `write_pairs` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [(word, glosses) for word, glosses in map(json.loads, file)]
