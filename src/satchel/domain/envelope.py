"""The one answer shape of every operation and every edge."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from satchel.domain.receipt import Receipt

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Ok(Generic[T_co]):
    """It was done: the result, and the receipt for it."""

    result: T_co
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Failed:
    """It was not done: a stable code, a line for people, what to do next, and the receipt."""

    code: str
    message: str
    hint: str
    receipt: Receipt
