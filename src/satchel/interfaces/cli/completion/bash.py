"""The completion script of bash. It works in bash 3.2, which macOS has, and needs no other package."""

from collections.abc import Sequence

from satchel.interfaces.cli.completion.tree import Node

_LOGIC = r"""
_satchel_add() {
    local found
    while IFS= read -r found; do
        COMPREPLY[${#COMPREPLY[@]}]=$1$found
    done
}

_satchel() {
    local IFS=$' \t\n' command= commands options valued values
    local current=${COMP_WORDS[COMP_CWORD]} option= prefix= helping= ended= argument=1 word i
    _satchel_command ''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $option ]]; then
            # bash makes a word of the "=" in --kind=fact.
            [[ $word == = ]] || option=
        elif [[ -z $ended && $word == -- ]]; then
            ended=1
        elif [[ -z $ended && $word == -* ]]; then
            [[ " $valued " == *" $word "* ]] && option=$word
        elif [[ -z $command && $word == help ]]; then
            helping=1
        elif [[ $argument == 1 && " $commands " == *" $word "* ]]; then
            command=${command:+$command }$word
            _satchel_command "$command"
        else
            argument=$((argument + 1))
        fi
    done
    COMPREPLY=()
    if [[ -n $helping ]]; then
        values=$commands
    elif [[ -n $option ]]; then
        [[ $current == = ]] && current=
        _satchel_values "$command $option"
    elif [[ -z $ended && $current == --*=* ]]; then
        prefix=${current%%=*}=
        _satchel_values "$command ${current%%=*}"
        current=${current#*=}
    elif [[ -z $ended && $current == -* ]]; then
        values=$options
    else
        _satchel_values "$command #$argument"
        [[ $argument == 1 ]] && values="$commands $values"
    fi
    case $values in
        *@files)
            compopt -o filenames 2>/dev/null
            _satchel_add "$prefix" < <(compgen -f -- "$current") ;;
        *@folders)
            compopt -o filenames 2>/dev/null
            _satchel_add "$prefix" < <(compgen -d -- "$current") ;;
        *)
            _satchel_add "$prefix" < <(compgen -W "$values" -- "$current") ;;
    esac
}

complete -F _satchel satchel openclaw-mem
"""


def script(nodes: Sequence[Node]) -> str:
    """Return the script."""
    lines = ["# Completion of satchel in bash, written by 'satchel completion bash'.", "", "_satchel_command() {"]
    lines += ["    commands= options= valued=", "    case $1 in"]
    lines += [_command_case(node) for node in nodes]
    lines += ["    esac", "}", "", "_satchel_values() {", "    values=", "    case $1 in"]
    lines += [f"        {patterns}) values='{values}' ;;" for values, patterns in _values(nodes).items()]
    return "\n".join([*lines, "    esac", "}"]) + "\n" + _LOGIC


def _command_case(node: Node) -> str:
    commands = " ".join(name for name, _ in node.commands)
    options = " ".join(option.name for option in node.options)
    valued = " ".join(option.name for option in node.options if option.takes_value)
    return f"        '{node.words}') commands='{commands}' options='{options}' valued='{valued}' ;;"


def _values(nodes: Sequence[Node]) -> dict[str, str]:
    """Return which patterns have the same values, so that each list of values is written once."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for place, values in node.values():
            found.setdefault(" ".join(values), []).append(f"'{node.words} {place}'")
    return {values: "|".join(patterns) for values, patterns in found.items()}
