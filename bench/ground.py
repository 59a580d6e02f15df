"""The ground that measurements stand on: working copies of filled stores, questions, and a clean environment."""

import os
import shutil
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bench.filled import GRADED, MIXED, Standing, filled_store
from bench.plain import PlainSearch
from satchel.bootstrap import Satchel
from satchel.config import Settings, load
from satchel.interfaces.bench.speed.corpus import SMALL_SCOPE, Text, asked, corpus

SMALL_ROWS = 10_000
QUESTIONS = 200


class Ground(Struct, dict=True):
    """What one run of the benchmark shares. Everything dear is made when a measurement first asks for it."""

    rows: int
    fresh: bool
    work: Path

    @cached_property
    def settings(self) -> Settings:
        """The settings of this run: those of the environment that say where the model is, and no others."""
        return load(self.environment, home=str(self.work / "none"))

    @cached_property
    def environment(self) -> dict[str, str]:
        """The environment of child processes, without anything that would change what is measured."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SATCHEL_", "PYTHON"))}
        # As installed, modules are compiled ahead; here the first runs, which do not count, compile them.
        return kept | {
            "SATCHEL_MODELS": str(load(home="unused").models_folder),
            "PYTHONPYCACHEPREFIX": str(self.work / "compiled"),
        }

    @cached_property
    def small(self) -> Path:
        """A store of ten thousand memories."""
        return self._copy(min(SMALL_ROWS, self.rows), "small")

    @cached_property
    def large(self) -> Path:
        """The store of as many memories as were asked for."""
        return self._copy(self.rows, "large")

    @cached_property
    def mixed(self) -> Path:
        """The same texts, most of them never graded, and some untrusted."""
        return self._copy(self.rows, "mixed", MIXED)

    @property
    def pristine(self) -> Path:
        """The large store as it was filled. To be looked at only."""
        return self._filled(self.rows)

    @cached_property
    def questions(self) -> list[Text]:
        """Texts of the large store whose questions are asked."""
        return asked(self._contents, QUESTIONS)

    @cached_property
    def small_scope_questions(self) -> list[Text]:
        """Questions asked in a scope that holds next to nothing of the store; none where there is no such scope."""
        within = [one for one in self._contents if one.scope == SMALL_SCOPE]
        return asked(within, QUESTIONS) if within else []

    @cached_property
    def small_questions(self) -> list[Text]:
        """Texts of the small store whose questions are asked."""
        return asked(corpus(min(SMALL_ROWS, self.rows)), QUESTIONS)

    @cached_property
    def plain(self) -> PlainSearch:
        """The hand-made search over the same texts and vectors as the large store."""
        return PlainSearch.over(self.large / "ledger.sqlite3", self.work / "plain.sqlite3")

    def open(self, home: Path, *, catch_up_ms: int | None = None) -> Satchel:
        """Open a store in this process."""
        settings = replace(self.settings, home=str(home))
        patient = replace(settings.recall, catch_up_ms=catch_up_ms) if catch_up_ms else settings.recall
        return Satchel.open(settings=replace(settings, recall=patient))

    def command(self, *arguments: str) -> Sequence[str]:
        """Return the command line that runs satchel as a person would."""
        installed = Path(sys.executable).with_name("satchel")
        return [str(installed), *arguments] if installed.exists() else [sys.executable, "-m", "satchel", *arguments]

    @cached_property
    def _contents(self) -> list[Text]:
        return corpus(self.rows)

    def _copy(self, rows: int, name: str, standing: Standing = GRADED) -> Path:
        return Path(shutil.copytree(self._filled(rows, standing), self.work / name))

    def _filled(self, rows: int, standing: Standing = GRADED) -> Path:
        # Asked for by several measurements; --fresh fills each kind of store once.
        if (rows, standing) not in self._stores:
            self._stores[rows, standing] = filled_store(rows, standing, self.settings, fresh=self.fresh)
        return self._stores[rows, standing]

    @cached_property
    def _stores(self) -> dict[tuple[int, Standing], Path]:
        return {}
