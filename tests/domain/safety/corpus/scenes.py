"""Secrets of no known form in realistic surroundings, and lines without one: files that are filled with seeded values.

«…» stands for a secret, ‹…› for something harmless. Half of the surroundings are held out from the work on the rules.
"""

import hashlib
import random
import re
import string
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.domain.safety.corpus.samples import Sample
from tests.domain.safety.corpus.values import ALPHABETS, LOWER, WORD

FOLDER = Path(__file__).parent / "scenes"
SECRET_FILES = ("config", "code", "shell", "prose", "logs")
LINES_PER_SHAPE = 20

_SLOT = re.compile(r"«(?P<secret>[a-z0-9]+(?::\d+)?)»|‹(?P<plain>[^:›]+(?::\d+)?)›")
_ALPHABETS = {
    "alnum": WORD,
    "hex": ALPHABETS["h"],
    "HEX": ALPHABETS["H"],
    "hexupper": ALPHABETS["H"],
    "url": ALPHABETS["s"],
    "b64": ALPHABETS["b"],
    "b32": ALPHABETS["q"],
    "upper": ALPHABETS["u"],
    "l": LOWER,
    "digits": string.digits,
    "num": string.digits,
}
_NAMES = ("mara", "lea", "jonas", "priya", "diego", "olga", "tom", "noor", "kenji", "ines", "pavel", "ruth")
_WORDS = [
    "harbor",
    "winter",
    "orange",
    "copper",
    "meadow",
    "rocket",
    "granite",
    "violet",
    "basket",
    "window",
    "folder",
    "report",
    "invoice",
    "garden",
    "bridge",
    "lantern",
    "market",
    "ticket",
    "compass",
    "drawer",
    "engine",
    "pillow",
    "orchard",
    "canyon",
    "velvet",
    "marble",
    "saddle",
    "thunder",
    "pepper",
    "cactus",
    "island",
    "museum",
    "parser",
    "buffer",
    "thread",
    "socket",
    "packet",
    "render",
    "layout",
    "cursor",
    "filter",
    "schema",
    "branch",
    "commit",
    "editor",
    "widget",
    "method",
    "driver",
    "module",
    "backup",
    "deploy",
    "server",
    "client",
    "worker",
    "queue",
    "stream",
    "handler",
    "signal",
    "policy",
    "review",
    "session",
    "message",
    "channel",
    "account",
    "profile",
    "quick",
    "silent",
    "early",
    "narrow",
    "gentle",
    "modern",
    "public",
    "shared",
    "nested",
    "frozen",
    "simple",
    "steady",
    "bright",
    "hidden",
    "remote",
    "local",
    "weekly",
    "check",
    "update",
    "remove",
    "create",
    "follow",
    "gather",
    "measure",
    "prepare",
    "restore",
    "collect",
    "publish",
    "compare",
    "explain",
    "arrange",
    "connect",
]
_WÖRTER = [
    "Garten",
    "Drucker",
    "Rechnung",
    "Lager",
    "Fenster",
    "Ablage",
    "Sitzung",
    "Werkstatt",
    "Bericht",
    "Zeitplan",
    "Kunde",
    "Lieferung",
]
_PALABRAS = [
    "ventana",
    "informe",
    "pedido",
    "almacén",
    "cliente",
    "reunión",
    "jardín",
    "mercado",
    "factura",
    "equipo",
    "tarea",
    "puente",
]
_SÄTZE = (
    "Wir treffen uns am Dienstag im großen Raum.",
    "Der Bericht muss bis Freitag fertig sein.",
    "Bitte die Sicherung vor dem Umzug prüfen.",
    "Das Lager schließt um achtzehn Uhr.",
    "Die Kundin möchte lieber eine Rechnung auf Papier.",
    "Neue Server werden im März geliefert.",
)
_FRASES = (
    "La reunión empieza a las nueve en punto.",
    "El pedido llegó con dos días de retraso.",
    "Prefiere el informe en español.",
    "Hay que revisar la copia de seguridad antes del cambio.",
    "El almacén cierra los domingos.",
)
_句 = (
    "会议改到周三下午三点。",
    "请在发布前检查备份。",
    "他喜欢用深色主题写代码。",
    "这个项目使用 PostgreSQL 存储订单。",
    "明天上线新版本，注意观察日志。",
    "客户希望收到纸质发票。",
)
_SIGNS = "!@#$%^*_-+=.?~"


def scenes() -> Iterator[Sample]:
    """Yield every sample, the same in every run."""
    for name in SECRET_FILES:
        for shape in _read(name).split("\n====\n"):
            yield _filled(f"scene-{name}", shape.rstrip("\n"), random.Random(shape))
    for shape in _read("harmless").splitlines():
        chosen = random.Random(shape)
        for _ in range(LINES_PER_SHAPE):
            yield _filled("plain", shape, chosen)


