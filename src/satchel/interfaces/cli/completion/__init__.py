"""Completion scripts for shells, made from the table of commands. They are static: a key press starts no process."""

from satchel.interfaces.cli.completion import bash, fish, zsh
from satchel.interfaces.cli.completion.tree import command_tree

_WRITERS = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def completion_script(shell: str) -> str:
    """Return the script that completes all commands in a shell."""
    return _WRITERS[shell](command_tree())
