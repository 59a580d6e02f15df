"""An operation as every interface sees it, derived from the annotated signature of the method it calls."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from msgspec import Struct
from msgspec.structs import asdict

from satchel.core.operations import MARK, OperationSpec, Param
from satchel.domain.envelope import Ok
from satchel.interfaces.operations.session import Session
from satchel.ports import Progress


class Parameter(Struct, frozen=True):
    """One parameter of an operation."""

    name: str
    help: str
    type: type = str
    """str, int, float or bool; dict for a JSON object, list for a JSON list."""
    default: Any = None
    required: bool = False
    positional: bool = False
    choices: tuple[str, ...] = ()
    repeated: bool = False
    """A list: the option is given once for each of its entries."""
    from_stdin: bool = False
    in_file: bool = False
    file: bool = False
    flag: str = ""
    off: str = ""
    operator_only: bool = False

    @property
    def option(self) -> str:
        """The option's name on the command line; for a switch that is on by default, the option that turns it off."""
        on = self.type is bool and self.default
        return ("--no-" if on else "--") + (self.flag or self.name).replace("_", "-")


class Operation(OperationSpec, frozen=True, kw_only=True):
    """One operation: its name and help, its parameters, its result type and how it is run."""

    help: str
    details: str
    parameters: tuple[Parameter, ...]
    result: Any
    run: Callable[[Session, Mapping[str, Any]], Ok[Any]]


def derived(function: Any, owner: Callable[[Session], Any] | None = None) -> Operation:
    """Return the operation that a marked function is: a method of what `owner` returns, or a function of a session."""
    spec: OperationSpec = function.__dict__[MARK]
    annotations, name = function.__annotations__, function.__name__
    takes_progress = annotations.get("progress") == Progress | None

    def run(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        extra = {"progress": session.progress} if takes_progress else {}
        if owner is None:
            return cast("Ok[Any]", function(session, **given, **extra))
        return cast("Ok[Any]", getattr(owner(session), name)(**given, **extra))

    (result,) = get_args(annotations["return"])
    help, details = _help(function.__doc__ or spec.name)
    return Operation(
        **asdict(spec),
        help=help,
        details=details,
        parameters=_parameters(function),
        # The result of a tool wraps the shape that its specification fixes.
        result=get_args(result)[0] if spec.agents_only else result,
        run=run,
    )


def _help(docstring: str) -> tuple[str, str]:
    """Return the first line, as it stands in a list of commands, and the rest as one paragraph."""
    first, _, rest = docstring.partition("\n")
    first = first.strip().removesuffix(".")
    return first[0].lower() + first[1:], " ".join(rest.split())


def _parameters(function: Any) -> tuple[Parameter, ...]:
    # `inspect.signature` says the same, and takes longer to load than a short command has.
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    with_default = names[: code.co_argcount][-len(function.__defaults__ or ()) :]
    defaults = dict(zip(with_default, function.__defaults__ or (), strict=False)) | (function.__kwdefaults__ or {})
    annotated = {name: function.__annotations__.get(name) for name in names}
    return tuple(
        _parameter(name, kind.__origin__, param, required=name not in defaults, default=defaults.get(name))
        for name, kind in annotated.items()
        for param in getattr(kind, "__metadata__", ())
    )


def _parameter(name: str, kind: Any, param: Param, *, required: bool, default: Any) -> Parameter:
    plain, repeated = _type(kind, each=param.each)
    return Parameter(
        name,
        param.help,
        type=plain,
        default=() if required and repeated else default.value if isinstance(default, Enum) else default,
        required=required,
        positional=param.positional,
        choices=tuple(str(choice) for choice in param.choices),
        repeated=repeated,
        from_stdin=param.stdin,
        in_file=param.in_file,
        file=param.file,
        flag=param.flag,
        off=param.off,
        operator_only=param.operator_only,
    )


def _type(kind: Any, *, each: bool) -> tuple[type, bool]:
    """Return the plain type of a parameter, and whether its option is given once for each entry of a list."""
    if get_origin(kind) in (Union, UnionType):
        # The first of several is what a text on the command line becomes.
        kind = next(one for one in get_args(kind) if one is not NoneType)
    if isinstance(kind, type):
        return kind, False
    if get_origin(kind) is Mapping:
        return dict, False
    if get_origin(kind) in (Sequence, Collection):
        (item,) = get_args(kind)
        if item is str or item is int:
            return item, True
        return (dict, True) if each else (list, False)
    raise TypeError(f"{kind!r} cannot be the type of a parameter")
