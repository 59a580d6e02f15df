"""Secrets in the rows that a statement inserts: the columns say which values they are."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secrets"),
    [
        ("INSERT INTO users (email, password, role) VALUES ('ida@mill.example', 'mossy stairs 7', 'admin');", ["mossy stairs 7"]),
        ("insert into device_auth(device, pin, enabled)\nvalues ('front', '70813', 1);", ["70813"]),
        ("REPLACE INTO wifi (ssid, passphrase) VALUES ('Attic', 'grumpy teapot rides');", ["grumpy teapot rides"]),
        ('INSERT INTO "Accounts" ("Id","Login","Passwd") VALUES (7,\'otto\',\'fjordkind\')', ["fjordkind"]),
        ("INSERT INTO t (a, pw) VALUES (NOW(), 'it''s raining'), (NULL, 'weaselwalk');", ["it''s raining", "weaselwalk"]),
        ("INSERT INTO api (id, api_secret) VALUES (1, 'c5e6affca7e8dee5dcac29b4e8580e82da4d')", ["c5e6affca7e8dee5dcac29b4e8580e82da4d"]),
    ],
)  # fmt: skip
def test_the_values_of_secret_columns_are_masked(text: str, secrets: list[str]) -> None:
    assert not [secret for secret in secrets if secret in mask(text)]


@each_case(
    "text",
    [
        "INSERT INTO users (id, name, password_hash) VALUES (1, 'ida', NULL);",
        "INSERT INTO users (id, password) VALUES (1, NULL);",
        "INSERT INTO users (id, password) VALUES (:id, :password);",
        "INSERT INTO users (login, password) VALUES (?, SHA2(?, 256));",
        "INSERT INTO settings (key, value) VALUES ('password_min_length', '12');",
        "INSERT INTO roles (name, token_ttl) VALUES ('admin', '3600');",
        "INSERT INTO tokens (id, token) VALUES (1, '550e8400-e29b-41d4-a716-446655440000');",
        "INSERT INTO users (id, password) VALUES (1, 'only'",
    ],
)
def test_other_columns_variables_and_ids_stay(text: str) -> None:
    assert mask(text) == text
