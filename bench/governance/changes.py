"""Random changes to a subject before and after a mark that is restored; the same for the same seed."""

import random
from collections.abc import Iterator, Mapping

from bench.governance.samples import SEED, facts
from bench.governance.subject import Content, Subject

# More than are ever stored, so that all are different.
_TEXTS = 2_000
_REMEMBER, _REMEMBER_OLD, _REPLACE, _TIDY, _FORGET = "remember", "remember old", "replace", "tidy", "forget"
# More is stored than erased.
_CHOICES = (_REMEMBER, _REMEMBER, _REMEMBER_OLD, _REPLACE, _REPLACE, _TIDY, _FORGET)


class RandomChanges:
    """Makes random changes in one scope and remembers which ids it erased."""

    def __init__(self, subject: Subject, scope: str) -> None:
        self._subject, self._scope = subject, scope
        # The seed text decides every figure: do not change it.
        self._chance = random.Random(f"{SEED} deeds {scope}")
        self._texts: Iterator[str] = iter([fact.text for fact in facts(scope, _TEXTS)])
        self._live: list[str] = []
        self.erased: set[str] = set()

    def make(self, count: int) -> None:
        """Store a text, then make `count` more changes."""
        self._remember()
        for _ in range(count):
            self._make_one(self._chance.choice(_CHOICES))

    def observe(self, contents: Mapping[str, Content]) -> None:
        """Take the current contents as those that may change next."""
        self._live = sorted(id for id, one in contents.items() if one.live)

    def _make_one(self, change: str) -> None:
        if change == _TIDY:
            self._subject.tidy(self._scope)
        elif change == _REMEMBER_OLD:
            self._subject.remember_old(next(self._texts), self._scope)
        elif change == _REMEMBER or not self._live:
            self._remember()
        elif change == _REPLACE:
            self._live.append(self._subject.replace(self._drawn(), next(self._texts), self._scope))
        else:
            self.erased.add(id := self._drawn())
            self._subject.forget(id, self._scope)

    def _remember(self) -> None:
        self._live.append(self._subject.remember(next(self._texts), self._scope))

    def _drawn(self) -> str:
        return self._live.pop(self._chance.randrange(len(self._live)))


def is_exact(then: Mapping[str, Content], now: Mapping[str, Content], erased: set[str]) -> bool:
    """Whether a restored state equals the marked one field by field, with nothing new live and nothing erased back."""
    kept = {id: one for id, one in then.items() if id not in erased}
    same = all(id in now and now[id].fields == one.fields for id, one in kept.items())
    return same and not erased & now.keys() and not any(one.live for id, one in now.items() if id not in kept)
