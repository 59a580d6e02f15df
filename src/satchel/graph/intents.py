"""The sorts of questions about entities, in English and Chinese: how each is put, and what answers it."""

import re
from enum import StrEnum

from msgspec import Struct

from satchel.domain.graph import EntityType, Relation
from satchel.graph.walking import Direction

_DEPENDING = (
    Relation.DEPENDS_ON,
    Relation.USES,
    Relation.IMPORTS,
    Relation.CALLS,
    Relation.INHERITS,
    Relation.BLOCKED_BY,
)


class Want(StrEnum):
    """What a question wants to know."""

    PATH = "path"
    NEIGHBORS = "neighbors"
    DECIDERS = "deciders"
    DECISIONS = "decisions"
    AROUND = "around"


class Intent(Struct, frozen=True):
    """A sort of question: how it is put, and which relations of the entity it names answer it."""

    name: str
    pattern: re.Pattern[str]
    want: Want = Want.NEIGHBORS
    direction: Direction = Direction.BOTH
    relations: tuple[Relation, ...] = ()


def _intent(
    name: str,
    *patterns: str,
    want: Want = Want.NEIGHBORS,
    direction: Direction = Direction.BOTH,
    relations: tuple[Relation, ...] = (),
) -> Intent:
    return Intent(name, re.compile("|".join(patterns), re.IGNORECASE), want, direction, relations)


_WHO = r"(?:what|who|which(?: \w+){0,2}|whatever|whoever|everything that|all (?:the )?\w+ that)"
_ZH_WHO = "(?:谁|誰|什么|什麼|哪些?(?:个|個)?[^，。？?]{0,6}?|有哪些[^，。？?]{0,6}?)"
_DOES = r"(?:do|does|did)"

