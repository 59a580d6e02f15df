"""Patterns of questions about entities in English and Chinese, and the relations that answer them."""

import re
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.graph import EntityType, RelationType
from satchel.graph.traversal import Direction

_USE_RELATIONS = (RelationType.USES, RelationType.DEPENDS_ON, RelationType.IMPORTS, RelationType.CALLS)
_DEPENDENCY_RELATIONS = (
    RelationType.DEPENDS_ON,
    RelationType.USES,
    RelationType.IMPORTS,
    RelationType.CALLS,
    RelationType.INHERITS,
    RelationType.BLOCKED_BY,
)


class AnswerKind(StrEnum):
    """What a question asks for."""

    PATH = "path"
    NEIGHBORS = "neighbors"
    DECIDERS = "deciders"
    DECISIONS = "decisions"
    AROUND = "around"


class QuestionPattern(Struct, frozen=True):
    """A type of question: its pattern, and the relations of the named entity that answer it."""

    name: str
    pattern: re.Pattern[str]
    kind: AnswerKind = AnswerKind.NEIGHBORS
    direction: Direction = Direction.BOTH
    relations: tuple[RelationType, ...] = ()


def _pattern(name: str, *patterns: str, kind: AnswerKind = AnswerKind.NEIGHBORS) -> QuestionPattern:
    return QuestionPattern(name, re.compile("|".join(patterns), re.IGNORECASE), kind)


def _incoming(name: str, relations: RelationType | tuple[RelationType, ...], *patterns: str) -> QuestionPattern:
    among = relations if isinstance(relations, tuple) else (relations,)
    return replace(_pattern(name, *patterns), direction=Direction.IN, relations=among)


def _outgoing(name: str, relations: RelationType | tuple[RelationType, ...], *patterns: str) -> QuestionPattern:
    return replace(_incoming(name, relations, *patterns), direction=Direction.OUT)


_WHO = r"(?:what|who|which(?: \w+){0,2}|whatever|whoever|everything that|all (?:the )?\w+ that)"
_ZH_WHO = "(?:谁|誰|什么|什麼|哪些?(?:个|個)?[^，。？?]{0,6}?|有哪些[^，。？?]{0,6}?)"
_DOES = r"(?:do|does|did)"

