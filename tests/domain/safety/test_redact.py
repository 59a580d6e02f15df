"""Masking of secrets: matches, near misses and cost. All secrets are generated at run time."""

import random
import string

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.safety.redact import MASK, Redacted, mask, redacted
from satchel.domain.safety.secret_checks import entropy
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits

# kind, prefix in two pieces (so that no scanner takes this file for a leak), alphabet, length
PREFIXED = [
    ("anthropic-key", "sk-", "ant-api03-", WORD, 90),
    ("openai-key", "s", "k-", WORD, 48),
    ("openai-key", "sk-", "proj-", WORD, 100),
    ("openrouter-key", "sk-", "or-v1-", HEX, 64),
    ("aws-key-id", "AK", "IA", UPPER, 16),
    ("aws-key-id", "AS", "IA", UPPER, 16),
    *(("github-token", "gh", f"{letter}_", WORD, 36) for letter in "pousr"),
    ("github-token", "github", "_pat_", WORD, 80),
    ("gitlab-token", "gl", "pat-", WORD, 20),
    ("slack-token", "xo", "xb-123456789012-123456789012-", WORD, 24),
    ("slack-token", "xo", "xp-123456789012-123456789012-", HEX, 32),
    ("stripe-key", "sk", "_live_", WORD, 24),
    ("stripe-key", "rk", "_test_", WORD, 24),
    ("google-key", "AI", "za", WORD, 35),
    ("npm-token", "np", "m_", WORD, 36),
    ("pypi-token", "pypi-", "AgEIcHlwaS5vcmc", WORD, 100),
    ("huggingface-token", "h", "f_", WORD, 34),
    ("telegram-token", "123456", "789:AA", WORD, 33),
    ("twilio-key", "S", "K", HEX, 32),
    ("brevo-key", "xkey", f"sib-{'a4f09c71e83b5d62' * 4}-", WORD, 16),
    ("mailgun-key", "ke", "y-", HEX, 32),
    ("digitalocean-token", "dop", "_v1_", HEX, 64),
    ("shopify-token", "shp", "at_", HEX, 32),
    ("databricks-token", "da", "pi", HEX, 32),
    ("vault-token", "hv", "s.", WORD, 30),
    ("linear-key", "lin_", "api_", WORD, 40),
    ("newrelic-key", "NR", "AK-", UPPER, 27),
    ("supabase-key", "sb", "p_", HEX, 40),
    ("groq-key", "gs", "k_", WORD, 52),
]


def made_up(alphabet: str, length: int, seed: int) -> str:
    """Return characters that look as random as a key does, the same for the same seed."""
    chosen = random.Random(f"{alphabet}{length}{seed}")
    while True:
        value = "".join(chosen.choices(alphabet, k=length))
        if any(letter.isdigit() for letter in value) and entropy(value) >= 2.9:
            return value


def masked(text: str) -> str:
    return redacted(text).text


class TestPrefixedKeys:
    @each_case(("kind", "one", "two", "alphabet", "length"), PREFIXED)
    def test_a_prefixed_key_is_masked_anywhere(self, kind: str, one: str, two: str, alphabet: str, length: int) -> None:
        for seed in range(5):
            secret = one + two + made_up(alphabet, length, seed)
            for around in ("{}", "see {} there", "({})", '"{}"', "x={}", "line\\n{}\\nline", "键{}值", "{},{}"):
                text = around.replace("{}", secret)
                assert secret not in masked(text), around
            assert redacted(f"it is {secret}, so") == Redacted(f"it is [redacted:{kind}], so", ((kind, 1),))

    def test_each_secret_is_counted(self) -> None:
        first, second = ("gh" + "p_" + made_up(WORD, 36, seed) for seed in (1, 2))

        assert redacted(f"{first} {second} {first}").found == (("github-token", 3),)


