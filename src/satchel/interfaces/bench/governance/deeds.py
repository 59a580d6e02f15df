"""Deeds: what happens to a subject before and after a moment that it is to go back to, the same for the same seed."""

import random
from collections.abc import Iterator, Mapping

from satchel.interfaces.bench.governance.samples import SEED, facts
from satchel.interfaces.bench.governance.subject import Content, Subject

# Far more than are told, so that no two are the same.
_TEXTS = 2_000
_REMEMBER, _REMEMBER_OLD, _REPLACE, _TIDY, _FORGET = "remember", "remember old", "replace", "tidy", "forget"
# Nothing is erased before something is told, and more is told than erased.
_CHOICES = (_REMEMBER, _REMEMBER, _REMEMBER_OLD, _REPLACE, _REPLACE, _TIDY, _FORGET)


class Deeds:
    """Does as the seed has it, in one scope, and knows what it has erased."""

    def __init__(self, subject: Subject, scope: str) -> None:
        self._subject, self._scope = subject, scope
        self._chance = random.Random(f"{SEED} deeds {scope}")
        self._texts: Iterator[str] = iter([fact.text for fact in facts(scope, _TEXTS)])
        self._standing: list[str] = []
        self.erased: set[str] = set()

    def do(self, count: int) -> None:
        """Tell something, then do as many more things as asked for."""
        self._remember()
        for _ in range(count):
            self._one(self._chance.choice(_CHOICES))

    def look(self, contents: Mapping[str, Content]) -> None:
        """Take note of what stands now: whatever happens next happens to that."""
        self._standing = sorted(id for id, one in contents.items() if one.holds)

    def _one(self, deed: str) -> None:
        if deed == _TIDY:
            self._subject.tidy(self._scope)
        elif deed == _REMEMBER_OLD:
            self._subject.remember_old(next(self._texts), self._scope)
        elif deed == _REMEMBER or not self._standing:
            self._remember()
        elif deed == _REPLACE:
            self._standing.append(self._subject.replace(self._drawn(), next(self._texts), self._scope))
        else:
            self.erased.add(id := self._drawn())
            self._subject.forget(id, self._scope)

    def _remember(self) -> None:
        self._standing.append(self._subject.remember(next(self._texts), self._scope))

    def _drawn(self) -> str:
        return self._standing.pop(self._chance.randrange(len(self._standing)))


def is_exact(then: Mapping[str, Content], now: Mapping[str, Content], erased: set[str]) -> bool:
    """Say whether a restored state is what it was: field by field, nothing more holds, and what was erased stays away."""
    kept = {id: one for id, one in then.items() if id not in erased}
    same = all(id in now and now[id].fields == one.fields for id, one in kept.items())
    return same and not erased & now.keys() and not any(one.holds for id, one in now.items() if id not in kept)
