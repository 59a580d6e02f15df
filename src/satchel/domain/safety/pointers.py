"""How clearly a text points from a word to a value, and so how much the value must look like a secret itself."""

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.cues import Cue
from satchel.domain.safety.descriptions import LANGUAGES, Language, language_of
from satchel.domain.safety.value_strength import Strength

# A sign or a word right before the value. Some words lead to a password only if the text says that it was changed.
_OPENING = r"(?:\s(?:literally|really|just|actually|simply|einfach))?[\s\"'`“„「«(\[{b*]{0,8}\Z"
_SIGNS = rf"(?:[:=：→>—–]|-{{2,3}}|->|(?<=\s)-(?=\s)){_OPENING}"
_VERBS = rf"(?i)\A['’]s\s{{1,4}}\Z|(?<![a-zß])(?:is|was|be|uses?|used|it['’]?s|still|now|remains|ist|war|bleibt|noch|jetzt|gilt|lautet|heißt|es|era|est|é|è|sono|это|jest|je|är|er|van|adalah|là|este|yra|wordt|is nu|คือ|e|είναι|היא|הוא|है|hai|oli|c['’]est){_OPENING}|[是为為は는은叫]\s{{0,4}}[\"'“「]?\Z"
_PREPOSITIONS = (
    rf"(?i)(?<![a-z])(?:to|from|are|auf|von|a|à|de|with|mit|con|using|do){_OPENING}|[成到]了?\s{{0,4}}[\"'“「]?\Z"
)
_LONGEST = 20
_CHANGE = (
    r"(?i)\b(?:set|change[ds]?|reset|rotated?|updated?|gesetzt|setze|zurückgesetzt|geändert|ändere|remis|mis|"
    r"changé|modifié|réinitialisé|cambié|cambió|cambiado|cambia|restablecida|restablecido|"
    r"puse|puesto)\b|改"
)
# What a secret is for may stand between; another noun would make it another thing (password policy: …).
_FOR = (
    r"(?i)[\"'`\])*]{0,3}\s{0,4}(?:\([^()]{0,40}\)\s?)?"
    r"(?:(?:for|of|on|to|at|fürs?|von|vom|beim|am|im|der|des|zum|zur|du|de|del|la|pour|para|do|dla|k|ke|pro|till|til|voor|van|per|di|od|от|для|на|pentru|için|untuk)\b.{0,60}?|d['’].{0,60}?|[^\W\d_]{3,16})?\s{0,4}"
)
# A noun after the word makes it another thing: the verb is not about the password.
_NOUN = (
    r"(?i)\s?(?:policy|policies|manager|reset|hash|hashing|field|length|prompt|rotation|change|generator|strength|expiry|check|"
    r"file|protection|store|vault|hint|form|input|column|dialog|rules?|page|link|mail|option|flag|parameter|setting|"
    r"expir\w*|requi\w*|min|max|attempts?|counts?|types?|status|update|recovery|sharing|entry|less|based|name|id|only|auth\w*|and|or|"
    r"cryptograph\w*|encryption|authentication|exchange|negotiation|agreement|derivation|pairs?|modes?|management|not|does|must|should|issues?|errors?|problems?|bugs?|tests?|and|und|oder|vergessen|ändern|oublié)\b"
)
_POLICY = r"(?i)\s?(?:policy|policies|rules?|settings?|profile|template|manager|generator)\b"
# Words before a quoted value, the last of which does not say whose password it is.
_PROSE = r"(?i)[\w\s?!,.'’…-]*(?<!\bfor)(?<!\bof)(?<!\bon)(?<!\bto)(?<!\bat)(?<!\bfrom)(?<!\buser)(?<!\bcalled)(?<!\bnamed)(?<!\bfür)(?<!\bvon)(?<!\bde)(?<!\bdu)(?<!\bin)(?<!\bby)\s+"
# A user and a sign between it and the password: lea / …
_PAIR = r"[\w.@-]{2,40}\s?[/:,|]\s?[\"'`]?\Z"
_USER_FIRST = r"\s{0,4}(?:[:=：]\s{0,4}|(?:with|as|using|mit|als|con|avec)\s)?[\w.@-]{2,40}\s{1,4}/\s{1,4}[\"'`]?"

# A user that is named before what the verb is about: log in with lea@example.org, it's …
_MAIL_OR_USER = r"[\w.+-]{1,64}@[\w-]{1,40}\.\w|(?i:\b(?:as|with|using|als|mit|con|como|avec|med)\s[\w.@-]{2,40},)"

# The second or a later literal of a call: connect("db", "lea", "…").
_LATER_ARGUMENT = r"[.\w]{0,30}\s?=?\s?\((?:\s{0,8}[\"'][^\"'\r\n]{0,60}[\"']\s{0,2},){1,3}\s{0,8}[\"'`]?\Z"
# A verb that is said of names and passwords alone, and a word for a password in a script without blanks.
_NAMING_VERB = r"(?i)\s{1,4}(?:lautet|heißt)\s{1,4}[\"'„“«]?\Z"
_FOREIGN_POINTER = r"\s{0,2}(?:(?:是|为|為)\s?[：:]|[设設](?:成了?|为|為|置为|置為|定為)|[换換]成了?|是|为|為|：|:|=|改成了?|改为|は|는|은)\s{0,4}[\"'“「]?\Z"