INTENTS: tuple[Intent, ...] = (
    _intent(
        "deciders",
        r"\b(?:who|which (?:people|persons?|of us|colleagues?)) (?:has |have )?(?:decided|chose|approved|picked|selected)\b|\bwho made the (?:decision|choice)\b|\bdeciders? of\b",
        "(?:谁|誰)(?:最终|最終|已经|已經)?(?:决定|決定|选择|選擇|选定|選定|批准)|(?:决定|決定).{0,30}是(?:谁|誰)|由(?:谁|誰)(?:决定|決定)",
        want=Want.DECIDERS,
    ),
    _intent(
        "decisions",
        r"\bwhat (?:has|have|did|was) .{1,60}\b(?:decide|decided|choose|chosen|approve)\b|\bdecisions? (?:of|by|about|on)\b",
        "(?:决定|決定)了?(?:什么|什麼|哪些)|(?:关于|關於).{1,30}的?(?:决定|決定)",
        want=Want.DECISIONS,
    ),
    _intent(
        "related",
        rf"\b{_WHO} (?:is |are )?(?:relates?|related|connected|linked) (?:to|with)\b",
        f"{_ZH_WHO}(?:和|与|與|跟).{{1,30}}(?:有关|有關|相关|相關)",
    ),
    _intent(
        "path",
        r"\b(?:related?|relation(?:ship)?s?|connect(?:ed|ions?)?|links?|linked|path|way|route|chain|trace)\b.*\b(?:to|between|from|and|with)\b"
        r"|\bhow (?:does|do|is|are) .+ (?:get|lead|come|fit|work|tied?) (?:to|with|together)\b",
        "(?:关系|關係|联系|聯繫|关联|關聯|路径|路徑|有关吗|相关吗)|从.+到",
        want=Want.PATH,
    ),
    _intent(
        "importers",
        rf"\b{_WHO} (?:directly )?imports?\b|\bimport(?:ers|ed by)\b|\bimports of\b",
        f"{_ZH_WHO}(?:导入|導入|匯入|引入)",
        direction=Direction.IN,
        relations=(Relation.IMPORTS,),
    ),
    _intent(
        "callers",
        rf"\b{_WHO} (?:directly )?(?:calls?|invokes?)\b|\bcallers? of\b|\bwhere is .+ called\b",
        f"{_ZH_WHO}(?:调用|調用|呼叫)|被(?:谁|誰|哪些).{{0,6}}(?:调用|調用|呼叫)",
        direction=Direction.IN,
        relations=(Relation.CALLS,),
    ),
    _intent(
        "subclasses",
        rf"\bsub-?class(?:es)?\b|\b{_WHO} (?:inherits?|derives?|extends?)\b|\bimplementations? of\b",
        f"(?:子类|子類)|{_ZH_WHO}(?:继承|繼承)",
        direction=Direction.IN,
        relations=(Relation.INHERITS,),
    ),
    _intent(
        "bases",
        rf"\b{_DOES} .+ (?:inherit|derive|extend)\b|\b(?:base|super|parent) ?class(?:es)?\b",
        "(?:父类|父類|基类|基類)|(?:继承|繼承)(?:自|了)?(?:谁|誰|什么|什麼|哪)",
        direction=Direction.OUT,
        relations=(Relation.INHERITS,),
    ),
    _intent(
        "blocked",
        rf"\b{_WHO} (?:is|are|was|were) (?:blocked|held up|stuck) (?:by|on)\b|\b{_DOES} .+ block\b|\b{_WHO} (?:waits?|is waiting) for\b",
        direction=Direction.IN,
        relations=(Relation.BLOCKED_BY,),
    ),
    _intent(
        "blockers",
        rf"\b{_WHO} (?:blocks?|is blocking|holds? up)\b|\b(?:is|are) .+ (?:blocked|waiting)\b|\bblockers? of\b",
        f"被(?:谁|誰|什么|什麼)(?:阻塞|阻碍|阻礙|卡住)|{_ZH_WHO}(?:阻塞|阻碍|阻礙|卡住)(?:了|着)?[^，。？?]",
        direction=Direction.OUT,
        relations=(Relation.BLOCKED_BY,),
    ),
    _intent(
        "blocked",
        "(?:阻塞|阻碍|阻礙|卡住)(?:了|着)?(?:谁|誰|什么|什麼|哪些)",
        direction=Direction.IN,
        relations=(Relation.BLOCKED_BY,),
    ),
    _intent(
        "replacement",
        rf"\b{_WHO} (?:replaces?|replaced|supersedes?|superseded)\b",
        direction=Direction.IN,
        relations=(Relation.REPLACES,),
    ),
    _intent(
        "replaced",
        rf"\b{_DOES} .+ (?:replace|supersede)\b",
        direction=Direction.OUT,
        relations=(Relation.REPLACES,),
    ),
    _intent(
        "replacement",
        f"{_ZH_WHO}(?:取代|替换|替換|替代)",
        direction=Direction.IN,
        relations=(Relation.REPLACES,),
    ),
    _intent(
        "replaced",
        "(?:取代|替换|替換|替代)了?(?:谁|誰|什么|什麼|哪)",
        direction=Direction.OUT,
        relations=(Relation.REPLACES,),
    ),
    _intent(
        "evaluations",
        rf"\b(?:which|what)(?: \w+){{0,2}} (?:were|was|did|have|has) .*(?:evaluat|consider|compar)|\b(?:alternatives?|options?) (?:\w+ )?(?:to|for|of|in)\b|\b{_DOES} .+ (?:evaluate|compare|consider)\b",
        direction=Direction.OUT,
        relations=(Relation.EVALUATES,),
    ),
    _intent(
        "evaluators",
        rf"\b{_WHO} (?:evaluates?|evaluated|compared|considered)\b",
        direction=Direction.IN,
        relations=(Relation.EVALUATES,),
    ),
    _intent(
        "evaluations",
        "(?:评估|評估|比较|比較|考虑|考慮)了?(?:哪些|什么|什麼)",
        direction=Direction.OUT,
        relations=(Relation.EVALUATES,),
    ),
    _intent(
        "evaluators",
        f"{_ZH_WHO}(?:评估|評估)",
        direction=Direction.IN,
        relations=(Relation.EVALUATES,),
    ),
    _intent(
        "owners",
        r"\bwho (?:owns?|maintains?|is responsible for|leads|runs)\b|\b(?:owner|maintainer)s? of\b",
        "(?:谁|誰)(?:负责|負責|维护|維護)|由(?:谁|誰)(?:负责|負責|维护|維護)",
        direction=Direction.IN,
        relations=(Relation.OWNS,),
    ),
    _intent(
        "owned",
        rf"\bwhat {_DOES} .+ (?:own|maintain)\b|\bis .+ responsible for\b",
        "(?:负责|負責|维护|維護)(?:什么|什麼|哪些)",
        direction=Direction.OUT,
        relations=(Relation.OWNS,),
    ),
    _intent(
        "mentions",
        rf"\b{_WHO} (?:mentions?|documents?|describes?|talks? about)\b|\bwhere is .+ (?:mentioned|documented|described)\b|\bdocumentation (?:of|for|on)\b",
        f"{_ZH_WHO}(?:提到|提及|描述)|在哪(?:里|裡|些文档)?(?:提到|提及)",
        direction=Direction.IN,
        relations=(Relation.MENTIONS,),
    ),
    _intent(
        "mentioned",
        rf"\b{_DOES} .+ (?:mention|describe)\b",
        direction=Direction.OUT,
        relations=(Relation.MENTIONS,),
    ),
    _intent(
        "place",
        r"\b(?:is|are) .+ (?:defined|declared|implemented|located)\b|\b(?:which|what) (?:module|file|package|class) (?:contains|defines|holds)\b|\bdefinition of\b",
        "(?:定义|定義|实现|實現)在(?:哪|什么|什麼)|在(?:哪|什么|什麼).{0,6}(?:定义|定義)|属于(?:哪|什么)|屬於(?:哪|什麼)",
        direction=Direction.IN,
        relations=(Relation.CONTAINS,),
    ),
    _intent(
        "parts",
        rf"\bwhat (?:is|are)(?: there)? in\b|\b{_DOES} .+ (?:contain|define|consist|hold|include)\b|\b(?:contents|members|methods|functions|classes|parts|modules) (?:of|in)\b",
        "(?:包含|包括|定义了|定義了)(?:什么|什麼|哪些)|里有(?:什么|哪些)|有哪些(?:模块|模組|函数|函數|方法|类)",
        direction=Direction.OUT,
        relations=(Relation.CONTAINS,),
    ),
    _intent(
        "imported",
        rf"\bwhat {_DOES} .+ import\b|\b{_DOES} .+ import\b",
        "(?:导入|導入|匯入|引入)了?(?:什么|什麼|哪些)",
        direction=Direction.OUT,
        relations=(Relation.IMPORTS,),
    ),
    _intent(
        "called",
        rf"\b{_DOES} .+ (?:call|invoke)\b|\bcallees of\b",
        "(?:调用|調用|呼叫)了?(?:什么|什麼|哪些|谁|誰)",
        direction=Direction.OUT,
        relations=(Relation.CALLS,),
    ),
    _intent(
        "used",
        rf"\b{_DOES} .+ (?:use|run on)\b",
        "(?:使用|采用|採用|用)了?(?:什么|什麼|哪些)",
        direction=Direction.OUT,
        relations=(Relation.USES, Relation.DEPENDS_ON, Relation.IMPORTS, Relation.CALLS),
    ),
    _intent(
        "dependencies",
        rf"\b{_DOES} .+ (?:depend on|rely on|need|require)\b|\b(?:dependenc(?:y|ies)|requirements) of\b|\bis .+ (?:built|based) on\b",
        "(?:依赖|依賴)(?:于|於|了)?(?:什么|什麼|哪些|谁|誰)|的(?:依赖|依賴)",
        direction=Direction.OUT,
        relations=_DEPENDING,
    ),
    _intent(
        "users",
        rf"\b{_WHO} (?:directly )?(?:uses?|is using|are using)\b|\busers? of\b|\bwhere is .+ used\b",
        f"{_ZH_WHO}(?:使用|采用|採用|用到|在用)",
        direction=Direction.IN,
        relations=(Relation.USES, Relation.DEPENDS_ON, Relation.IMPORTS, Relation.CALLS),
    ),
    _intent(
        "dependents",
        rf"\b{_WHO} (?:directly )?(?:depends?|relies|rely) on\b|\b{_WHO} (?:needs?|requires?)\b|\bdependents? of\b|\b(?:breaks?|affected|impact)\b",
        f"{_ZH_WHO}(?:依赖|依賴)|会影响|會影響",
        direction=Direction.IN,
        relations=_DEPENDING,
    ),
)
AROUND = Intent("around", re.compile(""), Want.AROUND)