PATTERNS: tuple[QuestionPattern, ...] = (
    _pattern(
        "deciders",
        r"\b(?:who|which (?:people|persons?|of us|colleagues?)) (?:has |have )?(?:decided|chose|approved|picked|selected)\b|\bwho made the (?:decision|choice)\b|\bdeciders? of\b",
        "(?:谁|誰)(?:最终|最終|已经|已經)?(?:决定|決定|选择|選擇|选定|選定|批准)|(?:决定|決定).{0,30}是(?:谁|誰)|由(?:谁|誰)(?:决定|決定)",
        kind=AnswerKind.DECIDERS,
    ),
    _pattern(
        "decisions",
        r"\bwhat (?:has|have|did|was) .{1,60}\b(?:decide|decided|choose|chosen|approve)\b|\bdecisions? (?:of|by|about|on)\b",
        "(?:决定|決定)了?(?:什么|什麼|哪些)|(?:关于|關於).{1,30}的?(?:决定|決定)",
        kind=AnswerKind.DECISIONS,
    ),
    _pattern(
        "related",
        rf"\b{_WHO} (?:is |are )?(?:relates?|related|connected|linked) (?:to|with)\b",
        f"{_ZH_WHO}(?:和|与|與|跟).{{1,30}}(?:有关|有關|相关|相關)",
    ),
    _pattern(
        "path",
        r"\b(?:related?|relation(?:ship)?s?|connect(?:ed|ions?)?|links?|linked|path|way|route|chain|trace)\b.*\b(?:to|between|from|and|with)\b"
        r"|\bhow (?:does|do|is|are) .+ (?:get|lead|come|fit|work|tied?) (?:to|with|together)\b",
        "(?:关系|關係|联系|聯繫|关联|關聯|路径|路徑|有关吗|相关吗)|从.+到",
        kind=AnswerKind.PATH,
    ),
    _incoming(
        "importers",
        RelationType.IMPORTS,
        rf"\b{_WHO} (?:directly )?imports?\b|\bimport(?:ers|ed by)\b|\bimports of\b",
        f"{_ZH_WHO}(?:导入|導入|匯入|引入)",
    ),
    _incoming(
        "callers",
        RelationType.CALLS,
        rf"\b{_WHO} (?:directly )?(?:calls?|invokes?)\b|\bcallers? of\b|\bwhere is .+ called\b",
        f"{_ZH_WHO}(?:调用|調用|呼叫)|被(?:谁|誰|哪些).{{0,6}}(?:调用|調用|呼叫)",
    ),
    _incoming(
        "subclasses",
        RelationType.INHERITS,
        rf"\bsub-?class(?:es)?\b|\b{_WHO} (?:inherits?|derives?|extends?)\b|\bimplementations? of\b",
        f"(?:子类|子類)|{_ZH_WHO}(?:继承|繼承)",
    ),
    _outgoing(
        "bases",
        RelationType.INHERITS,
        rf"\b{_DOES} .+ (?:inherit|derive|extend)\b|\b(?:base|super|parent) ?class(?:es)?\b",
        "(?:父类|父類|基类|基類)|(?:继承|繼承)(?:自|了)?(?:谁|誰|什么|什麼|哪)",
    ),
    _incoming(
        "blocked",
        RelationType.BLOCKED_BY,
        rf"\b{_WHO} (?:is|are|was|were) (?:blocked|held up|stuck) (?:by|on)\b|\b{_DOES} .+ block\b|\b{_WHO} (?:waits?|is waiting) for\b",
    ),
    _outgoing(
        "blockers",
        RelationType.BLOCKED_BY,
        rf"\b{_WHO} (?:blocks?|is blocking|holds? up)\b|\b(?:is|are) .+ (?:blocked|waiting)\b|\bblockers? of\b",
        f"被(?:谁|誰|什么|什麼)(?:阻塞|阻碍|阻礙|卡住)|{_ZH_WHO}(?:阻塞|阻碍|阻礙|卡住)(?:了|着)?[^，。？?]",
    ),
    _incoming("blocked", RelationType.BLOCKED_BY, "(?:阻塞|阻碍|阻礙|卡住)(?:了|着)?(?:谁|誰|什么|什麼|哪些)"),
    _incoming("replacement", RelationType.REPLACES, rf"\b{_WHO} (?:replaces?|replaced|supersedes?|superseded)\b"),
    _outgoing("replaced", RelationType.REPLACES, rf"\b{_DOES} .+ (?:replace|supersede)\b"),
    _incoming("replacement", RelationType.REPLACES, f"{_ZH_WHO}(?:取代|替换|替換|替代)"),
    _outgoing("replaced", RelationType.REPLACES, "(?:取代|替换|替換|替代)了?(?:谁|誰|什么|什麼|哪)"),
    _outgoing(
        "evaluations",
        RelationType.EVALUATES,
        rf"\b(?:which|what)(?: \w+){{0,2}} (?:were|was|did|have|has) .*(?:evaluat|consider|compar)|\b(?:alternatives?|options?) (?:\w+ )?(?:to|for|of|in)\b|\b{_DOES} .+ (?:evaluate|compare|consider)\b",
    ),
    _incoming("evaluators", RelationType.EVALUATES, rf"\b{_WHO} (?:evaluates?|evaluated|compared|considered)\b"),
    _outgoing("evaluations", RelationType.EVALUATES, "(?:评估|評估|比较|比較|考虑|考慮)了?(?:哪些|什么|什麼)"),
    _incoming("evaluators", RelationType.EVALUATES, f"{_ZH_WHO}(?:评估|評估)"),
    _incoming(
        "owners",
        RelationType.OWNS,
        r"\bwho (?:owns?|maintains?|is responsible for|leads|runs)\b|\b(?:owner|maintainer)s? of\b",
        "(?:谁|誰)(?:负责|負責|维护|維護)|由(?:谁|誰)(?:负责|負責|维护|維護)",
    ),
    _outgoing(
        "owned",
        RelationType.OWNS,
        rf"\bwhat {_DOES} .+ (?:own|maintain)\b|\bis .+ responsible for\b",
        "(?:负责|負責|维护|維護)(?:什么|什麼|哪些)",
    ),
    _incoming(
        "mentions",
        RelationType.MENTIONS,
        rf"\b{_WHO} (?:mentions?|documents?|describes?|talks? about)\b|\bwhere is .+ (?:mentioned|documented|described)\b|\bdocumentation (?:of|for|on)\b",
        f"{_ZH_WHO}(?:提到|提及|描述)|在哪(?:里|裡|些文档)?(?:提到|提及)",
    ),
    _outgoing("mentioned", RelationType.MENTIONS, rf"\b{_DOES} .+ (?:mention|describe)\b"),
    _incoming(
        "place",
        RelationType.CONTAINS,
        r"\b(?:is|are) .+ (?:defined|declared|implemented|located)\b|\b(?:which|what) (?:module|file|package|class) (?:contains|defines|holds)\b|\bdefinition of\b",
        "(?:定义|定義|实现|實現)在(?:哪|什么|什麼)|在(?:哪|什么|什麼).{0,6}(?:定义|定義)|属于(?:哪|什么)|屬於(?:哪|什麼)",
    ),
    _outgoing(
        "parts",
        RelationType.CONTAINS,
        rf"\bwhat (?:is|are)(?: there)? in\b|\b{_DOES} .+ (?:contain|define|consist|hold|include)\b|\b(?:contents|members|methods|functions|classes|parts|modules) (?:of|in)\b",
        "(?:包含|包括|定义了|定義了)(?:什么|什麼|哪些)|里有(?:什么|哪些)|有哪些(?:模块|模組|函数|函數|方法|类)",
    ),
    _outgoing(
        "imported",
        RelationType.IMPORTS,
        rf"\bwhat {_DOES} .+ import\b|\b{_DOES} .+ import\b",
        "(?:导入|導入|匯入|引入)了?(?:什么|什麼|哪些)",
    ),
    _outgoing(
        "called",
        RelationType.CALLS,
        rf"\b{_DOES} .+ (?:call|invoke)\b|\bcallees of\b",
        "(?:调用|調用|呼叫)了?(?:什么|什麼|哪些|谁|誰)",
    ),
    _outgoing("used", _USE_RELATIONS, rf"\b{_DOES} .+ (?:use|run on)\b", "(?:使用|采用|採用|用)了?(?:什么|什麼|哪些)"),
    _outgoing(
        "dependencies",
        _DEPENDENCY_RELATIONS,
        rf"\b{_DOES} .+ (?:depend on|rely on|need|require)\b|\b(?:dependenc(?:y|ies)|requirements) of\b|\bis .+ (?:built|based) on\b",
        "(?:依赖|依賴)(?:于|於|了)?(?:什么|什麼|哪些|谁|誰)|的(?:依赖|依賴)",
    ),
    _incoming(
        "users",
        _USE_RELATIONS,
        rf"\b{_WHO} (?:directly )?(?:uses?|is using|are using)\b|\busers? of\b|\bwhere is .+ used\b",
        f"{_ZH_WHO}(?:使用|采用|採用|用到|在用)",
    ),
    _incoming(
        "dependents",
        _DEPENDENCY_RELATIONS,
        rf"\b{_WHO} (?:directly )?(?:depends?|relies|rely) on\b|\b{_WHO} (?:needs?|requires?)\b|\bdependents? of\b|\b(?:breaks?|affected|impact)\b",
        f"{_ZH_WHO}(?:依赖|依賴)|会影响|會影響",
    ),
)
AROUND = QuestionPattern("around", re.compile(""), AnswerKind.AROUND)

