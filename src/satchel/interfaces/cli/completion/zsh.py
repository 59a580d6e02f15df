"""The completion script of zsh: a file in $fpath, or sourced after compinit."""

from collections.abc import Iterable, Sequence

from satchel.interfaces.cli.completion.tree import Node

_LOGIC = r"""
_satchel() {
    local command option helping ended word
    local -a commands options valued values
    integer argument=1 i
    _satchel_command ''
    for ((i = 2; i < CURRENT; i++)); do
        word=${(Q)words[i]}
        if [[ -n $option ]]; then
            option=
        elif [[ -z $ended && $word == -- ]]; then
            ended=1
        elif [[ -z $ended && $word == -* ]]; then
            (( ${valued[(Ie)$word]} )) && option=$word
        elif [[ -z $command && $word == help ]]; then
            helping=1
        elif (( argument == 1 && ${commands[(I)${(b)word}:*]} )); then
            command="${command:+$command }$word"
            _satchel_command "$command"
        else
            (( argument++ ))
        fi
    done
    word=$PREFIX
    if [[ -n $helping ]]; then
        _describe -t commands command commands
    elif [[ -n $option ]]; then
        _satchel_offer "$command $option"
    elif [[ -z $ended && $word == --*=* ]]; then
        compset -P 1 '*='
        _satchel_offer "$command ${word%%=*}"
    elif [[ -z $ended && $word == -* ]]; then
        _describe -o -t options option options
    else
        (( argument == 1 && $#commands )) && _describe -t commands command commands
        _satchel_offer "$command #$argument"
    fi
}

_satchel_offer() {
    _satchel_values "$1"
    case $values in
        @files) _files ;;
        @folders) _files -/ ;;
        *) (( $#values )) && compadd -a values ;;
    esac
}

# In a file of $fpath this script is the body of the function, and otherwise it is sourced.
if [[ $funcstack[1] == _satchel ]]; then
    _satchel "$@"
else
    compdef _satchel satchel openclaw-mem
fi
"""


def script(nodes: Sequence[Node]) -> str:
    """Return the script."""
    lines = [
        "#compdef satchel openclaw-mem",
        "# Completion of satchel in zsh, written by 'satchel completion zsh'.",
        "",
    ]
    lines += ["_satchel_command() {", "    commands=() options=() valued=()", "    case $1 in"]
    for node in nodes:
        lines += [
            f"        ({_quoted(node.words)})",
            f"            commands=({_described(node.commands)})",
            f"            options=({_described((option.name, option.help) for option in node.options)})",
            f"            valued=({' '.join(option.name for option in node.options if option.takes_value)}) ;;",
        ]
    lines += ["    esac", "}", "", "_satchel_values() {", "    values=()", "    case $1 in"]
    lines += [
        f"        ({_quoted(f'{node.words} {place}')}) values=({' '.join(values)}) ;;"
        for node in nodes
        for place, values in node.values()
    ]
    return "\n".join([*lines, "    esac", "}"]) + "\n" + _LOGIC


def _described(names: Iterable[tuple[str, str]]) -> str:
    return " ".join(_quoted(f"{name}:{help}") for name, help in names)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