# What sort of entity a word of the question asks for.
TYPES_ASKED: tuple[tuple[re.Pattern[str], tuple[EntityType, ...]], ...] = (
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?(?:modules?|files?|packages?)\b|\b(?:modules|files|packages) (?:of|in)\b|哪些?(?:个|個)?(?:模块|模組|文件|包)",
            re.IGNORECASE,
        ),
        (EntityType.MODULE,),
    ),
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?(?:functions?|methods?)\b|\b(?:functions|methods) (?:of|in)\b|哪些?(?:个|個)?(?:函数|函數|方法)",
            re.IGNORECASE,
        ),
        (EntityType.FUNCTION,),
    ),
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?class(?:es)?\b|\b(?:classes) (?:of|in)\b|哪些?(?:个|個)?(?:类|類)",
            re.IGNORECASE,
        ),
        (EntityType.CLASS,),
    ),
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?(?:documents?|docs|pages?)\b|哪些?(?:个|個|篇)?(?:文档|文檔)",
            re.IGNORECASE,
        ),
        (EntityType.DOCUMENT,),
    ),
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?(?:tools?|librar(?:y|ies))\b|哪些?(?:个|個)?(?:工具|库)",
            re.IGNORECASE,
        ),
        (EntityType.TOOL, EntityType.PACKAGE),
    ),
    (
        re.compile(
            r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?projects?\b|哪些?(?:个|個)?(?:项目|項目)",
            re.IGNORECASE,
        ),
        (EntityType.PROJECT,),
    ),
    (
        re.compile(r"\b(?:which|what|all the) (?:\w+ )?decisions?\b|哪些?(?:个|個)?(?:决定|決定)", re.IGNORECASE),
        (EntityType.DECISION,),
    ),
    (
        re.compile(r"\b(?:which|what|all the) (?:\w+ )?(?:people|persons?)\b|哪些?(?:个|個)?人", re.IGNORECASE),
        (EntityType.PERSON,),
    ),
)
