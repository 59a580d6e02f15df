"""What an operation runs in."""

from collections.abc import Callable
from functools import cached_property

from satchel.app import Satchel
from satchel.config import Settings, SettingsSources
from satchel.ports import Progress
from satchel.wiring.adapters import ledger_path


class Session:
    """What an operation runs in: the settings, and a store that is opened when it is first needed."""

    def __init__(
        self,
        sources: SettingsSources,
        actor: str,
        *,
        progress: Progress,
        note: Callable[[str], None],
        tell: Callable[[str], None],
        pipes: bool = False,
    ) -> None:
        """`note` takes what is said on the way; `tell` what is part of the answer to a person.

        With `pipes` the standard streams are free to carry memories.
        """
        self.sources = sources
        self.actor = actor
        self.progress = progress
        self.note = note
        self.tell = tell
        self.pipes = pipes

    @property
    def settings(self) -> Settings:
        """The settings. What is wrong with them shows here: what mends them must run all the same."""
        return self.sources.settings

    @cached_property
    def memory(self) -> Satchel:
        """The store. One that is made for the occasion is mentioned, since a wrong folder looks like an empty store."""
        existed = ledger_path(self.settings).exists()
        opened = Satchel.open(settings=self.settings, actor=self.actor, pipes=self.pipes)
        if not existed:
            made = ledger_path(self.settings)
            self.note(f"a new store was made in {made if self.settings.ledger else made.parent}")
        return opened

    def acting_as(self, actor: str) -> "Session":
        """Return the session of somebody else over the same open store."""
        other = Session(self.sources, actor, progress=self.progress, note=self.note, tell=self.tell, pipes=self.pipes)
        other.__dict__["memory"] = self.memory.acting_as(actor)
        return other

    def close(self) -> None:
        """Close the store, if it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()
