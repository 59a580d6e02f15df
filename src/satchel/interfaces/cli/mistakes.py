"""Errors for command lines that cannot be parsed: what is wrong, what was probably meant, and an example."""

from collections.abc import Iterable, Sequence

from satchel.errors import InvalidRequest
from satchel.interfaces.cli.table import positional_name
from satchel.interfaces.operations import Parameter

# How near an option must be, from 0 to 1, to be suggested.
MIN_LIKENESS = 0.7
# How near a command with another first letter must be.
MIN_LIKENESS_OF_OTHER_LETTER = 0.8


class UsageError(InvalidRequest):
    """A command line that cannot be parsed, with the command words that could."""

    def __init__(self, message: str, prog: str, hint: str = "") -> None:
        super().__init__(message, code="usage", hint=hint or f"see '{prog} --help'")
        self.words = prog.split()[1:]


def unknown_command(typed: str, known: Iterable[str], group: str = "") -> UsageError:
    """Return the error for a word that does not name a command, or a command of a group, with a similar one."""
    prefix, names = f"{group} " if group else "", sorted(known)
    siblings = {name.removeprefix(prefix).split()[0] for name in names}
    meant = [prefix + one for one in _similar(typed, sorted(siblings))]
    # It may be the last word of a command in a group.
    meant = meant or [one for one in names if one.split()[1:] == [typed]][:3]
    prog = f"satchel {group}".strip()
    return UsageError(f"unknown command {f'{prefix}{typed}'[:80]!r}", prog, _hint(meant, prog))


def unknown_option(typed: str, known: Iterable[str], prog: str, commands: Iterable[str] = ()) -> UsageError:
    """Return the error for an option that a command does not have, with a command or an option that was probably meant."""
    name = typed.partition("=")[0]
    group, word = prog.removeprefix("satchel").split()[:1], name.lstrip("-")
    subcommand = " ".join([*group, word])
    meant = [f"satchel {subcommand}"] if subcommand in commands else _similar_option(name, known)
    hint = _hint(meant, prog)
    if not name.startswith("--"):
        hint += "; put -- before a text that begins with a dash"
    return UsageError(f"unknown option {name[:80]!r}", prog, hint)


def _similar_option(name: str, known: Iterable[str]) -> list[str]:
    """Compare without the dashes, which every option shares."""
    from difflib import get_close_matches

    meant = get_close_matches(name.lstrip("-"), sorted(one.lstrip("-") for one in known), n=1, cutoff=MIN_LIKENESS)
    return [f"--{one}" for one in meant]


def unexpected_words(words: Sequence[str], prog: str, takes: Sequence[Parameter]) -> UsageError:
    """Return the error for words that a command does not take, with what it takes instead.

    The quotes of a text were probably left out, or the dashes of an option.
    """
    places = [one for one in takes if one.positional]
    needed = [one.option for one in takes if one.required and not one.positional]
    texts = [positional_name(one) for one in places if one.stdin]
    meant = [one.option for one in takes if not one.positional and one.option == f"--{words[0]}"]
    if meant:
        hint = _hint(meant, prog)
    elif needed:
        hint = f"it needs {' and '.join(needed)}: see '{prog} --help'"
    elif texts:
        hint = f'put {texts[0]} in quotes: {prog} "…"'
    else:
        names = ", ".join(map(positional_name, places))
        taken = f"one {names}" if len(places) == 1 else names or "only options"
        hint = f"it takes {taken}: see '{prog} --help'"
    return UsageError(f"unrecognized arguments: {' '.join(words)}", prog, hint)


def missing_arguments(names: str, prog: str, example: str) -> UsageError:
    """Return the error for a command without arguments that it needs."""
    return UsageError(f"{prog.removeprefix('satchel ')} needs {names}", prog, f"such as: {example}" if example else "")


def _similar(word: str, known: Sequence[str]) -> list[str]:
    """Return the nearest known word, if one is near: few slips change the first letter."""
    from difflib import get_close_matches  # slow to import, and needed only for errors

    nearest = get_close_matches(word, known, n=1, cutoff=MIN_LIKENESS_OF_OTHER_LETTER)
    return nearest or get_close_matches(word, [one for one in known if one[:1] == word[:1]], n=1)


def _hint(meant: Sequence[str], prog: str) -> str:
    suggestion = f"did you mean {' or '.join(repr(one) for one in meant)}? " if meant else ""
    return f"{suggestion}'{prog} --help' lists all"
