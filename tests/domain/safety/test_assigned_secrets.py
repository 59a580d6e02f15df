"""Settings whose value may be any word, and lines that only look like one."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case

WORD = "lanternfish"


@each_case(
    "text",
    [
        "DB_PASSWORD={}",
        "spring.mail.password={}",
        "adminPassword: {}",
        "env: HOME=/home/app PGPASSWORD={} PATH=/usr/bin",
        "host=db user=app password={} sslmode=disable",
        "user: app\npassword: {}",
        "ENV MYSQL_ROOT_PASSWORD {}",
        "<Password>{}</Password>",
        "app.ini: admin_password = {}",
    ],
)
def test_a_plain_word_is_masked(text: str) -> None:
    assert WORD not in mask(text.replace("{}", WORD))


def test_all_of_a_line_is_the_value() -> None:
    assert mask("Generated root password: uK7,pq2>Lw!z") == "Generated root password: [redacted:password]"


def test_a_phrase_may_have_blanks() -> None:
    assert "grey geese" not in mask("BACKUP_PASSPHRASE=three grey geese")


@each_case(
    "text",
    [
        "password: required",
        "password = settings.db_password",
        "DB_PASSWORD=changeme",
        "password: reset-your-password",
        "if (password !== confirmPassword) return;",
        "Please choose a password: something long",
        "SECRET=my-app-secret",
        'secret = "s3cr3t"',
    ],
)
def test_other_words_stay(text: str) -> None:
    assert mask(text) == text
