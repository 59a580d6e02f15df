"""Turns texts into the token ids of an encoder."""

from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.adapters.embedders.han_words import HanWords, han_and_other_runs, has_han

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BEGIN, END, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


class TextTokens:
    """A tokenizer with, beside its own vocabulary, the Chinese words of a file, if the model has them."""

    def __init__(self, tokenizer: "Tokenizer", chinese: Path, max_tokens: int) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)
        self._tokenizer = tokenizer
        self._chinese = chinese
        self._max_tokens = max_tokens
        self._begin, self._end, self._unknown = (_token(tokenizer, name) for name in (BEGIN, END, UNKNOWN))
        self.first_chinese: int = tokenizer.get_vocab_size()
        """The token of the first Chinese word."""

    def ids(self, text: str) -> list[int]:
        """Return the tokens of a text with begin and end, truncated to the maximum."""
        # The Chinese words are read from their file only for a text that has some.
        if has_han(text) and self._words:
            return [self._begin, *self.parts(text), self._end]
        found: list[int] = self._tokenizer.encode(text).ids
        return found

    def parts(self, text: str) -> list[int]:
        """Return the tokens of a text without begin and end, truncated so that these fit too."""
        found, most = list[int](), self._max_tokens - 2
        for part in han_and_other_runs(text):
            if len(found) >= most:
                break
            if has_han(part) and self._words:
                found += self._words.tokens(part, most - len(found))
            else:
                found += self._tokenizer.encode(part, add_special_tokens=False).ids
        return found[:most]

    @cached_property
    def _words(self) -> HanWords | None:
        if not self._chinese.exists():
            return None
        return HanWords.read(self._chinese, self.first_chinese, self._unknown)


@cache
def read_tokens(tokenizer: Path, chinese: Path, max_tokens: int) -> TextTokens:
    """Read a tokenizer: one for all models of a process that share it."""
    import tokenizers

    return TextTokens(tokenizers.Tokenizer.from_file(str(tokenizer)), chinese, max_tokens)


def _token(tokenizer: "Tokenizer", name: str) -> int:
    token: int | None = tokenizer.token_to_id(name)
    if token is None:
        raise ValueError(f"the tokenizer has no {name}")
    return token