_ADVERBS = (
    r"literally|really|just|[a-z]{3,12}ly|actually|simply|probably|obviously|now|still|always|basically|only|einfach|jetzt|noch|wirklich|tatsächlich|nur|immer|wörtlich|"
    r"juste|vraiment|littéralement|encore|toujours|literalmente|simplemente|realmente|siempre|solo|todavía|apenas|sempre|davvero|ancora|letteralmente"
)
# A verb that says what the password is, after what it is for.
_SAYS = rf"(?i)(?P<purpose>.{{0,80}}?)(?:(?<=\s)|(?=['’]s\s)|(?<=^))(?P<verb>{'|'.join(one.verbs for one in LANGUAGES)})(?:\s(?:{_ADVERBS})){{0,2}}\s{{1,4}}[\"'`“„«]?\Z"

_ASSIGNS = r"[\"'`\])]{0,3}\s{0,4}(?:[:=：]|:=|=>|->|←|<-)\s{0,4}"
# Words that also mean something else: a test passes, "palabras clave" are key words.
_AMBIGUOUS = frozenset(["pass", "clave", "parola", "unlock", "llave"])


def needed(cue: Cue, between: str, *, quoted: bool, around: str) -> Strength:
    """Return how much a value must look like a secret, given what stands between it and the word, and the line."""
    is_argument = quoted and "(" in between
    match cue:
        case Cue.LOGIN | Cue.ACCOUNT:
            return _needed_by_login(cue, between, is_argument)
        case Cue.KEY:
            return Strength.CERTAIN
    end = between[-_LONGEST:]
    leads = compiled(_SIGNS).search(end) or compiled(_VERBS).search(end)
    loosely = None if leads else compiled(_PREPOSITIONS).search(end)
    changed = bool(leads or loosely) and compiled(_CHANGE).search(around) is not None
    pointed = bool(leads or loosely) or between.strip(" \t\"'`])") == ""
    if is_argument and between.strip(" \t\"'`") == "(" and cue is Cue.SECRET:
        return Strength.HEX
    if cue is Cue.SECRET:
        if pointed:
            return (
                Strength.MIXED
                if quoted and compiled(_VERBS).search(end)
                else Strength.WORDY
                if changed
                else Strength.HEX
            )
        return Strength.CHOSEN if is_argument else Strength.CERTAIN
    if quoted and between.strip(" \t\"'`") == "":
        return Strength.MIXED
    sign = compiled(_SIGNS).search(end)
    if sign and _is_for(between[: len(between) - len(end) + sign.start()]):
        return Strength.MIXED
    if (changed or (leads and not sign)) and len(between.split()) <= 6 and not compiled(_NOUN).match(between):
        return Strength.MIXED
    if quoted and len(between.split()) <= 6 and compiled(_PROSE).fullmatch(between):
        return Strength.MIXED
    # The name of a policy that is changed has a number, too.
    is_policy = loosely is not None and compiled(_POLICY).match(between) is not None
    is_close = (pointed or quoted) and len(between.split()) <= 6 and not is_policy
    return Strength.WORDY if is_close else Strength.CHOSEN


def is_about_another(after: str) -> bool:
    """Return whether a noun follows that makes a word for a password another thing: password policy."""
    return compiled(_NOUN).match(after) is not None


def is_direct(between: str) -> bool:
    """Return whether a sign or a verb alone stands between a word and a value."""
    return compiled(_SIGNS).match(between.lstrip()) is not None or compiled(_VERBS).match(between.lstrip()) is not None


def assigns(name: str, between: str) -> bool:
    """Return whether a name is given a value: a sign alone stands between, as in code or a setting."""
    return name.lower() not in _AMBIGUOUS and compiled(_ASSIGNS).fullmatch(between) is not None


def tells(between: str) -> bool:
    """Return whether a verb stands right before a value, and no noun right after the word."""
    return compiled(_VERBS).search(between[-_LONGEST:]) is not None and not compiled(_NOUN).match(between)


def says_in(name: str, between: str) -> Language | None:
    """Return the language of the verb that leads from the word, or from what the password is for, right to a value."""
    says = None if name.lower() in _AMBIGUOUS else compiled(_SAYS).match(between)
    return language_of(says["verb"]) if says and _is_for(says["purpose"].rstrip()) else None


def names_any_word(name: str, between: str) -> bool:
    """Return whether what follows is the password, whatever it looks like.

    After a verb that is only said of names; after a word in another script, if the value is in Latin letters; and after
    a colon right after the word or after what the password is for.
    """
    if name[-1:] >= "\u0250":
        return compiled(_FOREIGN_POINTER).fullmatch(between) is not None
    if compiled(_NAMING_VERB).fullmatch(between):
        return True
    if name.lower() in _AMBIGUOUS and len(between.split()) < 2:
        return False
    # Emphasis of Markdown may enclose the word: **Password:** …
    plain = between.rstrip(" \t*")
    return plain.endswith(":") and between[-1:] != ":" and _is_for(plain.rstrip(" \t:"))


def _is_for(between: str) -> bool:
    """Return whether a text between the word and a sign says what the secret is for, or what sort it is."""
    return compiled(_FOR).fullmatch(between) is not None and not compiled(_NOUN).match(between)


def _needed_by_login(cue: Cue, between: str, is_argument: bool) -> Strength:
    is_paired = between.strip() == "/" or compiled(_PAIR).search(between) is not None
    if is_paired and (cue is Cue.ACCOUNT or between == " / " or compiled(_USER_FIRST).fullmatch(between)):
        return Strength.JOINED
    if is_argument and between.strip(" \t\"'`") == "(":
        return Strength.MIXED
    if is_argument and compiled(_LATER_ARGUMENT).match(between):
        return Strength.MIXED
    if compiled(_VERBS).search(between[-_LONGEST:]) and compiled(_MAIL_OR_USER).search(between):
        return Strength.WORDY
    return Strength.CHOSEN if is_argument or is_paired else Strength.SIGNED