class TestBlocksAndTokens:
    @each_case("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
    @each_case("line_end", ["\n", "\r\n", "\\n", "\n  *  "])
    def test_a_private_key_is_masked_complete_or_truncated(self, label: str, line_end: str) -> None:
        lines = [made_up(WORD + "+/", 64, seed) for seed in range(12)]
        begin, end = f"{'-' * 5}BEGIN {label}{'-' * 5}", f"{'-' * 5}END {label}{'-' * 5}"

        assert (
            masked(f"before\n{line_end.join([begin, *lines, end])}\nafter") == "before\n[redacted:private-key]\nafter"
        )
        cut = masked(line_end.join([begin, *lines]))
        assert not any(line in cut for line in lines)

    def test_prose_about_private_keys_is_unchanged(self) -> None:
        text = f"The file begins with {'-' * 5}BEGIN PRIVATE KEY{'-' * 5} and then comes the key. Never share it."

        assert masked(text) == text

    def test_a_web_token_and_a_bearer_are_masked(self) -> None:
        token = ".".join("ey" + "J" + made_up(WORD, 40, seed) for seed in (1, 2)) + "." + made_up(WORD, 43, 3)
        opaque = made_up(WORD, 40, 4)

        assert masked(f"cookie {token}") == "cookie [redacted:jwt]"
        assert masked(f"Authorization: Bearer {opaque}") == "Authorization: Bearer [redacted:authorization]"
        assert opaque not in masked(f"curl -H 'Authorization: token {opaque}' https://example.org")


ASSIGNED = made_up(WORD, 24, 7)


class TestAssignments:
    @each_case(
        "form",
        [
            "API_KEY={}",
            "export API_KEY='{}'",
            "api-key: {}",
            '{"api_key": "{}"}',
            '{\\"client_secret\\": \\"{}\\"}',
            "secret_key = '{}'",
            "aws_secret_access_key = {}",
            "token := `{}`",
            "let authToken = \"{}\";",
            "<secret>{}</secret>",
            "my_token => '{}'",
            "DB_PASSWORD={}",
            "password: {}",
            "spring.datasource.password={}",
            "Server=db;User Id=me;Password={};Encrypt=yes",
            "AccountKey={};EndpointSuffix=core.windows.net",
            "mysql --password {} -h db",
            "the password is {}",
            "密码是{}",
            "密碼：{}",
            "postgres://me:{}@db.example.org:5432/app",
            "https://me:{}@example.org/repo.git",
            "redis://:{}@cache:6379/0",
            "ALTER USER me IDENTIFIED BY '{}';",
        ],
    )  # fmt: skip
    def test_a_named_secret_is_masked_and_the_rest_stays(self, form: str) -> None:
        text = form.replace("{}", ASSIGNED)
        clean = redacted(text)

        assert ASSIGNED not in clean.text
        assert len(clean.found) == 1
        before, _, after = text.partition(ASSIGNED)
        assert clean.text.startswith(before) and clean.text.endswith(after)

    def test_a_short_password_is_masked(self) -> None:
        chosen = "hunter" + "2"

        assert masked(f"password={chosen}") == "password=[redacted:password]"
        assert masked(f'"pwd": "{chosen}"') == '"pwd": "[redacted:password]"'

    def test_other_occurrences_of_a_secret_are_masked(self) -> None:
        assert ASSIGNED not in masked(f"login {ASSIGNED} password: {ASSIGNED}")


BENIGN = [
    "The token budget is 4096 tokens, and max_tokens=1024 is too small.",
    "We rotate the API key every 90 days; ask the secretary for the password policy.",
    "Tokenizer: tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    "password: str",
    "password = os.environ['DB_PASSWORD']",
    "password=${DB_PASSWORD}",
    "api_key: <your-api-key>",
    'api_key = config.get("api_key")',
    "token = request.headers.get('Authorization')",
    "def login(username, password): return check(password)",
    "secrets: inherit",
    "auth: required",
    "The password must have at least 12 characters.",
    "Passing tests: 120, pass: all of them",
    "Fixed in commit 9fceb02d0ae598e95dc970b74767f19372d61af8 yesterday.",
    "commit 9fceb02, then 1a410ef, see #4821",
    "id 550e8400-e29b-41d4-a716-446655440000 was merged",
    '"integrity": "sha512-9NykojV5Uih4lgo5So5dtw+f0JgJX30KCNI8gwhz2J9A15wD0Ml6tjHKwf6fTSa6fAdVBdZeNOs9eJ71qCk8vA=="',
    "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824  hello.txt",
    "![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
    "foreign key (user_id) references users (id)",
    "primary_key=True, unique=True",
    "keyboard: qwerty, keynote: 9:30, monkey: 3",
    "see https://example.org:8443/path?page=2 and http://localhost:8080/x@y",
    "git@github.com:owner/repository.git",
    "meet at 10:30, room B-12, bring the sk-learn notes",
    "the risk-free-rate-of-return-over-twenty-years is low",
    "We ship on Thursdays",
    "我们每周四发布新版本，密码策略不变。",
    "パスワードは定期的に変更してください。",
    "Basic understanding of the bearer of bad news",
]  # fmt: skip


class TestSplitSecrets:
    SECRET = "gh" + "p_" + made_up(WORD, 36, 11)

    @each_case("split", ["\u200b", "\u00ad", "\ufeff", "\u2060\u200d", "\\\n", "\\\r\n    "])
    def test_a_secret_split_by_something_unseen_is_masked_whole(self, split: str) -> None:
        text = f"before {self.SECRET[:20]}{split}{self.SECRET[20:]} after"

        assert redacted(text) == Redacted("before [redacted:github-token] after", (("github-token", 1),))

    def test_unseen_characters_elsewhere_stay(self) -> None:
        text = f"a\u200bb {self.SECRET} c\\\nd"

        assert masked(text) == "a\u200bb [redacted:github-token] c\\\nd"

    @each_case("between", ['"\n    "', "' +\n  '", '" + "', "' \\\n '", '"\n  . "'])
    def test_all_parts_of_a_literal_are_masked(self, between: str) -> None:
        first, second = made_up(WORD, 24, 1), made_up(WORD, 24, 2)
        clean = masked(f"api_key = {between[0]}{first}{between}{second}{between[-1]}")

        assert first not in clean and second not in clean


class TestBenignText:
    @each_case("text", BENIGN)
    def test_near_misses_are_unchanged(self, text: str) -> None:
        assert redacted(text) == Redacted(text)

    def test_hashes_and_ids_are_unchanged(self) -> None:
        for seed in range(300):
            line = f"{made_up(HEX, 40, seed)} {made_up(HEX, 64, seed)} v{seed}.2.1 file-{made_up(HEX, 8, seed)}.js"
            assert masked(line) == line


ATOMS = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=12),
    st.sampled_from(
        [
            "password=", "api_key: ", '"', "'", "token is ", "://a:", "@", "Bearer ", "ey" + "J", ".", "-" * 5 + "BEGIN PRIVATE KEY" + "-" * 5,
            "[redacted:", "[redacted:password]", "]", "sk" + "-", "gh" + "p_", "\\n", " ", "\n", "AK" + "IA", "hunter2x", "密码是",
            *(made_up(alphabet, length, 1) for alphabet, length in ((WORD, 36), (UPPER, 16), (HEX, 32), (WORD, 8))),
        ]
    ),
)  # fmt: skip


