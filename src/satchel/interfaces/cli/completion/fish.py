"""The completion script of fish: one function that prints what fits, each with its help."""

from collections.abc import Iterable, Sequence

from satchel.interfaces.cli.completion.tree import Node

_LOGIC = r"""
function __satchel_complete
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l command
    set -l option
    set -l helping
    set -l ended
    set -l argument 1
    for word in $words[2..]
        if test -n "$option"
            set option
        else if test -z "$ended" -a "$word" = --
            set ended 1
        else if test -z "$ended"; and string match -q -- '-*' $word
            contains -- $word (__satchel_valued "$command"); and set option $word
        else if test -z "$command" -a "$word" = help
            set helping 1
        else if test $argument -eq 1; and __satchel_commands "$command" | string match -q -- $word\t'*'
            set command (string trim -- "$command $word")
        else
            set argument (math $argument + 1)
        end
    end
    if test -n "$helping"
        __satchel_commands "$command"
    else if test -n "$option"
        __satchel_offer "$command $option" '' $current
    else if test -z "$ended"; and set -l parts (string match -r -- '^(--[^=]+=)(.*)$' $current)
        __satchel_offer "$command "(string trim -r -c = -- $parts[2]) $parts[2] $parts[3]
    else if test -z "$ended"; and string match -q -- '-*' $current
        __satchel_options "$command"
    else
        test $argument -eq 1; and __satchel_commands "$command"
        __satchel_offer "$command #$argument" '' $current
    end
end

function __satchel_offer
    set -l values (__satchel_values $argv[1])
    switch "$values"
        case @files
            # What fish completes after a command that it does not know; it expands ~ too.
            set values (complete -C "'' $argv[3]")
        case @folders
            set values (__fish_complete_directories $argv[3] '')
    end
    test -n "$values"; and printf '%s\n' $argv[2]$values
end

complete -c satchel -f -a '(__satchel_complete)'
complete -c openclaw-mem -f -a '(__satchel_complete)'
"""


def script(nodes: Sequence[Node]) -> str:
    """Return the script."""
    parts = ["# Completion of satchel in fish, written by 'satchel completion fish'.", ""]
    parts += _function("commands", ((node.words, _described(node.commands)) for node in nodes if node.commands))
    parts += _function("options", ((one.words, _described((o.name, o.help) for o in one.options)) for one in nodes))
    parts += _function("valued", ((node.words, [o.name for o in node.options if o.takes_value]) for node in nodes))
    parts += _function("values", ((f"{one.words} {place}", values) for one in nodes for place, values in one.values()))
    return "\n".join(parts) + _LOGIC


def _function(name: str, cases: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Return a function that prints the lines of its argument."""
    lines = [f"function __satchel_{name}", '    switch "$argv[1]"']
    for case, printed in cases:
        lines += [f"        case {_quoted(case)}", f"            printf '%s\\n' {' '.join(map(_quoted, printed))}"]
    return [*lines, "    end", "end", ""]


def _described(names: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name}\t{help}" for name, help in names]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
