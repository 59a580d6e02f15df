"""The context an operation runs in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.errors import NotFound
from satchel.wiring.store_path import ledger_path, store_exists

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

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
        answers_without_store: bool = False,
    ) -> None:
        """`note` takes remarks while work goes on, `tell` parts of the answer that are known early.

        `ask` puts a question to the person, and answers yes where nobody can be asked: the command itself is the wish.
        `must_agree` raises InvalidRequest there: the files of another program are changed only by a person's word.
        `edit_text` lets the person edit a text; None where there is no person.
        With `pipes`, exports and imports may use standard output and input. `folder` is where the actor works, for the
        scope `auto`; None if that is unknown. `count_records` counts the records that somebody is about to store, and
        raises LimitReached if they are too many. Without `creates`, a folder that was named and has no store is an error,
        since its name is probably mistyped, or with `answers_without_store` an empty store that is not kept.
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
        self.answers_without_store = answers_without_store

    @property
    def settings(self) -> Settings:
        """The settings. Raises if they are invalid; `config` commands read `sources` instead, to repair them."""
        return self.sources.settings

    @cached_property
    def memory(self) -> Satchel:
        """The store. That there was none is noted, since a wrong folder looks like an empty store."""
        from satchel.app import Satchel

        existed = store_exists(self.settings)
        if not (existed or self.creates or self.settings.has_own_file) and self.settings.home:
            opened = self._open(self._empty_store())
        else:
            opened = self._open(self.settings)
            if not existed:
                path = ledger_path(self.settings)
                self.note(f"created a new store in {path if self.settings.has_own_file else path.parent}")
        return Satchel(replace(opened.parts, check_configuration=self._configuration_findings))

    def _open(self, settings: Settings) -> Satchel:
        from satchel.app import Satchel

        if not settings.address:
            return Satchel.open(settings=settings, actor=self.actor, pipes=self.pipes, folder=self.folder)
        from satchel.wiring.postgres import telling  # few stores are in a database

        with telling(self.note):
            return Satchel.open(settings=settings, actor=self.actor, pipes=self.pipes, folder=self.folder)

    def _empty_store(self) -> Settings:
        """Return the settings of an empty store in a temporary folder, for what answers without a store. Else raises NotFound."""
        missing, hint = f"no store in {self.settings.home_folder}", "check the name; 'satchel store' creates a store"
        if not self.answers_without_store:
            raise NotFound(missing, code="no_store", hint=hint)
        self.note(f"{missing} yet ({hint})")
        return replace(self.settings, home=self._temporary_folder.name, index="", read_only=False)

    @cached_property
    def _temporary_folder(self) -> TemporaryDirectory[str]:
        from tempfile import TemporaryDirectory  # few commands need it

        return TemporaryDirectory(prefix="satchel-")

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
            answers_without_store=self.answers_without_store,
        )
        other.__dict__["memory"] = self.memory.acting_as(actor, folder)
        return other

    def close(self) -> None:
        """Close the store if it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()
        if "_temporary_folder" in self.__dict__:
            self._temporary_folder.cleanup()
