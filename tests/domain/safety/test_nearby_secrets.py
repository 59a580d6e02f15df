"""Values that are masked because of a word near them, and words that announce nothing."""

from satchel.domain.citations import citation
from satchel.domain.safety.redact import mask
from tests.tables import each_case

CHOSEN = "compass1490"
MADE = "rpi3nCzRQ8ymmqviTxwJeBYXZOfDjCmW"


@each_case(
    "text",
    [
        "bindpw {}",
        "Der neue Schlüssel heißt {made}, bitte nicht weitergeben.",
        "La contraseña del servidor es {}",
        "the password for the printer (not the router!): {}",
        "密码改成了 {}",
        "pasword: {}",
        "export CLAVE_BD='{}'",
        'smtp.login("robot@example.org", "{}")',
        'keychain.set("{}", forKey: "db_password")',
        "echo '{}' | cryptsetup open /dev/sdb1 data -",
        "Your initial password is:\n\n{}\n\nRegards",
        "$ cat /run/secrets/db_password\n{}",
        "> what's the passphrase again?\n{}",
        "SIGNING = '''\n{made}\n{made2}\n'''",
        "| host | password |\n| --- | --- |\n| nas | {} |",
        "name,user,password\nprinter,admin,{}",
        "<Password>\n  <Value>{}</Value>\n</Password>",
        "ipmitool -H 10.0.9.4 -U ADMIN -P {} chassis status",
        "app:{}@tcp(db:3306)/shop",
        # Next to code that stays
        "password = '{}'.encode('utf-8')",
        "password: '{}'  # was _ffi.NULL",
        'put("password", "{}", "host", "db")',
        "from user bob and the password {}, as well as the host",
        "pass\n{}",
        "https://example.org/auth/{made}",
    ],
)
def test_a_value_near_its_word_is_masked(text: str) -> None:
    made = (CHOSEN, MADE, MADE[::-1])
    clean = mask(text.replace("{}", made[0]).replace("{made}", made[1]).replace("{made2}", made[2]))

    assert "[redacted:" in clean
    assert not any(secret in clean for secret in made)


@each_case(
    "text",
    [
        f"the compass points to {CHOSEN}",
        f"public key {MADE}",
        f"cache key {MADE}",
        "password hash 9be86603ff18325aa584a2cdb9617d2e",
        "sha256 (secret/list.txt) = 9be86603ff18325aa584a2cdb9617d2e",
        f"PASSWORD_FILE=/run/{CHOSEN}",
        f"secretName: db-credentials-{CHOSEN}",
        f"Forgot the password. The order {CHOSEN} was sent.",
        "| host | password |\n| --- | --- |\n| nas | ask Lea |",
        "docker run -u 1000 -p 8080:80 app",
        f"login: {CHOSEN}",
        f"doc:notes:secret.md#{CHOSEN}",
        "passages.lance/_transactions/5-8c1d2e3f.txn",
        # Code and its documentation
        "passphrase = _ffi.NULL",
        "password: _PasswordType | None = None,",
        "    passwd: HTTPPasswordMgr",
        'password = password.encode("utf-8")',
        'password = password.encode("latin1")',
        "private_key: x25519.X25519PrivateKey",
        "key, (ed25519.Ed25519PrivateKey, ed25519.Ed25519PublicKey)",
        "OID_CLIENT_AUTH = ExtendedKeyUsageOID.CLIENT_AUTH",
        'user_folder("XDG_DOCUMENTS_DIR")',
        "Key == TensorProto::UINT16",
        "__all__ = ['splitpasswd', 'splitport', 'splitquery']",
        "pass it as `verify=<ctx>`",
        "pass ``with_attribute.ANY_VALUE`` as the value",
        "functions to pass to :func:`~roundtrip`,",
        "any flag that you pass to `--allow-*` counts",
        ":param password: Unicode password.",
        "token (`bool`, *optional*): a password",
        "username and password properties, as well as the host",
        "except IndexError:\n        pass\n\n    value, end = scan_once(s, end)",
        "https://example.org/reset-password?step=2",
        "https://example.org/auth/draft-ietf-oauth-v2-http-mac-01",
    ],
)
def test_other_words_announce_nothing(text: str) -> None:
    assert mask(text) == text


def test_a_citation_that_ends_like_an_abbreviation_announces_nothing() -> None:
    beginnings = [f"{one:02x}" for one in range(256)]
    codes = [citation("m", f"{one}a3{one}a3-0000") for one in beginnings]
    codes += [citation("m", f"{digit}6bf{digit}6bf-0000") for digit in "0123456789abcdef"]

    assert {code[-2:] for code in codes} == {"pw", "ok"}
    assert [code for code in codes if mask(said := f"Gina [{code}]: Unfortunately, I lost my job.") != said] == []
    assert mask("[wlpw]: the password is Tr0ub4dor&3") == "[wlpw]: the password is [redacted:spoken-password]"
