"""Codes to which a sentence leads, and backup codes."""

from satchel.domain.safety.redact import mask
from tests.tables import each_case


@each_case(
    ("text", "secret"),
    [
        ("El NIP de la tarjeta corporativa quedó en 8152 según Recursos Humanos", "8152"),
        ("Bonjour, votre code d'accès au parking est le B2947 (valable jusqu'au 30 juin).", "B2947"),
        ("门禁码改成3690#了,记得告诉阿姨", "3690#"),
        ("the garage keypad now wants 26081", "26081"),
        ("cambié el PIN a 4178 ayer", "4178"),
        ("kód od brány je 5028", "5028"),
        ("玄関の暗証番号が7315に変わりました", "7315"),
        ("новый код домофона — 27К4410", "27К4410"),
        ("parental control pin 8264 (don't tell Leo)", "8264"),
        ("2FA backup code I have not used yet: 8f3q-k2wd-77mz", "8f3q-k2wd-77mz"),
        ("código de respaldo: 7T2M-K9QX", "7T2M-K9QX"),
        ("Bitwarden 2FA recovery: JX4K 92LM PQ7T ZZ3B", "JX4K 92LM PQ7T ZZ3B"),
    ],
)  # fmt: skip
def test_a_code_to_which_the_text_leads_is_masked(text: str, secret: str) -> None:
    assert secret not in mask(text)


@each_case(
    "text",
    [
        "The code review is 4410, merged",
        "Alarm: 1204 events in 24 hours",
        "The gate opens at 1845",
        "The door is 2100 by 900.",
        "My locker is number 2718 on level 3",
        "kód chyby je 5028",
        "código de error es 5021 al iniciar",
        "le code postal est 75011",
        "错误码是4031,请重试",
        "エラーコードは5003です",
        "recovery codes were printed on 2025-01-04",
        "Backup code coverage went from 71.4 to 83.9",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert mask(text) == text
