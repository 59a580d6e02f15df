"""Python source: definitions, imports, calls, bases and uses."""

import textwrap

from satchel.graph.readers.python_code import PythonModule, read_python
from tests.graph.samples import Triple, triples
from tests.tables import each_case

HERE = PythonModule("p", "shop.cart")


def _relations(code: str, module: PythonModule = HERE, rules: tuple[str, ...] = ("",)) -> set[Triple]:
    return triples(read_python(textwrap.dedent(code), module), rules)


@each_case(
    ("line", "module", "imported"),
    [
        ("import os", HERE, {"os"}),
        ("import os.path", HERE, {"os", "os.path"}),
        ("from . import price", HERE, {"shop", "shop.price"}),
        ("from .price import total", HERE, {"shop.price", "shop.price.total"}),
        ("from ..tax import rate", PythonModule("p", "a.b.c"), {"a.tax", "a.tax.rate"}),
        ("from .price import total", PythonModule("p", "shop", is_package=True), {"shop.price", "shop.price.total"}),
        ("from shop import *", HERE, {"shop"}),
        ("from shop.price import total as sum_up", HERE, {"shop.price", "shop.price.total"}),
        ("def f():\n    import json", HERE, {"json"}),
        ("try:\n    import json\nexcept ImportError:\n    import simplejson", HERE, {"json", "simplejson"}),
    ],
)
def test_imports_have_absolute_names(line: str, module: PythonModule, imported: set[str]) -> None:
    assert {head for _, relation, head in _relations(line, module) if relation == "IMPORTS"} == imported


def test_calls_resolve_to_definitions() -> None:
    found = _relations("""
        from shop.price import total as sum_up
        import shop.tax as tax

        def local(): ...

        class Cart:
            def add(self): self.note(); Cart.note(self)
            def note(self): ...

        def pay(cart: Cart, total):
            sum_up(cart)
            tax.rate()
            local()
            cart.add()
            total()
            made = Cart()
            made.note()
            for local_name in []: local_name()
    """)

    calls = {(tail, head) for tail, relation, head in found if relation == "CALLS"}
    assert calls == {
        ("shop.cart.Cart.add", "shop.cart.Cart.note"),
        ("shop.cart.pay", "shop.price.total"),
        ("shop.cart.pay", "shop.tax.rate"),
        ("shop.cart.pay", "shop.cart.local"),
        ("shop.cart.pay", "shop.cart.Cart.add"),
        ("shop.cart.pay", "shop.cart.Cart"),
        ("shop.cart.pay", "shop.cart.Cart.note"),
    }


def test_a_parameter_shadows_an_import() -> None:
    found = _relations("""
        from shop.price import total
        def pay(total): total()
        def owe(): total()
    """)

    assert {tail for tail, relation, _ in found if relation == "CALLS"} == {"shop.cart.owe"}


def test_super_calls_the_base_class() -> None:
    found = _relations("""
        from shop.base import Base
        class Cart(Base):
            def add(self): super().add()
        class Typed(list[int]): ...
    """)

    assert ("shop.cart.Cart", "INHERITS", "shop.base.Base") in found
    assert ("shop.cart.Cart.add", "CALLS", "shop.base.Base.add") in found


def test_annotations_and_constants_are_uses() -> None:
    found = _relations("""
        from shop.model import Kind
        def pay(kind: Kind | None) -> "Kind": return Kind.CASH
    """)

    assert ("shop.cart.pay", "USES", "shop.model.Kind") in found
    assert not [one for one in found if one[1] == "CALLS"]


def test_every_relation_has_a_line_and_a_rule() -> None:
    extract = read_python("import os\n\n\ndef f():\n    os.remove('x')\n", HERE)

    assert {(one.rule, one.line) for one in extract.relations} == {
        ("python.package", 1),
        ("python.import", 1),
        ("python.function", 4),
        ("python.call", 5),
    }


@each_case(
    "text",
    [
        "def half(:",
        "\0",
        "(" * 5_000 + ")" * 5_000,
        "x = " + "-" * 20_000 + "1",
        "\\d = '\\d'",
        "print 'two'",
        "",
        "\ufeffimport os",
        "x = '\ud800'",
    ],
)
def test_a_file_that_does_not_parse_yields_its_module(text: str) -> None:
    extract = read_python(text, HERE)

    assert extract.mentions[0].ref.name == "shop.cart"


def test_long_and_look_alike_identifiers_stay_separate() -> None:
    long = "a" * 10_000
    extract = read_python(f"def {long}b(): ...\ndef {long}c(): ...\ndef vаlue(): ...\ndef value(): ...\n", HERE)

    names = [one.ref.name for one in extract.mentions if one.rule == "python.function"]
    assert len(set(names)) == 4


def test_relations_per_source_are_limited() -> None:
    extract = read_python("\n".join(f"import m{number}" for number in range(30_000)), HERE)

    assert len(extract.relations) == 20_000
