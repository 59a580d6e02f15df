"""Derive an operation from the annotated signature and the docstring of the method it calls."""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from msgspec.structs import asdict

from satchel.core.operations import MARK, OperationSpec, Param
from satchel.domain.envelope import Ok
from satchel.interfaces.operations.session import Session
from satchel.ports import Ask, EditText, Progress, Tell

# What a session provides to an operation that takes it: each is an attribute of the session.
_PROVIDED: Mapping[str, Any] = {
    "progress": Progress | None,
    "ask": Ask | None,
    "edit_text": EditText | None,
    "tell": Tell | None,
}


class Parameter(Param, frozen=True, kw_only=True):
    """One parameter of an operation: its `Param`, and what the signature says."""

    name: str
    type: type = str
    """str, int, float or bool; dict for a JSON object, list for a JSON list."""
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    repeated: bool = False
    """A list, whose option is given once per entry."""

    def __post_init__(self) -> None:
        """Require that a switch says what its option on the command line does."""
        if self.turns_off and not self.off:
            raise TypeError(
                f"the switch {self.name!r} is on by default: its Param needs `off`, the help of {self.option}"
            )

    @property
    def turns_off(self) -> bool:
        """Whether its option turns a switch off, because it is on by default."""
        return self.type is bool and bool(self.default)

    @property
    def option(self) -> str:
        """The option's name on the command line."""
        return ("--no-" if self.turns_off else "--") + (self.flag or self.name).replace("_", "-")


class Operation(OperationSpec, frozen=True, kw_only=True):
    """An operation as every interface sees it."""

    help: str
    details: str
    parameters: tuple[Parameter, ...]
    result: Any
    run: Callable[[Session, Mapping[str, Any]], Ok[Any]]


def derive_operation(function: Any, owner: Callable[[Session], Any] | None = None) -> Operation:
    """Return the operation of a marked function: a method of what `owner` returns, or a function of a session."""
    spec: OperationSpec = function.__dict__[MARK]
    annotations, name = function.__annotations__, function.__name__
    provided = [name for name, kind in _PROVIDED.items() if annotations.get(name) == kind]

    def run(session: Session, given: Mapping[str, Any]) -> Ok[Any]:
        extra = {name: getattr(session, name) for name in provided}
        if owner is None:
            return cast("Ok[Any]", function(session, **given, **extra))
        return cast("Ok[Any]", getattr(owner(session), name)(**given, **extra))

    (result,) = get_args(annotations["return"])
    help, details = _split_docstring(function.__doc__ or spec.name)
    return Operation(
        **asdict(spec),
        help=help,
        details=details,
        parameters=_parameters(function),
        # A tool's result type is the argument of its generic wrapper.
        result=get_args(result)[0] if spec.agents_only else result,
        run=run,
    )


def _split_docstring(docstring: str) -> tuple[str, str]:
    """Return the first line, in lower case and without a period, and the rest as one paragraph."""
    first, _, rest = docstring.partition("\n")
    first = first.strip().removesuffix(".")
    return first[0].lower() + first[1:], " ".join(rest.split())


def _parameters(function: Any) -> tuple[Parameter, ...]:
    # `inspect.signature` would do this, but importing it slows down every command.
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
    values = asdict(param) | {
        "name": name,
        "type": plain,
        "default": () if required and repeated else default.value if isinstance(default, Enum) else default,
        "required": required,
        "choices": tuple(str(choice) for choice in param.choices),
        "repeated": repeated,
    }
    return Parameter(**values)


def _type(kind: Any, *, each: bool) -> tuple[type, bool]:
    """Return the plain type of a parameter, and whether its option is repeated for the entries of a list."""
    if get_origin(kind) in (Union, UnionType):
        # The first type of a union is the one that the command line parses.
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
    raise TypeError(f"{kind!r} is not supported as the type of a parameter")
