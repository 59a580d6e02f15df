"""Chinese words of the encoder: how runs of characters are split, and what texts with them are near to."""

import numpy as np

from satchel.adapters.embedders.bundled import FOLDER
from satchel.adapters.embedders.han_words import HanWords
from satchel.adapters.embedders.model_files import CHINESE_FILE, TOKENIZER_FILE
from satchel.adapters.embedders.onnx_encoder import MAX_TOKENS, OnnxEncoder
from satchel.adapters.embedders.text_tokens import TextTokens
from satchel.domain.embedding import BUNDLED_MODEL
from tests.tables import each_case

WORDS = HanWords(100, 7, "数据库 數據庫\n数据\n库 庫\n我们 我們\n")


@each_case(
    ("run", "tokens"),
    [
        ("数据库", [100]),
        ("數據庫", [100]),
        ("数据我们", [101, 103]),
        ("我們库数据库", [103, 102, 100]),
        ("數", [7]),
        ("龘龘库", [7, 7, 102]),
        ("", []),
    ],
)
def test_the_longest_known_word_is_taken(run: str, tokens: list[int]) -> None:
    assert WORDS.tokens(run, 99) == tokens


def test_tokens_stop_at_the_maximum() -> None:
    assert WORDS.tokens("库" * 1_000, 3) == [102, 102, 102]


def bundled_tokens() -> TextTokens:
    import tokenizers

    return TextTokens(tokenizers.Tokenizer.from_file(str(FOLDER / TOKENIZER_FILE)), FOLDER / CHINESE_FILE, MAX_TOKENS)


def test_a_text_without_chinese_has_the_tokens_of_the_tokenizer() -> None:
    import tokenizers

    plain = tokenizers.Tokenizer.from_file(str(FOLDER / TOKENIZER_FILE))
    plain.no_padding()
    plain.enable_truncation(MAX_TOKENS)
    for text in ("We ship on Thursdays, naïvely.", "", "データベース", "Привет", "x" * 3_000):
        assert bundled_tokens().ids(text) == plain.encode(text).ids


def test_mixed_text_keeps_its_order_and_its_limit() -> None:
    tokens = bundled_tokens()
    (go,) = tokens.ids("go")[1:-1]
    (database,) = tokens.ids("数据库")[1:-1]
    assert database >= tokens.first_chinese
    assert tokens.ids("go数据库go")[1:-1] == [go, database, go]
    assert len(tokens.ids("数据库 go " * 500)) == MAX_TOKENS


def test_chinese_is_near_its_translation() -> None:
    encoder = OnnxEncoder(BUNDLED_MODEL, FOLDER, "")
    texts = [
        "我们用什么数据库？",
        "我們用什麼資料庫？",
        "which database do we use?",
        "when is the dentist appointment?",
    ]
    simplified, traditional, same, other = (np.array(vector) for vector in encoder.embed(texts))
    assert min(simplified @ same, traditional @ same, simplified @ traditional) > 0.5
    assert max(simplified @ other, traditional @ other) < 0.2
