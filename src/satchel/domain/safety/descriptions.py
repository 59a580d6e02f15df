"""Words that describe a password, by language: "the password is wrong" names none, "the password is walrus" does.

A word after a verb such as "is" is either a description or the password itself. Descriptions are listed here, by word
and by form; whatever else follows the verb is taken for the password. To support another language, add a row.
"""

from typing import NamedTuple

from satchel.domain.safety.compiled import compiled


class Language(NamedTuple):
    """How a language says what a password is."""

    verbs: str
    """Verbs between the word for a password and the password, as a regular expression."""
    words: frozenset[str]
    """What is said about a password."""
    forms: str
    """Forms of adjectives, participles and adverbs, as a regular expression."""


LANGUAGES: tuple[Language, ...] = (
    Language(
        r"is|was|remains|is now|is still|was always|used to be|(?:has|had) (?:always )?been|(?:would|should|will|has to|needs to) be|it['’]s|that['’]s|['’]s",
        frozenset(
            [
                "about", "absent", "accurate", "active", "afterwards", "again", "alphanumeric", "alright", "always", "annoying", "anything", "anywhere",
                "arbitrary", "automatic", "awful", "basic", "because", "better", "between", "beyond", "binary", "blank", "broken", "bogus",
                "certain", "cleartext", "compliant", "complex", "compulsory", "confidential", "consistent", "constant", "correct", "critical",
                "current", "dangerous", "default", "different", "difficult", "dynamic", "either", "elsewhere", "empty", "enough", "essential",
                "everything", "everywhere", "evident", "external", "familiar", "foreign", "forgotten", "fresh", "friday", "generic",
                "global", "gibberish", "greater", "harmless", "hidden", "however", "identical", "important", "incorrect", "inside", "instead",
                "insufficient", "internal", "invalid", "irrelevant", "itself", "known", "legacy", "literal", "little", "longer", "lowercase",
                "mandatory", "manual", "maybe", "meaningless", "memorable", "monday", "mutual", "necessary", "neither", "never", "nonsense", "normal",
                "nothing", "nowhere", "numeric", "obsolete", "obvious", "official", "ok", "opaque", "optional", "other", "outdated", "overdue",
                "overkill", "perfect", "perhaps", "permanent", "personal", "plain", "plaintext", "present", "private", "probably", "public",
                "random", "readonly", "really", "redundant", "relevant", "required", "safe", "secret", "secure", "sensitive", "separate",
                "shared", "short", "shorter", "similar", "simple", "someone", "something", "sometimes", "somewhere", "static", "strong", "symmetric", "asymmetric",
                "stronger", "sufficient", "sunday", "temporary", "terrible", "there", "thing", "today", "together", "tomorrow", "tricky", "trivial", "typical",
                "undefined", "unique", "universal", "unknown", "unusual", "upper", "uppercase", "useless", "usually", "valid", "visible",
                "weak", "weaker", "weird", "welcome", "whatever", "without", "wrong", "yesterday", "yours", "ready", "simpler", "easier", "harder",
                "alive", "stale", "mine", "theirs", "gone", "lost", "taken", "chosen", "given", "shown", "written", "kept", "sent", "unset", "held",
            ]
        ),
        r"\w*[a-z]{2}(?:ed|ing|(?<!f)ly|able|ible|ful|less|ive|ous|ical|ional|ential|itten|oken|osen|aken)",
    ),
    Language(
        r"ist|war|(?:war|ist) immer|hieß|lautet|bleibt|ist jetzt|ist noch|heißt",
        frozenset(
            [
                "aktuell", "falsch", "richtig", "korrekt", "bekannt", "unbekannt", "sicher", "unsicher", "geheim", "leer", "lang", "kurz", "einfach",
                "schwach", "stark", "identisch", "anders", "immer", "nicht", "derzeit", "leider", "optional", "pflicht", "temporär", "privat",
                "öffentlich", "komplex", "schwer", "leicht", "vorbei", "verloren", "weiterhin", "wieder", "bereits", "hinterlegt", "möglich", "kaputt",
            ]
        ),
        r"\w*[a-zäöüß]{2}(?:bar|lich|isch|ig|iert|los|voll|sam|haft|mäßig)|(?:ge|ver|be|er|ent|zer|ab|an|auf|aus|ein|hin|um|zu)[a-zäöüß]{3,16}(?:t|en)",
    ),
    Language(
        r"est|était|a (?:toujours )?été|c['’]est|reste|devient",
        frozenset(
            [
                "faux", "fausse", "faible", "fort", "forte", "court", "courte", "trop", "toujours", "différent", "identique", "inconnu", "inconnue",
                "simple", "unique", "vide", "caché", "perdu", "requis", "requise", "correct", "incorrect", "encore", "bien", "facile", "difficile", "secret",
            ]
        ),
        r"\w*[a-zà-ÿ]{2}(?:ée?s?|able|ible|ifs?|ives?|eux|euse|elle|aire|oire|ect|ecte|ment|ante?|ente?|ique)",
    ),
    Language(
        r"es|era|(?:siempre )?fue|(?:siempre )?ha sido|siempre es|sigue siendo|é|era|foi|continua",
        frozenset(
            [
                "corta", "larga", "débil", "fuerte", "fácil", "difícil", "única", "única", "simple", "misma", "mesma", "siempre", "sempre", "igual",
                "secreta", "correcta", "incorrecta", "correta", "incorreta", "falsa", "nueva", "nova", "antigua", "antiga", "temporal",
                "personal", "opcional", "inválida", "válida", "errónea", "errada", "distinta", "diferente", "segura", "insegura", "fraca", "forte",
            ]
        ),
        r"\w*[a-zà-ÿ]{2}(?:ad[oa]|id[oa]|[aeií]?ble|iv[oa]|os[oa]|ori[oa]|óri[oa]|ari[oa]|ári[oa]|ente|ante|mente|ável|ível|ional|tic[oa])",
    ),
    Language(
        r"è|era|rimane|resta",
        frozenset(
            ["errata", "corretta", "sbagliata", "giusta", "debole", "forte", "corta", "lunga", "vuota", "uguale", "stessa", "sempre", "segreta", "nuova", "sicura"]
        ),
        r"\w*[a-zà-ÿ]{2}(?:at[oa]|it[oa]|ut[oa]|bile|iv[oa]|os[oa]|ori[oa]|ente|ante|mente|ale)",
    ),
)  # fmt: skip
"""English comes first: its verbs are tried first."""
# Endings of participles alone, where the language is not known.
_PARTICIPLES = r"[a-z]{3,}ed|un[a-zäöüß]{4,}(?:t|en)|(?:ge|ver)[a-zäöüß]{3,}(?:ert|elt|ndet|llt|tzt|ssen)|[a-zà-ÿ]{3,}ée?s?|[a-zà-ÿ]{3,}[ai]d[oa]"
# Parts with which compound adjectives begin and end: read-only, company-wide, up-to-date.
_FIRST_PARTS = frozenset(
    [
        "all", "anti", "auto", "back", "built", "case", "cross", "easy", "end", "ever", "fully", "half", "hard", "high", "ill", "in", "just", "long", "low",
        "multi", "near", "never", "new", "no", "non", "not", "off", "old", "on", "one", "open", "out", "over", "per", "point", "post", "pre", "re", "read", "real",
        "run", "self", "semi", "short", "single", "so", "state", "step", "sub", "super", "third", "too", "top", "two", "ultra", "un", "under",
        "up", "user", "very", "well", "write", "word", "peer", "face", "day", "side",
    ]
)  # fmt: skip
_LAST_PARTS = frozenset(
    [
        "based", "bit", "bound", "case", "date", "digit", "driven", "free", "friendly", "in", "independent", "level", "like", "long", "made", "off", "only", "on", "out",
        "old", "party", "proof", "ready", "side", "specific", "style", "sync", "term", "text", "time", "to", "up", "wide", "word", "letter", "character",
        "art", "kind", "end", "day", "face", "point",
    ]
)  # fmt: skip


def language_of(verb: str) -> Language | None:
    """Return the language in which a verb leads from the word for a password to the password."""
    return next((one for one in LANGUAGES if compiled(f"(?i:{one.verbs})").fullmatch(verb)), None)


def describes(word: str, languages: tuple[Language, ...] = LANGUAGES) -> bool:
    """Return whether a word says something about a password, in one of the languages."""
    lowered = word.lower()
    return any(lowered in one.words or compiled(one.forms).fullmatch(lowered) is not None for one in languages)


def is_state(value: str) -> bool:
    """Return whether a word stands in the place of a password and says what became of it: unchanged, geändert."""
    lowered = value.lower()
    return any(lowered in one.words for one in LANGUAGES) or compiled(_PARTICIPLES).fullmatch(lowered) is not None


def is_compound_adjective(value: str) -> bool:
    """Return whether words joined by hyphens are an adjective: case-sensitive, up-to-date."""
    parts = value.lower().split("-")
    return len(parts) > 1 and (
        parts[0] in _FIRST_PARTS or parts[-1] in _LAST_PARTS or describes(parts[-1], LANGUAGES[:1])
    )
