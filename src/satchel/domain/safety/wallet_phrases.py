"""Phrases of wallets: rows of words from which the keys of a wallet are restored."""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import anything
from satchel.domain.safety.secret_rule import SecretRule, in_any_case

# What is restored from a row of words, and the row.
_COUNTED = ("words", "wörter", "mots", "palabras", "parole", "palavras", "woorden")
_WALLETS = (
    *((word, in_any_case(word, r"(?<![A-Za-z].)") + r"s?+(?![A-Za-z])") for word in (
        "wallet", "ledger", "trezor", "metamask", "phantom", "exodus", "electrum", "bip39", "mnemonic", "seed", "seed phrase", "seed words", "secret phrase", "recovery phrase", "recovery words", "backup phrase", "backup words",
    )),
    *((f"{count} {word}", rf"{count}(?<![0-9]..) (?i:{word})") for count in ("12", "15", "18", "24") for word in _COUNTED),
    *((word, word) for word in ("助记词", "助記詞", "ニーモニック", "시드 문구")),
)  # fmt: skip
_SEED_WORD = r"(?:[0-9]{1,2}[.)][ ]?+)?+[a-z]{3,8}"
_SEED = rf"[\s\S]{{0,100}}?(?<![a-z])(?P<row>{_SEED_WORD}(?:[ ,\r\n]{{1,3}}+{_SEED_WORD}){{11,30}}+)(?![a-z])"
# Words of a sentence, none of which is in the list that such rows are made of.
_NO_SEED = r"\b(?:the|and|for|from|are|was|were|has|had|been|not|but|your|our|their|its|his|her|him|she|who|these|those|should|would|could|which|does|did|because|und|der|die|das|lauten|sind|est|les|des|mots|son|las|los)\b"
# A row on the next line begins after so many characters at most.
_HEADING_CHARS = 24
# Words in such a row are rarely plurals or participles.
_INFLECTED = r"[a-z]+(?:[^aeious]e?s|[aeo]ys|(?:ch|sh|ss|x)es|[^aeiou]ing|[^e]ed)"


def _seed(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the row of words after the word for a wallet, without the words of the sentence before it."""
    row = compiled(_SEED).match(text, found.end())
    if not row:
        return
    first, end = row.span("row")
    line = text.find("\n", first, end)
    if 0 <= line < first + _HEADING_CHARS and len(text[line:end].split()) >= 12 and text[first].isalpha():
        first = line + 1
    before = [word.end() for word in compiled(_NO_SEED).finditer(text[first:end])]
    start = first + before[-1] if before else first
    if not before and not text[found.end() : start].strip(" ") and text[first - 1] != "\n" and found.group().isalpha():
        # After one word the row may go on as a sentence does: seed beans peas corn …
        return
    start += len(text[start:end]) - len(text[start:end].lstrip(" ,\r\n"))
    words = compiled(r"[a-z]{3,8}").findall(text[start:end])
    inflected = sum(compiled(_INFLECTED).fullmatch(word) is not None for word in words)
    if len(words) >= 12 and len(set(words)) >= len(words) - 3 and inflected < 2:
        yield start, end


WALLET_PHRASES: tuple[SecretRule, ...] = tuple(
    SecretRule("wallet-phrase", (word,), pattern, anything, inside=True, values=_seed) for word, pattern in _WALLETS
)
