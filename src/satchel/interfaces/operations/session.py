"""The context an operation runs in."""

from collections.abc import Callable
from functools import cached_property

from satchel.app import Satchel
from satchel.config import Settings, SettingsSources
from satchel.ports import Progress
from satchel.wiring.adapters import ledger_path, store_exists


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
        edit_text: Callable[[str], str] | None = None,
        pipes: bool = False,
        folder: str | None = ".",
    ) -> None:
        """`note` takes remarks while work goes on, `tell` parts of the answer that are known early.

        `ask` puts a question to the person, and answers yes where nobody can be asked: the command itself is the wish.
        `edit_text` lets the person edit a text; None where there is no person.
        With `pipes`, exports and imports may use standard output and input. `folder` is where the actor works, for the
        scope `auto`; None if that is unknown.
        """
        self.sources = sources
        self.actor = actor
        self.progress = progress
        self.note = note
        self.tell = tell
        self.ask = ask
        self.edit_text = edit_text
        self.pipes = pipes
        self.folder = folder

    @property
    def settings(self) -> Settings:
        """The settings. Raises if they are invalid; `config` commands read `sources` instead, to repair them."""
        return self.sources.settings

    @cached_property
    def memory(self) -> Satchel:
        """The store. Creating one is noted, since a wrong folder looks like an empty store."""
        existed = store_exists(self.settings)
        opened = Satchel.open(settings=self.settings, actor=self.actor, pipes=self.pipes, folder=self.folder)
        if not existed:
            path = ledger_path(self.settings)
            self.note(f"created a new store in {path if self.settings.has_own_file else path.parent}")
        return opened

    def acting_as(self, actor: str, folder: str | None = None) -> "Session":
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
        )
        other.__dict__["memory"] = self.memory.acting_as(actor, folder)
        return other

    def close(self) -> None:
        """Close the store if it was opened."""
        if "memory" in self.__dict__:
            self.memory.close()
