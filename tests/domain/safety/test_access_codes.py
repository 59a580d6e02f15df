"""Codes that are told: PINs, door and one-time codes, combinations, phrases of a wallet."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case

WORDS = "violin gravity upset lunar cabin frost orbit tumble raven oyster blanket zebra"


@each_case(
    ("text", "secret"),
    [
        ("my PIN is 8207", "8207"),
        ("PIN der Karte: 8207", "8207"),
        ("the door code is 4719#", "4719#"),
        ("doorCode 4719, then push", "4719"),
        ("safe combination 18-42-07, second drawer", "18-42-07"),
        ("voicemail password 3318 in case you need it", "3318"),
        ('door_code = "4719#"', "4719#"),
        ("wifi code: harbour88", "harbour88"),
        ("código de acceso: 55081", "55081"),
        ("验证码：719406", "719406"),
        ("Use code 719 406 to sign in.", "719 406"),
        ("The combination of the safe is 12-40-07.", "12-40-07"),
        (f"seed phrase:\n{WORDS}", "violin gravity"),
        ("Cellar keypad -> 6207, mind the step", "6207"),
        ("Mum's tablet unlocks with 5519, then open the mail", "5519"),
        ("The alarm panel is in the hall. Type 7702# and wait.", "7702#"),
        ("They texted me the code 340917 and the page hangs", "340917"),
        ("the SMS said 340917 and I typed it", "340917"),
        ("la clave del cajero es 8163 y la olvido", "8163"),
        ("Lösenordet till larmet är 8163, tryck sedan på stjärna", "8163"),
        ("スマホのロック解除は8163です", "8163"),
        ("短信收到的验证码 340917 输入没反应", "340917"),
        (f"my wallet backup words are {WORDS}", "violin gravity"),
        ("Recovery codes:\n4f7k-92md\nx0p3-77qa\n", "x0p3-77qa"),
    ],
)
def test_a_code_is_masked(text: str, secret: str) -> None:
    assert "[redacted:" in mask(text) and secret not in mask(text)


@each_case(
    "text",
    [
        "GPIO pin: 17",
        "PIN 13 is the LED.",
        "the pin is 1234",
        "error code is 10450",
        "postal code: 10115",
        "the verification code is 6 digits long",
        "Recovery codes: keep them safe",
        "this combination is 3-2 in favour",
        "seed phrase words are never logged",
        "Postal PIN code for Indiranagar is 560038.",
        "PIN code: 411001 (Camp, Pune)",
        "My laptop password was changed in 2023.",
        "The iPad with the code editor costs 1299, not more.",
        "She texted me the dress code and the address, 4410 Pine Street.",
        "Unlock 5000 points by playing daily.",
        "I got a text with 15000 words.",
        "is_safetensors_available,  # noqa: F401",
        "WS_1014_BAD_GATEWAY = 1014",
        "code='21000', name='CARDINALITY_VIOLATION'",
        "the combination 12-24-36 fertiliser works",
        "password 3318 times longer",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert mask(text) == text
