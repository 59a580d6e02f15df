"""The context an operation runs in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.errors import NotFound
from satchel.wiring.store_path import ledger_path, store_exists

if TYPE_CHECKING:
    from satchel.app import Satchel
    from satchel.config import Settings, SettingsSources
    from satchel.domain.answers import HealthFinding
    from satchel.ports import Progress


class Session:
    """Settings, an actor, output callbacks, and a store that is opened on first use."""

    def __init__(
        self,
        sources: SettingsSources,
        actor: str,
        *,
        progress: Progress,
        note: Callable[[str], None],
        tell: Callable[[str], None],
        ask: Callable[[str], bool] = lambda question: True,
        must_agree: Callable[[str], bool] = lambda question: True,
        edit_text: Callable[[str], str] | None = None,
        pipes: bool = False,
        folder: str | None = ".",
        count_records: Callable[[str, int], None] = lambda who, count: None,
        creates: bool = True,
    ) -> None:
        """`note` takes remarks while work goes on, `tell` parts of the answer that are known early.

        `ask` puts a question to the person, and answers yes where nobody can be asked: the command itself is the wish.
        `must_agree` raises InvalidRequest there: the files of another program are changed only by a person's word.
        `edit_text` lets the person edit a text; None where there is no person.
        With `pipes`, exports and imports may use standard output and input. `folder` is where the actor works, for the
        scope `auto`; None if that is unknown. `count_records` counts the records that somebody is about to store, and
        raises LimitReached if they are too many. Without `creates`, a folder that was named and has no store is an error:
        its name is probably mistyped.
        """
        self.sources = sources
        self.actor = actor
        self.progress = progress
        self.note = note
        self.tell = tell
        self.ask = ask
        self.must_agree = must_agree
        self.edit_text = edit_text
        self.pipes = pipes
        self.folder = folder
        self.count_records = count_records
        self.creates = creates

    @property
    def settings(self) -> Settings:
        """The settings. Raises if they are invalid; `config` commands read `sources` instead, to repair them."""
        return self.sources.settings

    @cached_property
    def memory(self) -> Satchel:
        """The store. Creating one is noted, since a wrong folder looks like an empty store."""
        from satchel.app import Satchel

        existed = store_exists(self.settings)
        if not (existed or self.creates or self.settings.has_own_file) and self.settings.home:
            raise NotFound(
                f"no store in {self.settings.home_folder}",
                code="no_store",
                hint="check the name; 'satchel store' creates a store",
            )
        opened = self._open()
        if not existed:
            path = ledger_path(self.settings)
            self.note(f"created a new store in {path if self.settings.has_own_file else path.parent}")
        return Satchel(replace(opened.parts, check_configuration=self._configuration_findings))

    def _open(self) -> Satchel:
        from satchel.app import Satchel

        if not self.settings.address:
            return Satchel.open(settings=self.settings, actor=self.actor, pipes=self.pipes, folder=self.folder)
        from satchel.wiring.postgres import telling  # few stores are in a database

        with telling(self.note):
            return Satchel.open(settings=self.settings, actor=self.actor, pipes=self.pipes, folder=self.folder)

    def _configuration_findings(self) -> Iterator[HealthFinding]:
        # Few commands need them.
        from satchel.interfaces.configuration_findings import host_findings, settings_findings
        from satchel.interfaces.install.operations import installer_of

        yield from settings_findings(self.sources)
        yield from host_findings(installer_of(self))

    def acting_as(self, actor: str, folder: str | None = None) -> Session:
        """Return a session of another actor, who works in another folder, over the same open store."""
        other = Session(
            self.sources,
            actor,
            progress=self.progress,
            note=self.note,
            tell=self.tell,
            ask=self.ask,
            edit_text=self.edit_text,
            pipes=self.pipes,
            folder=folder or self.folder,
            count_records=self.count_records,
            creates=self.creates,
        )
        other.__dict__["memory"] = self.memory.acting_as(actor, folder)
        return other

    def close(self) -> None:
        """Close the store if it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()
