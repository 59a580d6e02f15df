"""Keys without a known prefix: blocks with any name, parameters of a URL, what a program reads as a key."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case

HEX = "7d20c9e5b1a84f3360f2d4719bce85a6"
BASE64 = "uR3kPz9TqLw0XvB7nYc2HfJd5sGa8MeQi1oVtKx4ZyE="


@each_case(
    "text",
    [
        f"-----BEGIN Relay Group Key v2-----\n{HEX}\n{HEX[::-1]}\n-----END Relay Group Key v2-----",
        f"-----BEGIN SECRET KEY-----\n{BASE64}",
        f"GET /forecast?q=Bern&appid={HEX} HTTP/1.1",
        f"/latest.json?app_id={HEX}&base=CHF",
        f"echo -n {HEX} | xxd -r -p | cryptsetup open /dev/sdd1 vault --key-file -",
        f"cryptsetup open /dev/sdd1 vault --key-file <(printf '%s' {HEX})",
        f"zfs load-key tank <<< {HEX}",
        f"echo {BASE64} | wg pubkey",
        f"ffmpeg -decryption_key {HEX} -i in.mp4 out.mp4",
    ],
)
def test_a_key_is_masked(text: str) -> None:
    clean = mask(text)

    assert "[redacted:" in clean
    assert HEX not in clean and BASE64 not in clean


@each_case(
    "text",
    [
        f"-----BEGIN Relay Public Key-----\n{BASE64}\n-----END Relay Public Key-----",
        f"GET /photo?id={HEX}",
        f"echo {HEX}  image.iso | md5sum -c",
        f"get-object --cache-key {HEX}",
        "secret_arn = 'arn:aws:secretsmanager:eu-west-3:000011112222:secret:stage/mail-Qw3rTy'",
        "smtp_pass: !vault_ref secret/data/relay#password",
        "login failed user=ida reason=bad_password attempts=5",
        "PublicKeyToken=89845dcd8080cc91",
        "X-Amzn-Trace-Id: Root=1-5f84c7a1-3d2e9b60c4a75f18e0b6d931",
        '"client_id": "318804417720-q8w2e6r4t0y1u7i5o3p9a2s4d6f8g1h3.apps.googleusercontent.com"',
    ],
)
def test_public_names_and_ids_stay(text: str) -> None:
    assert mask(text) == text