def _read(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def _filled(group: str, shape: str, chosen: random.Random) -> Sample:
    secrets: list[str] = []

    def fill(slot: re.Match[str]) -> str:
        name, _, length = (slot["secret"] or slot["plain"]).partition(":")
        value = _value(name, int(length or 0), chosen)
        if slot["secret"]:
            secrets.append(value)
        return value

    text = _SLOT.sub(fill, shape)
    held = hashlib.sha256(shape.encode()).digest()[0] % 2 == 1
    return Sample(group, shape, text, tuple(secrets), held)


def _value(name: str, length: int, chosen: random.Random) -> str:
    if name in _ALPHABETS:
        return _letters(_ALPHABETS[name], length, chosen)
    return _MAKERS[name](length, chosen)


def _letters(alphabet: str, length: int, chosen: random.Random) -> str:
    plain = [letter for letter in alphabet if letter.isalnum()]
    inner = "".join(chosen.choices(alphabet, k=length))
    return chosen.choice(plain) + inner[1:-1] + chosen.choice(plain) if length > 1 else chosen.choice(plain)


def _chosen_password(_: int, chosen: random.Random) -> str:
    """Return a password that a person chose."""
    one, two = (chosen.choice(_WORDS) for _ in range(2))
    number, sign = chosen.randint(2, 2099), chosen.choice(_SIGNS)
    leet = one.translate(str.maketrans("aeiost", "4310$7"))
    return chosen.choice(
        (
            f"{one.title()}{number}{sign}",
            f"{one}{sign}{two}{number}",
            f"{leet}{number}",
            f"{sign}{one.title()}{number}",
            f"{one.title()}{two.title()}{number % 100}",
            f"{one}{number:04}",
            f"{one[:3].upper()}{number}{two[:3]}{sign}",
        )
    )


def _made_password(_: int, chosen: random.Random) -> str:
    """Return a password as password managers make them."""
    length = chosen.randint(12, 24)
    letters = chosen.choices(WORD + _SIGNS, k=length - 2)
    return "".join([chosen.choice(WORD), *letters, chosen.choice(string.digits)])


def _passphrase(_: int, chosen: random.Random) -> str:
    words = [chosen.choice(_WORDS) for _ in range(chosen.randint(3, 5))]
    words[0] += str(chosen.randint(1, 99))
    return chosen.choice("-._").join(words)


def _salt(_: int, chosen: random.Random) -> str:
    return "".join(chosen.choices(WORD + "!@#%^*()-_=+[]{}|;:,.<>/? ", k=62)) + "a1"


def _identifier(separator: str, case: Callable[[str], str]) -> Callable[[int, random.Random], str]:
    def make(_: int, chosen: random.Random) -> str:
        return separator.join(case(chosen.choice(_WORDS)) for _ in range(chosen.randint(2, 3)))

    return make


def _camel(_: int, chosen: random.Random) -> str:
    return chosen.choice(_WORDS) + "".join(chosen.choice(_WORDS).title() for _ in range(chosen.randint(1, 2)))


def _path(_: int, chosen: random.Random) -> str:
    parts = [chosen.choice(_WORDS) for _ in range(chosen.randint(1, 4))]
    return "/".join(part + chosen.choice(("", "", "_v2", "-2024", "s")) for part in parts)


def _words(length: int, chosen: random.Random) -> str:
    return " ".join(chosen.choice(_WORDS) for _ in range(length))


def _sentence(_: int, chosen: random.Random) -> str:
    middle = chosen.choice(("before the", "after every", "and a", "with the", "instead of one", "for each"))
    return f"{_words(chosen.randint(2, 4), chosen).capitalize()} {middle} {_words(chosen.randint(2, 5), chosen)}."


_MAKERS: dict[str, Callable[[int, random.Random], str]] = {
    "pw": _chosen_password,
    "strong": _made_password,
    "phrase": _passphrase,
    "salt": _salt,
    "bytes": lambda length, chosen: ", ".join(f"0x{chosen.randrange(256):02x}" for _ in range(length)),
    "uuid": lambda _, chosen: str(uuid.UUID(int=chosen.getrandbits(128), version=4)),
    "word": lambda _, chosen: chosen.choice(_WORDS),
    "Word": lambda _, chosen: chosen.choice(_WORDS).title(),
    "words": _words,
    "Words": lambda length, chosen: _words(length, chosen).title(),
    "sentence": _sentence,
    "name": lambda _, chosen: chosen.choice(_NAMES),
    "Name": lambda _, chosen: chosen.choice(_NAMES).title(),
    "snake": _identifier("_", str.lower),
    "SNAKE": _identifier("_", str.upper),
    "Camel": _identifier("", str.title),
    "camel": _camel,
    "path": _path,
    "wort": lambda _, chosen: chosen.choice(_WÖRTER),
    "palabra": lambda _, chosen: chosen.choice(_PALABRAS),
    "satz": lambda _, chosen: chosen.choice(_SÄTZE),
    "frase": lambda _, chosen: chosen.choice(_FRASES),
    "句": lambda _, chosen: chosen.choice(_句),
    "date": lambda _, chosen: f"20{chosen.randint(10, 29)}-{chosen.randint(1, 12):02}-{chosen.randint(1, 28):02}",
    "version": lambda _, chosen: ".".join(str(chosen.randint(0, 30)) for _ in range(3)),
}
