"""Finds names in sentences, and the type of entity that a name stands for."""

import re

from satchel.domain.graph import EntityRef, EntityType, fold_name
from satchel.domain.words import STOP_WORDS, UNSPACED

MAX_WORDS = 5
MAX_NAME_CHARS = 80
MAX_UNSPACED_CHARS = 40

# Words next to a name that say what type of entity it is.
TYPE_WORDS: dict[str, EntityType] = {
    word: type
    for type, words in (
        (EntityType.TOOL, "tool library database framework engine package 工具 数据库 數據庫 框架 库 庫 引擎"),
        (EntityType.PROJECT, "project product app 项目 項目 专案 專案 产品 產品"),
        (EntityType.REPO, "repo repository 仓库 倉庫"),
        (
            EntityType.PERSON,
            "engineer developer designer colleague maintainer manager 工程师 工程師 开发者 開發者 同事",
        ),
        (EntityType.CONCEPT, "concept pattern principle 概念 原则"),
    )
    for word in words.split()
}
# Well-known tools, recognized by name alone.
_TOOL_NAMES = (
    "sqlite postgresql mysql redis docker kubernetes git github gitlab python pytest ruff mypy numpy pandas "
    "pytorch react kafka rabbitmq nginx terraform ansible elasticsearch lancedb neo4j mongodb graphql grpc django "
    "flask fastapi starlette uvicorn rustworkx networkx tree-sitter onnxruntime apsw msgspec"
)
TOOLS = frozenset(_TOOL_NAMES.split())
# Short names of tools.
ALIASES = {"postgres": "PostgreSQL", "pg": "PostgreSQL", "k8s": "Kubernetes", "mongo": "MongoDB", "np": "NumPy"}

_DETERMINER = re.compile(
    r"^(?:the|a|an|our|my|your|their|its|this|that|these|those|both|all|each|every|some|any"
    r"|only|just|now|currently|today|then|so|and|but|because|since|here|also|mainly|e\.g\.|i\.e\.)\s+",
    re.IGNORECASE,
)
_DETERMINER_ZH = re.compile(
    "^(?:目前|现在|現在|因此|所以|但是|而且|并且|我们的|我們的|这个|這個|那个|那個|该|該|它的|其)"
)
_TAIL = re.compile(
    r"\s+(?:(?:for|because|since|so|when|while|if|unless|until|after|before|as|instead|rather|in order|at|during|via"
    r"|from|by|in|on|with|without|through|which|that|who|where|and (?:is|has|was|it|we|they)|but|then|now|today"
    r"|today|again|everywhere|too|already|since|per|under|over|into|to)\b.*)$",
    re.IGNORECASE | re.DOTALL,
)
_TAIL_ZH = re.compile(
    "(?:来|來|以便|因为|因為|所以|的时候|的時候|之后|之後|之前|作为|作為|进行|進行|阻塞|阻碍|卡住|使用|采用|採用|调用|調用|取代|替换|替換|替代|有关|有關|相关|相關|有关系|呼叫|来存).*$"
)
_LIST = re.compile(r"\s*(?:,\s*(?:and|or)\s+|,\s+|\s+(?:and|or|as well as)\s+|、|以及|，|\s*(?<=\w)和(?=\w)|与|與)\s*")
_QUOTED = re.compile(r"^[`\"“'‘「『《*_]+(.+?)[`\"”'’」』》*_]+$", re.DOTALL)
_CODE = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"[\w@.+#/:-]+")
_CODE_LIKE = re.compile(
    r"^[A-Za-z_][\w]*(?:[._/:-]\w+)+(?:\(\))?$|^[A-Za-z_]\w*\(\)$|^[a-z]+[A-Z]\w*$|^[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+$"
)
_PERSON = re.compile(r"^(?:@[\w.-]{1,39}|[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]*\.?|van|von|de|der|da|bin)){0,3})$")
_HAN_PERSON = re.compile("^[\u4e00-\u9fff]{2,4}$")
_HAS_UNSPACED = re.compile(f"[{UNSPACED}]")
# Words that are never a name.
_OTHER_WORDS = (
    "it they them we us everything nothing something anything one ones thing things way ways each other others "
    "same more less most least many few several lot lots everyone nobody somebody people there here example "
    "problem reason 它 它们 我们 你们 他们 大家 什么 这 那 这里 那里 东西 问题"
)
_NOT_A_NAME = STOP_WORDS | frozenset(_OTHER_WORDS.split())
_VERB_FORMS = "is are was were be been has have had does did do will would can could should may might must said says"
_VERBS = frozenset(_VERB_FORMS.split())


