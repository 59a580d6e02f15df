"""Secrets below the word that announces them: answers, columns, fields and blocks."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secrets"),
    [
        ("| host | password |\n| --- | --- |\n| a | gravel-1 |\n| b | lanternfish |", ("gravel-1", "lanternfish")),
        ("host      login     passwd\nweb1      deploy    gravel.77\n", ("gravel.77",)),
        ("[10:42] mara: what's the sudo pass\n[10:43] jan: woodworm99", ("woodworm99",)),
        ("Q: What is the master password?\nA: low tide harbour 1962", ("harbour 1962",)),
        ("> Which key should it use?\n9c0e7f1b4d2a58e36f7a, read-only.", ("9c0e7f1b4d2a58e36f7a",)),
        ('PASSWORDS = {\n    "eva": "Bumble!Bee",\n}', ("Bumble!Bee",)),
        ("<name>db.password</name>\n<value>lanternfish</value>", ("lanternfish",)),
    ],
)
def test_values_below_are_masked(text: str, secrets: tuple[str, ...]) -> None:
    clean = mask(text)

    assert not any(secret in clean for secret in secrets)


@each_case(
    "text",
    [
        "| host | password |\n| --- | --- |\n| nas | ask Lea |",
        "[10:42] mara: what's the sudo pass\n[10:43] jan: ask ops, I don't have it",
        "Q: Where is the master password?\nA: In the sealed envelope.",
        "name,role,token_count\neva,admin,418",
    ],
)
def test_other_lines_stay(text: str) -> None:
    assert mask(text) == text
