"""How many tokens a text takes: an estimate that is rather a little too high than too low.

Every model cuts text by its own table, and none of the tables is ours to carry. But what they cost is much the same:
a short word is a token with the space before it, a long one somewhat more, punctuation that stands together is one, a
character of another script is a token, half of one, or two. So a text is cut here by its looks, and every piece has a
price, measured against real tokenizers (`bench/tokens.py`) and put a little above the dearest of them.

No piece spans a line break and no piece gets cheaper when it grows: texts joined by a line break never take more than
the texts and the line break take alone, and a longer text never less than its beginning or its end.
"""

import re
from functools import cache

# Prices are whole numbers of this part of a token, so that their sum is exact in any order.
PARTS = 100

_MARKS = r"!-/:-@\[-`{-~"
_MAX_WORD, _MAX_MARKS, _MAX_SAME = 31, 8, 64
# By the number of letters: beyond twelve it is a compound, of a language other than English, or no word at all.
_WORD = (0, 103, 103, 103, 103, 126, 126, 136, 136, 140, 140, 140, 145, *(145 + 88 * n for n in range(1, 21)))
_PUNCTUATION = (0, 108, 115, 130, 170, 240, 310, 380, 450)
_LONE = 102
_INDENT = 25
# Before a digit or another script, the space is seldom part of what follows.
_SPACE = 72

# The characters that tokenizers with a small table still have a token for. The others cost their bytes.
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
# Each takes what the ones before it have left. The last is whatever else there is.
_OTHER_SCRIPTS = (
    (_COMMON_HAN, 86),
    ("\u3400-\u9fff\uf900-\ufaff", 235),
    ("\u3040-\u309f", 90),
    ("\u30a0-\u30ff", 107),
    ("\u3000-\u303f\uff00-\uffef", 107),
    (_COMMON_HANGUL, 72),
    ("\uac00-\ud7af", 216),
    ("\u0400-\u052f", 52),
    ("\u00c0-\u024f", 200),  # Latin letters with marks: their neighbours are dearer than in English, too
    ("\u1e00-\u1eff", 110),
    ("\u2010-\u2027", 50),  # dashes and quotation marks
    ("\u0080-\u00bf\u2028-\u2bff", 135),
    ("\u0370-\u03ff\u0590-\u06ff\u0900-\u097f", 108),
    ("\u0000-\uffff", 195),
    ("\U00010000-\U0010ffff", 290),
)


def tokens(text: str) -> int:
    """Estimate how many tokens a model makes of a text; nothing takes none."""
    return -(-(_ascii_price(text) + (0 if text.isascii() else _other_price(text))) // PARTS)


def _ascii_price(text: str) -> int:
    cut = _cuts()
    # A rule of eighty dashes is a token or two, however long the marks are that differ.
    squeezed = cut["same"].sub(r"\1\1\1", text)
    return (
        _by_length(_WORD, cut["word"].findall(squeezed))
        + _by_length(_PUNCTUATION, cut["marks"].findall(squeezed))
        + _LONE * len(cut["lone"].findall(squeezed))
        + _INDENT * (len(cut["indent"].findall(squeezed)) + len(cut["tabs"].findall(squeezed)))
        + _SPACE * len(cut["space"].findall(squeezed))
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


# Compiling takes longer than most commands need in all, and most of them count no tokens.
@cache
def _cuts() -> dict[str, re.Pattern[str]]:
    return {
        "same": re.compile(rf"([{_MARKS}\u2500-\u257f])\1{{3,{_MAX_SAME - 1}}}"),
        "word": re.compile(rf"[A-Z]?[a-z]{{1,{_MAX_WORD}}}|[A-Z]{{1,{_MAX_WORD}}}(?![a-z])"),
        "marks": re.compile(rf"[{_MARKS}]{{1,{_MAX_MARKS}}}"),
        # Digits, line breaks that follow each other, and what is no text at all.
        "lone": re.compile(r"[0-9\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[\r\n]{1,4}"),
        # Patterns that begin with one plain character are found many times faster: hence these are three.
        "indent": re.compile(r"  {1,15}"),
        "tabs": re.compile(r"\t{1,8}"),
        "space": re.compile(r" (?=[^!-/:-~\s])"),
    }


@cache
def _other_scripts() -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], int], ...]]:
    kinds = tuple((re.compile(f"[{letters}]+"), each) for letters, each in _OTHER_SCRIPTS)
    return re.compile(r"[^\x00-\x7f]+"), kinds