def is_code_like(name: str) -> bool:
    """Return whether a name is written like code: joined, dotted, or with an inner capital."""
    return _CODE_LIKE.match(name) is not None


def listed_names(phrase: str) -> list[str]:
    """Return the names in an enumeration such as "A, B and C"."""
    if (quoted := _QUOTED.match(phrase.strip())) and not re.search(r"[`\"”]", quoted[1]):
        return [one] if (one := clean_name(phrase)) else []
    first, *others = [clean_name(part) for part in _LIST.split(phrase)] or [""]
    # After a comma the sentence often continues; a further item must be a proper name or a single word.
    return [first] * bool(first) + [one for one in others if one and (is_proper(one) or " " not in one)]


def clean_name(phrase: str) -> str:
    """Return the name in a phrase without articles, quotes and trailing clauses; "" if the phrase is not a name."""
    text = phrase.strip(" \t\n,.;:!，。；：！、()（）[]—–-*_>#|")
    while True:
        cut = _DETERMINER_ZH.sub("", _DETERMINER.sub("", text)).strip()
        if cut == text:
            break
        text = cut
    if quoted := _QUOTED.match(text):
        return quoted[1].strip()[:MAX_NAME_CHARS] if len(quoted[1]) <= MAX_NAME_CHARS else ""
    if inside := _CODE.match(text):
        return inside[1]
    text = _TAIL_ZH.sub("", _TAIL.sub("", text)).strip(" ,.;:，。；：")
    return text if _is_name(text) else ""


def subject_name(phrase: str) -> str:
    """Return the name at the end of the text before a verb."""
    clause = re.split(
        r"[,;:，；：—–(（]|\s(?:that|which|and then|but|because|since|while|so)\s|因为|因此|所以|但是?|而", phrase
    )[-1]
    return clean_name(clause)


def _is_name(text: str) -> bool:
    if not text or len(text) > MAX_NAME_CHARS:
        return False
    words = _WORD.findall(text)
    if not words or fold_name(text) in _NOT_A_NAME or words[0].casefold() in _NOT_A_NAME or words[-1] in _NOT_A_NAME:
        return False
    if {one.casefold() for one in words} & _VERBS or not any(letter.isalpha() for letter in text):
        return False
    if _HAS_UNSPACED.search(text):
        return len(text) <= MAX_UNSPACED_CHARS
    return len(words) <= MAX_WORDS


def is_proper(name: str) -> bool:
    """Return whether a name looks like a proper name: a capital, a digit, a code character or a non-Latin letter."""
    return name.casefold() in TOOLS or any(
        not letter.isascii() or letter.isupper() or letter in "_./@:" or letter.isdigit() for letter in name
    )


def person_ref(phrase: str) -> EntityRef | None:
    """Return the person that a phrase names, if it names one."""
    name = clean_name(phrase)
    if name.casefold() in TOOLS or not (_PERSON.match(name) or _HAN_PERSON.match(name)):
        return None
    return EntityRef(EntityType.PERSON, name.removeprefix("@"))


def entity_ref(name: str) -> EntityRef:
    """Return a reference of the type that the name itself tells, else a term."""
    words = name.split()
    for place, rest in ((0, words[1:]), (-1, words[:-1])):
        type = TYPE_WORDS.get(words[place].casefold()) if len(words) > 1 else None
        if type is not None and (rest[0][:1].isupper() or rest[0].startswith(("`", '"'))):
            return EntityRef(type, " ".join(rest).strip("`\"'"))
    name = ALIASES.get(name.casefold(), name)
    if name.casefold() in TOOLS:
        return EntityRef(EntityType.TOOL, name)
    if name.startswith("@") and _PERSON.match(name):
        return EntityRef(EntityType.PERSON, name[1:])
    return EntityRef(EntityType.TERM, name)
