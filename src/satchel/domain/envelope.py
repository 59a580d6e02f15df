"""The one answer shape of every operation and every edge."""

from typing import Generic, TypeVar

from msgspec import Struct

from satchel.domain.receipt import Receipt

T_co = TypeVar("T_co", covariant=True)


class Ok(Struct, Generic[T_co], frozen=True):
    """It was done: the result, and the receipt for it."""

    result: T_co
    receipt: Receipt


class Failed(Struct, frozen=True):
    """It was not done: a stable code, a line for people, what to do next, and the receipt."""

    code: str
    message: str
    hint: str
    receipt: Receipt
