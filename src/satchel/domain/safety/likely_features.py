"""What speaks for and against a value being a password, apart from any fixed way to say so: its shape, and what is around it."""

from collections.abc import Iterator
from functools import lru_cache

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.made_up import Oddity, oddity
from satchel.domain.safety.secret_checks import is_example, is_placeholder_or_code, is_type_word
from satchel.domain.safety.value_strength import FILE, Strength, strength, without_accents

# The weight of a name that is in neither of the tables is 0.
SHAPES: dict[str, str] = {
    "inner_sign": r".*[^\W_][!#$%&*+?~^§@][^\W_].*",
    "last_sign": r".*[^\W_][!#$%*+?~^§]",
    "ampersand_of_capitals": r"[A-Z]{1,3}&[A-Z]\S*",
    "words_joined": r"[A-Za-z]+(?:[+&][A-Za-z]+)+",
    "capitalised_parts": r"[A-Z][a-z]{2,}\d*(?:[^A-Za-z0-9]{1,2}[A-Z][a-z]{2,}\d*)+[^A-Za-z0-9]?",
    "small_then_capital": r"[a-z]{3,}\d*[^A-Za-z0-9]{1,2}[A-Z][a-z]{2,}.*",
    "small_parts": r"[a-z]{2,}(?:[._-][a-z]{2,})+",
    "hyphens_only": r"[^\W_]+(?:-[^\W_]+)+",
    "underscores_only": r"[^\W_]+(?:_[^\W_]+)+",
    "dots_only": r"[^\W_]+(?:\.[^\W_]+)+",
    "digits_after_word": r".*[a-z]{3}\d{1,4}[!?#$%*]?",
    "digits_for_letters": r".*[a-zA-Z]\d[a-zA-Z].*",
    "capitals_part": r".*(?<![A-Za-z])[A-Z]{2,}(?![a-z]).*",
    "number_part": r"[^\W\d_]+[_.-](?:[vV]?\d[\d.]*|[A-Z]\d{0,2})",
    "three_parts": r"[^\W_]+(?:[^\w\s][^\W_]+|_[^\W_]+){2,}",
    "hexadecimal": r"[0-9a-f]{16,}",
    "small_groups": r"(?=\D*\d)(?=[^a-z]*[a-z])[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,4}",
    "long": r".{11,}",
}
BEFORE: dict[str, str] = {
    "with": r"(?i)(?<![^\W\d_])(?:with|using|mit|avec|con|com|med|met|z|s|с)[ ](?:[\"'`“„«])?\Z",
    "then": r"(?i)(?<![^\W\d_])(?:then|afterwards|after that|next|dann|danach|anschließend|puis|ensuite|luego|después|poi|dopo|quindi|depois|potem|następnie|daarna|dan|sedan|så|потом|затем)[ :](?:[\"'`“„«])?\Z|(?:然后|再)[ ]?\Z",
    "and": r"(?i)(?<![^\W\d_])(?:and|und|et|y|e|en|och|og|i|и)[ ](?:[\"'`“„«])?\Z|[和跟とや과와][ ]\Z|하고[ ]\Z",
    "is": r"(?i)(?<![^\W\d_])(?:is|was|it['’]s|ist|war|gilt|lautet|est|c['’]est|es|era|è|é|jest|to|je|är|er|on|это|now|jetzt|nun|ahora|teraz|теперь|hadi|adalah|là|stays|still|bleibt|reste|sigue siendo)[ ](?:[\"'`“„«])?\Z|[是为為は는은가이][ ]?\Z",
    "sign": r"(?:[:=：→|/]|->|=>)[ ]{0,2}[\"'`“„«*]{0,2}\Z",
    "dash": r"[–—-][ ]\Z",
    "typed": r"(?i)(?<![^\W\d_])(?:type|types|typed|typing|enter|entered|use|used|try|tried|gave it|give it|gave|put|shouted|nimm|tippe|gib|versuch\w*|eingegeben|tape[rz]?|saisis|utilise|usa|uso|pon|puse|escribe|prueba|digita|inserisci|wpisz|skriv|введи|ввёл)[ ](?:[\"'`“„«])?\Z|[输輸]入[ ]?\Z",
    "changed": r"(?i)(?:chang|set|reset|rotat|updat|switch|geändert|gesetzt|cambi|modif|mudou|zmieni|ändra|смен|поменя|改)[^\r\n]{0,30}[ ](?:to|auf|in|a|à|en|para|na|till|til|на)[ ]\Z",
    "comma": r",[ ](?:[\"'`“„«])?\Z",
    "bracket": r"[(\[][ ]?[\"'`]?\Z",
    "quote": r"[\"'`“„«]\Z",
    "starts": r"(?:\A|[.!?][ ]|\n)[\"'`“„«>* ]{0,3}\Z",
    "in": r"(?i)(?<![^\W\d_])(?:in|on|at|to|of|for|from|by|im|am|auf|von|vom|für|aus|dans|sur|de|du|des|pour|en|del|el|la|le|les|il|der|die|das|the|a|an|any|every|your)[ ][\"'`“„«]?\Z",
    "thing": r"(?i)\b(?:files?|branch|version|release|pages?|model\w?|theme|policy|commit|tickets?|issue|schema|table|column|field|class|function|module|package|hosts?|server|node|build|open|opens|see|siehe|job|profile|template|team|group|role|region|product|chrome|firefox|python|called|named|project|project|exercise|chapter|section|item|event|id|order|invoice|part|serial|bestellung|commande|pedido|seite|datei|bericht|página|fichier|документ|раздел)[ :]{1,2}[\"'`“„«]?(?:\S{1,12}[ ])?\Z",
}  # fmt: skip
AFTER: dict[str, str] = {
    "clause_ends": r"[\"'`”“»*)\]]{0,3}(?:[.!?]?[ \t]*(?:\r?\n|\Z)|[,;)，。；、]|[.!?][ ]|[ ][(—–#-])",
    "goes_on": r"[\"'`”“»]?[ ](?i:and|but|if|when|for|on|at|to|as|und|aber|wenn|et|mais|y|pero|e|ma|mas|en|och|но|и|en la|à)[ ]|[ ]?[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]",
    "worked": r"(?i)[\"'`”“»)]?[ ](?:got|gets|lets?|let|works?|worked|doesn|didn|still|isn|is rejected|was rejected|are rejected|geht|ging|funktionier\w+|klappt\w*|marche|funciona|funziona|działa|werkt|fungerar|подош\w*|work)",
    "is_after": r"(?i)[\"'`”“»)]?[ ](?:is|was|ist|war|est|es|è|é|jest)[ ]",
}  # fmt: skip
LINE: dict[str, str] = {
    "act": r"(?i)\b(?:log(?:ged|ging|s)?[ -]?(?:in|on|into)|sign(?:ed|ing|s)?[ -]?in(?:to)?|tried|type[ds]?|enter(?:ed)?|asks? for|prompt\w*|locked|get in|got in|connect|anmeld\w*|einlogg\w*|reinzukommen|connecte\w*|acced\w*|entra|entre|inicia|zalogu\w*|inlogg\w*|logga|logg inn|войд\w*|войти)\b|登[录錄入]|ログイン|로그인",
    "code": r"[\w\]]\(|[{};][ \t]*(?:\n|\Z)|=>|::|==|\.\w+\(|</|\|\||&&|^[ \t]*(?:def|class|import|from|return|if|const|let|var)[ ]|\b\w+=\S+[ ]\w+=",
    "options": r"[ ]-{1,2}[A-Za-z]",
    "mail": r"\w@[\w-]+\.\w",
    "hash": r"(?i)\b(?:hash|digest|checksum|fingerprint|commits?|data:|sha-?[0-9]{1,3}|md5|uuid|public|trace|request|etag|integrity|version|release|fixe[ds]|installer)\b",
    "new": r"(?i)\b(?:new|neue?[nrms]?|nouvelle|nueva|nuova|nowy|rotated|erzeugt|regenerated|here'?s|don'?t share|valid|gilt|came|issued)\b",
    "url": r"https?://",
}  # fmt: skip
Names = tuple[str, ...]
# Keys to press, an account of a bank, the hash of a password, a mail address, a chemical or a musical sign with its number.
_OTHER = r"(?i:(?:ctrl|strg|alt|shift|cmd|super|win|fn|meta)[+-].*|[a-z]{2}\d{10,}[a-z0-9]*|\$\d?[a-z0-9]{1,8}\$.*|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|[a-z_]+#\d[\d-]*|[\w.-]+[?&]\w+=.*|\d+[+x*]\w*|\d+\.[a-z]+|https?\W.*|[\w.]+![rsa])|[a-z]+[.!?][A-Z][a-z]*|[A-Z][a-z]+\?[A-Z][A-Za-z]*|@.*|[a-z_]+(?:\.[A-Za-z_]\w*){2,}|[a-z][a-z0-9_.+-]*@[a-z][a-z0-9-]*"
_NEAR, _MIDDLE = 3, 8
# A word for a password; others are for a user, a login or a mail address.
PASSWORD = "password_cue"
_CLEAR = frozenset(["inner_sign", "looks_signed", "looks_certain"])
_CLEAR_PASSWORD = _CLEAR | {"odd", "accents", "digits_for_letters", "looks_chosen", "hexadecimal"}