class TestPromises:
    @steady
    @given(st.lists(ATOMS, max_size=14).map("".join))
    def test_masking_never_raises_and_masking_twice_changes_nothing(self, text: str) -> None:
        once = redacted(text)

        assert redacted(once.text) == Redacted(once.text)
        assert bool(once.found) == (once.text != text)
        assert sum(count for _, count in once.found) <= len(MASK.findall(once.text))

    @steady
    @given(
        st.lists(
            st.sampled_from([*BENIGN, "a", "an", "the", "ship", "on", "budget", "42", "数", "据"]), max_size=8
        ).map(" . ".join)
    )
    def test_benign_text_never_changes(self, text: str) -> None:
        assert masked(text) == text


def test_a_secret_that_a_mask_exposes_is_masked_in_a_long_text_too() -> None:
    filler = "The harbour opens at nine.\n" * 2_000
    exposed = r"'[10:42] mara: what is the sudo pass\n[10:43] jan: woodworm99'" + "\n"
    assert "woodworm99" not in mask(exposed)
    assert mask(filler + exposed + filler) == filler + mask(exposed) + filler


def test_a_secret_that_is_split_is_masked_in_a_long_text_too() -> None:
    filler = "Der Hafen öffnet um neun.\n" * 2_000
    split = "password: Woodworm\u200b-99-Harbour\n"
    assert "Harbour" not in mask(split)
    assert mask(filler + split + filler) == filler + mask(split) + filler


def test_other_occurrences_of_an_exposed_secret_are_masked() -> None:
    filler = "The harbour opens at nine.\n" * 2_000
    exposed = r"'[10:42] mara: what is the sudo pass\n[10:43] jan: woodworm99'" + "\n"
    assert "woodworm99" not in mask(exposed + filler + "woodworm99 again\n")


def test_a_repeated_word_is_masked_and_stays_within_longer_words() -> None:
    text = "DB_PASSWORD=lanternfish\nsay lanternfish at the door\nlanternfishes, _lanternfish()\n"

    assert mask(text).splitlines()[1:] == ["say [redacted:password] at the door", "lanternfishes, _lanternfish()"]
    assert "lanternfish7" not in mask("DB_PASSWORD=lanternfish7\nmysql -planternfish7x\n")


class TestBlocks:
    """A long text is looked at block by block; the result is that of the whole text."""

    FILLER = "".join(f"Line {number} of an ordinary report.\n" for number in range(60))

    def test_secrets_of_every_block_are_masked_and_nothing_else(self) -> None:
        lines = [f"db_password = mossyLantern{number}x" for number in range(20)]
        text = "".join(f"{line}\n{self.FILLER}" for line in lines)

        masked = "".join(f"db_password = [redacted:password]\n{self.FILLER}" for _ in lines)
        assert redacted(text) == (masked, (("password", 20),))

    def test_a_key_that_is_longer_than_a_block_is_masked_whole(self) -> None:
        body = "\n".join(("Zm9v" * 3 + "QmFy" + "eHl6" * 12)[:64] for _ in range(200))
        dashes = "-" * 5
        text = f"{self.FILLER}{dashes}BEGIN PRIVATE KEY{dashes}\n{body}\n{dashes}END PRIVATE KEY{dashes}\n{self.FILLER}"

        assert redacted(text).text == f"{self.FILLER}[redacted:private-key]\n{self.FILLER}"

    def test_a_password_and_its_word_on_both_sides_of_an_edge_belong_together(self) -> None:
        for lead in range(150, 200):
            text = "".join(f"Line {number} of an ordinary report.\n" for number in range(lead))
            text += "Your initial password is:\n\nmossyLantern8x\n\n" + self.FILLER * 4

            assert "mossyLantern8x" not in redacted(text).text
