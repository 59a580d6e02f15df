"""Python source: what is defined, and who imports, calls, inherits and uses whom."""

import textwrap

import pytest

from satchel.graph.python_code import Place, read_python
from tests.graph.told import Triple, triples

HERE = Place("p", "shop.cart")


def _said(code: str, place: Place = HERE, rules: tuple[str, ...] = ("",)) -> set[Triple]:
    return triples(read_python(textwrap.dedent(code), place), rules)


@pytest.mark.parametrize(
    ("line", "place", "imported"),
    [
        ("import os", HERE, {"os"}),
        ("import os.path", HERE, {"os", "os.path"}),
        ("from . import price", HERE, {"shop", "shop.price"}),
        ("from .price import total", HERE, {"shop.price", "shop.price.total"}),
        ("from ..tax import rate", Place("p", "a.b.c"), {"a.tax", "a.tax.rate"}),
        ("from .price import total", Place("p", "shop", package=True), {"shop.price", "shop.price.total"}),
        ("from shop import *", HERE, {"shop"}),
        ("from shop.price import total as sum_up", HERE, {"shop.price", "shop.price.total"}),
        ("def f():\n    import json", HERE, {"json"}),
        ("try:\n    import json\nexcept ImportError:\n    import simplejson", HERE, {"json", "simplejson"}),
    ],
)
def test_imports_are_named_by_their_whole_name(line: str, place: Place, imported: set[str]) -> None:
    assert {head for _, relation, head in _said(line, place) if relation == "IMPORTS"} == imported


def test_calls_are_of_what_the_name_stands_for() -> None:
    said = _said("""
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

    calls = {(tail, head) for tail, relation, head in said if relation == "CALLS"}
    assert calls == {
        ("shop.cart.Cart.add", "shop.cart.Cart.note"),
        ("shop.cart.pay", "shop.price.total"),
        ("shop.cart.pay", "shop.tax.rate"),
        ("shop.cart.pay", "shop.cart.local"),
        ("shop.cart.pay", "shop.cart.Cart.add"),
        ("shop.cart.pay", "shop.cart.Cart"),
        ("shop.cart.pay", "shop.cart.Cart.note"),
    }


def test_a_parameter_hides_what_was_imported_under_its_name() -> None:
    said = _said("""
        from shop.price import total
        def pay(total): total()
        def owe(): total()
    """)

    assert {tail for tail, relation, _ in said if relation == "CALLS"} == {"shop.cart.owe"}


def test_super_is_the_base_and_a_base_is_inherited_from() -> None:
    said = _said("""
        from shop.base import Base
        class Cart(Base):
            def add(self): super().add()
        class Typed(list[int]): ...
    """)

    assert ("shop.cart.Cart", "INHERITS", "shop.base.Base") in said
    assert ("shop.cart.Cart.add", "CALLS", "shop.base.Base.add") in said


def test_annotations_and_constants_are_used_not_called() -> None:
    said = _said("""
        from shop.model import Kind
        def pay(kind: Kind | None) -> "Kind": return Kind.CASH
    """)

    assert ("shop.cart.pay", "USES", "shop.model.Kind") in said
    assert not [one for one in said if one[1] == "CALLS"]


def test_every_claim_has_its_line_and_its_rule() -> None:
    extract = read_python("import os\n\n\ndef f():\n    os.remove('x')\n", HERE)

    assert {(one.rule, one.line) for one in extract.claims} == {
        ("python.package", 1),
        ("python.import", 1),
        ("python.function", 4),
        ("python.call", 5),
    }


@pytest.mark.parametrize(
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
def test_a_file_that_is_no_python_only_says_that_it_is_there(text: str) -> None:
    extract = read_python(text, HERE)

    assert extract.sightings[0].ref.name == "shop.cart"


def test_long_and_strange_identifiers_are_kept_apart() -> None:
    long = "a" * 10_000
    extract = read_python(f"def {long}b(): ...\ndef {long}c(): ...\ndef vаlue(): ...\ndef value(): ...\n", HERE)

    names = [one.ref.name for one in extract.sightings if one.rule == "python.function"]
    assert len(set(names)) == 4


def test_a_file_made_to_be_large_says_no_more_than_so_much() -> None:
    extract = read_python("\n".join(f"import m{number}" for number in range(30_000)), HERE)

    assert len(extract.claims) == 20_000
