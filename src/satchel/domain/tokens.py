"""Estimate the number of tokens of a text, without a tokenizer, slightly too high rather than too low.

Every model has its own vocabulary, but the counts are similar: a short word with the space before it is one token, a
long word somewhat more, adjacent punctuation is one, and a character of another script is a half, one or two. So text is
split by simple patterns, and each piece has a price, measured against real tokenizers (`bench/tokens.py`) and set
slightly above the highest of them.

No piece spans a line break, and no piece gets cheaper as it grows. So texts joined by a line break never take more than
the texts and the line break separately, and a text never takes less than its beginning or its end.
"""

import re
from functools import cache

# Prices are integers in hundredths of a token, so that their sum is exact.
_HUNDREDTHS = 100

_MARKS = r"!-/:-@\[-`{-~"
_MAX_WORD, _MAX_MARKS = 31, 8
# By number of letters. Beyond twelve it is a compound, another language, or not a word.
_WORD = (0, 103, 103, 103, 103, 126, 126, 136, 136, 140, 140, 140, 145, *(145 + 88 * n for n in range(1, 21)))
_PUNCTUATION = (0, 110, 122, 145, 190, 260, 330, 400, 470)
# A digit, up to three line breaks, or a control character.
_LONE = 102
_INDENT = 30
# Before a digit or another script, the space is rarely merged with what follows.
_SPACE = 80

# Characters that even small vocabularies have a token for. The others are priced by their bytes.
_COMMON_HAN = (
    "一万三上下不与专业东两个中串为主么义之也书了事二于五些交产京人今从他付代以们件价任份企优会传但位体何余作你使例供"
    "保信修值停像元先入全公共关其具内册再写出击分列则初利别到制前力功加务动動包化北区十华单南即历原去县参及反发取变口"
    "只可台右号司合同名后向否含启告员周命和品哈商器四回因国图土在地场址型城基報場填增处备复外多大天失头好如始子字存学"
    "安完定实客家容密对导将小少尔就局展山州工左已市布常平年并广序库应店度建开异式引张当录形影径待後得微心必志态思性总"
    "息您情意感成我或户所手打找技投报拉持指按换据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期"
    "未本机权束条来板构析果查标样核格案检模次止正此步段每比民水求江没治法注活流海消清游源点然片版物特率环现理生用由电"
    "画界登的监目直相省看真知码确示社票种科秒称移程空立站章端符第等签简算管箱类系素索约级线组经结给络统编网置老考者而"
    "联能自至色节英藏行表装西要见规视角解言計计认议记论设证评试话询该详语误说请读调象责败账购费资起超路身车转软载辑输"
    "达过运近还这进连述退送选通速造道邮部都配释里重量金钮链销错键长開間関门闭问间队阳陆限院除集需非面音页项预频题额首"
    "验高黑"
)
_COMMON_HANGUL = (
    "가간값개게경고과구그기나내는니다당대도동되된드들라래러력로료를름리만면문미번보복부분사산상색서성세소수스습시식아"
    "야어에여열오와요용우원위으은을음의이인일입자작장재전정제주지째치크터트하한할해호화환"
)
# The price per character. The first matching row counts.
_OTHER_SCRIPTS = (
    (_COMMON_HAN, 86),
    ("\u3400-\u9fff\uf900-\ufaff", 235),  # the other Han
    ("\u3040-\u309f", 90),  # Hiragana
    ("\u3000-\u303f\u30a0-\u30ff\uff00-\uffef", 107),  # Katakana, punctuation, full-width forms
    (_COMMON_HANGUL, 76),
    ("\uac00-\ud7af", 225),  # the other Hangul
    ("\u0400-\u052f", 52),  # Cyrillic
    ("\u00c0-\u024f", 200),  # Latin with marks: the letters around them cost more than in English, too
    ("\u1e00-\u1eff", 110),  # Latin with two marks: Vietnamese
    ("\u2010-\u2027", 100),  # dashes and quotation marks
    ("\u0080-\u00bf\u2028-\u2bff", 135),  # symbols
    ("\u0370-\u03ff\u0590-\u06ff\u0900-\u097f", 115),  # Greek, Hebrew, Arabic, Devanagari
    ("\u0250-\u0eff\u1000-\u10ff", 205),  # most other alphabets: of India, Thai, Burmese, Georgian, Armenian
    ("\U00000080-\U0010ffff", 290),  # emoji and everything else
)


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text."""
    return -(-_price(text) // _HUNDREDTHS)


def token_share(text: str) -> float:
    """Estimate the tokens that a part adds to a longer text, not rounded up."""
    return _price(text) / _HUNDREDTHS


def _price(text: str) -> int:
    # Repeated marks, such as a rule of eighty dashes, are one or two tokens: reduce them to three.
    squeezed = _cuts()["same"].sub(r"\1\1\1\2\2\2", text)
    return _ascii_price(squeezed) + (0 if squeezed.isascii() else _other_price(squeezed))


def _ascii_price(text: str) -> int:
    cut = _cuts()
    return (
        _by_length(_WORD, cut["word"].findall(text))
        + _by_length(_PUNCTUATION, cut["marks"].findall(text))
        + _LONE * len(cut["lone"].findall(text))
        + _INDENT * (len(cut["indent"].findall(text)) + len(cut["tabs"].findall(text)))
        + _SPACE * len(cut["space"].findall(text))
    )


def _by_length(prices: tuple[int, ...], pieces: list[str]) -> int:
    return sum(map(prices.__getitem__, map(len, pieces)))


def _other_price(text: str) -> int:
    left = "".join(_other_scripts()[0].findall(text))
    price = 0
    for letters, each in _other_scripts()[1]:
        if not left:
            break
        rest = letters.sub("", left)
        price += each * (len(left) - len(rest))
        left = rest
    return price


# Compiled on first use: it takes longer than most commands in total, and most of them count no tokens.
@cache
def _cuts() -> dict[str, re.Pattern[str]]:
    return {
        # Marks used for horizontal rules have longer tokens than the others.
        "same": re.compile(rf"([-=*_#./~+])\1{{3,63}}|([{_MARKS}─━═])\2{{3,15}}"),
        "word": re.compile(rf"[A-Z]?[a-z]{{1,{_MAX_WORD}}}|[A-Z]{{1,{_MAX_WORD}}}(?![a-z])"),
        "marks": re.compile(rf"[{_MARKS}]{{1,{_MAX_MARKS}}}"),
        "lone": re.compile(r"[0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\r\n]{1,3}"),
        # Three patterns, because a pattern that begins with a literal character matches many times faster.
        "indent": re.compile(r"  {1,15}"),
        "tabs": re.compile(r"\t{1,8}"),
        "space": re.compile(r" (?=[^!-/:-~\s])"),
    }


@cache
def _other_scripts() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], int], ...]]:
    kinds = tuple((re.compile(f"[{letters}]+"), each) for letters, each in _OTHER_SCRIPTS)
    return re.compile(r"[^\x00-\x7f]+"), kinds
