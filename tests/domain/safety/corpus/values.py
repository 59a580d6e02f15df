"""Seeded values: fill the pieces of a shape with random characters."""

import random
import re
import string
import uuid

LOWER = string.ascii_lowercase + string.digits
WORD = string.ascii_letters + string.digits

ALPHABETS = {
    "w": WORD,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "u": string.ascii_uppercase + string.digits,
    "l": LOWER,
    "b": WORD + "+/",
    "s": WORD + "_-",
    "d": string.digits,
    "q": string.ascii_uppercase + "234567",
    "e": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
}
WORDS = ("orange", "Falcon", "winter", "Copper", "harbor", "Maple", "rocket", "Violet", "meadow", "Granite")
SIGNS = "!@#$%*?+"

_PIECE = re.compile(r"\{(?:(?P<alphabet>[whHulbsdqe])(?P<length>\d+)|(?P<name>uuid|password|token))\}")


def filled(shape: str, chosen: random.Random) -> tuple[str, tuple[str, ...]]:
    """Return a shape with its pieces filled in, and the values of the pieces."""
    pieces: list[str] = []

    def fill(piece: re.Match[str]) -> str:
        pieces.append(_value(piece, chosen))
        return pieces[-1]

    return _PIECE.sub(fill, shape), tuple(pieces)


def _value(piece: re.Match[str], chosen: random.Random) -> str:
    if piece["alphabet"]:
        return _random(ALPHABETS[piece["alphabet"]], int(piece["length"]), chosen)
    return {"uuid": _uuid, "password": _password, "token": _token}[piece["name"]](chosen)


def _random(alphabet: str, length: int, chosen: random.Random) -> str:
    inner = "".join(chosen.choices(alphabet, k=length))
    # A key never begins or ends with a sign.
    plain = [letter for letter in alphabet if letter.isalnum()]
    return (chosen.choice(plain) + inner[1:-1] + chosen.choice(plain)) if length > 1 else chosen.choice(plain)


def _uuid(chosen: random.Random) -> str:
    return str(uuid.UUID(int=chosen.getrandbits(128), version=4))


def _password(chosen: random.Random) -> str:
    """Return a password of a person: a word, digits and mostly a sign."""
    word, digits = chosen.choice(WORDS), str(chosen.randint(10, 9999))
    return chosen.choice(
        (f"{word}{digits}{chosen.choice(SIGNS)}", f"{word}{chosen.choice(SIGNS)}{digits}", word + digits)
    )


def _token(chosen: random.Random) -> str:
    return _random(
        chosen.choice((WORD, LOWER, ALPHABETS["h"], ALPHABETS["s"])), chosen.choice((20, 24, 32, 40)), chosen
    )
