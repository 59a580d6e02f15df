"""How text becomes search terms, in any script.

Both full-text engines split on white space and punctuation, which leaves a Chinese sentence as one token.
So runs of scripts that are written without spaces are cut into single characters and overlapping pairs before
either engine sees them. A question asks for the pairs, which are telling; only a lone character asks for itself.
"""

import re
import unicodedata
from collections.abc import Iterator

MAX_TERMS = 64
MAX_TERM_CHARS = 128
# More of a question than this is never read: it would only slow the answer down.
MAX_QUESTION_CHARS = 20_000

# Han, Kana, Bopomofo, Hangul, Thai, Lao, Myanmar, Khmer, and the Han planes beyond the first.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_RUNS = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\\W_])+")

# What a question is phrased with, not what it is about.
_STOP_WORDS = (
    "a an and are as at be been being but by can could did do does doing for from had has have having he "
    "her hers him his how i if in into is it its just me might my no nor not of on or our ours shall she "
    "should so some such than that the their them then there these they this those to too up us was we "
    "were what when where which while who whom whose why will with would you your yours 什么 什麼 怎么 怎麼 为什 為什 "
    "么是 我们 我們 你们 你們 他们 他們 哪个 哪個 哪里 哪裡 是否 的是 吗 嗎 呢 的 是 了 "
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


def segmented(text: str) -> str:
    """Return the text with every unspaced run cut up, ready for an engine that splits on spaces."""
    return _UNSPACED_RUN.sub(_cut, unicodedata.normalize("NFKC", text))


def question_terms(question: str) -> tuple[str, ...]:
    """Return what a question asks about: its distinct terms without stop words, in order, at most MAX_TERMS.

    A question made of stop words only keeps them: "the who" is a band.
    """
    terms = list(dict.fromkeys(_terms(question[:MAX_QUESTION_CHARS])))
    telling = [term for term in terms if term not in STOP_WORDS]
    return tuple((telling or terms)[:MAX_TERMS])


def _terms(text: str) -> Iterator[str]:
    for run in _RUNS.findall(unicodedata.normalize("NFKC", text).lower()):
        if _UNSPACED_RUN.match(run) and len(run) > 1:
            yield from _pairs(run)
        else:
            yield run[:MAX_TERM_CHARS]


def _cut(run: re.Match[str]) -> str:
    return f" {' '.join([*run.group(), *_pairs(run.group())])} "


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