@lru_cache(4096)
def shape_of(value: str) -> Names:
    """Return what a value looks like; nothing if it cannot be a password."""
    looks, odd = strength(value), oddity(value)
    plain = value if value.isascii() else without_accents(value)
    if (
        (looks < Strength.JOINED and odd is Oddity.NONE)
        or compiled(FILE).fullmatch(plain)
        or compiled(_OTHER).fullmatch(plain)
        or is_type_word(plain)
        or is_example(plain)
        or (odd is Oddity.NONE and is_placeholder_or_code(plain) and looks < Strength.JOINED)
    ):
        return ()
    found = [f"looks_{looks.name.lower()}", *(["odd"] if odd else []), *(["very_odd"] if odd is Oddity.CLEAR else [])]
    found += [name for name, pattern in SHAPES.items() if compiled(pattern).fullmatch(plain)]
    has_accents = not value.isascii() and (any(map(str.isdigit, value)) or "inner_sign" in found)
    return (*found, *(["accents"] if has_accents else []))


def is_clear(shape: Names, cue: str) -> bool:
    """Return whether a value is more than a name with a number or words with signs; next to a word for a user, much more."""
    if cue != PASSWORD and "words_joined" in shape:
        return False
    return not (_CLEAR_PASSWORD if cue == PASSWORD else _CLEAR).isdisjoint(shape)