_WHICH = r"\b(?:which|what|all the) (?:(?!do\b|does\b|did\b|is\b|are\b)\w+ )?"
# The entity types that a question asks for, as in "which modules".
ASKED_TYPES: tuple[tuple[re.Pattern[str], tuple[EntityType, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), types)
    for pattern, types in (
        (
            rf"{_WHICH}(?:modules?|files?|packages?)\b|\b(?:modules|files|packages) (?:of|in)\b|哪些?(?:个|個)?(?:模块|模組|文件|包)",
            (EntityType.MODULE,),
        ),
        (
            rf"{_WHICH}(?:functions?|methods?)\b|\b(?:functions|methods) (?:of|in)\b|哪些?(?:个|個)?(?:函数|函數|方法)",
            (EntityType.FUNCTION,),
        ),
        (rf"{_WHICH}class(?:es)?\b|\b(?:classes) (?:of|in)\b|哪些?(?:个|個)?(?:类|類)", (EntityType.CLASS,)),
        (rf"{_WHICH}(?:documents?|docs|pages?)\b|哪些?(?:个|個|篇)?(?:文档|文檔)", (EntityType.DOCUMENT,)),
        (
            rf"{_WHICH}(?:tools?|librar(?:y|ies))\b|哪些?(?:个|個)?(?:工具|库)",
            (
                EntityType.TOOL,
                EntityType.PACKAGE,
            ),
        ),
        (rf"{_WHICH}projects?\b|哪些?(?:个|個)?(?:项目|項目)", (EntityType.PROJECT,)),
        (r"\b(?:which|what|all the) (?:\w+ )?decisions?\b|哪些?(?:个|個)?(?:决定|決定)", (EntityType.DECISION,)),
        (r"\b(?:which|what|all the) (?:\w+ )?(?:people|persons?)\b|哪些?(?:个|個)?人", (EntityType.PERSON,)),
    )
)