def surroundings_of(text: str, first: int, last: int, start: int, end: int) -> Iterator[str]:
    """Yield what stands around a value on its line."""
    before, after = text[max(first, start - 60) : start], text[end : min(last, end + 30)]
    yield from (name for name, pattern in BEFORE.items() if compiled(pattern).search(before))
    yield from (name for name, pattern in AFTER.items() if compiled(pattern).match(after))


@lru_cache(256)
def line_features(line: str) -> Names:
    """Return what a line is about."""
    return tuple(name for name, pattern in LINE.items() if compiled(pattern).search(line))


def place_features(between: str, *, is_after: bool) -> Iterator[str]:
    """Yield how a value stands to the word that announces it."""
    words = len(between.split())
    yield "near" if words <= _NEAR else "middle" if words <= _MIDDLE else "far"
    yield "after_cue" if is_after else "before_cue"
    if compiled(r"[.!?][ ]").search(between):
        yield "other_sentence"


def names() -> Names:
    """Return the names of all features."""
    looks = tuple(f"looks_{one.name.lower()}" for one in Strength)
    places = (
        "near",
        "middle",
        "far",
        "after_cue",
        "before_cue",
        "other_sentence",
        "odd",
        "very_odd",
        "accents",
        "password_cue",
        "login_cue",
        "mail_cue",
    )
    return (*looks, *places, *SHAPES, *BEFORE, *AFTER, *LINE, *PAIRS)


# Features that count more together: a lead to a value of a clear shape.
LEADS = ("with", "then", "and", "is", "sign", "typed", "changed", "comma", "bracket", "starts", "dash")
PAIRS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "led_and_signed": (("with", "then", "is", "typed", "changed", "and"), ("looks_signed", "looks_certain", "inner_sign")),
    "led_and_mixed": (("with", "then", "is", "typed", "changed"), ("looks_mixed", "looks_wordy", "looks_chosen")),
    "password_and_lead": (("password_cue",), LEADS),
    "act_and_lead": (("act",), LEADS),
    "act_and_sign": (("act",), ("inner_sign", "looks_signed", "odd")),
    "new_and_hexadecimal": (("new",), ("hexadecimal", "looks_certain")),
    "hash_and_hexadecimal": (("hash",), ("hexadecimal", "looks_certain", "looks_chosen")),
    "code_and_weak": (("code", "options"), ("looks_mixed", "looks_wordy", "looks_joined", "hexadecimal")),
}  # fmt: skip


def with_pairs(found: set[str]) -> set[str]:
    """Add the pairs that some features make."""
    return found | {
        name for name, (one, other) in PAIRS.items() if found.intersection(one) and found.intersection(other)
    }
