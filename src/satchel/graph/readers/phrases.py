"""Phrases that state a relation, in English and Chinese, as tables of patterns.

Each row is a rule: the words between the two names, the relation, and whether the sentence names them in reverse order.
Negated, hypothetical and interrogative sentences are not read.
"""

import re

from msgspec import Struct

from satchel.domain.graph import RelationType


class RelationPhrase(Struct, frozen=True):
    """One phrase for a relation."""

    name: str
    """The rule recorded with the relations it finds."""
    relation: RelationType
    words: re.Pattern[str]
    reverse: bool = False
    common_nouns: bool = False
    """Whether it also relates common nouns; other phrases need proper names."""


_IS = r"(?:is|are|was|were|gets|got|has been|have been)(?: now| currently| still| heavily| also)?"


def _en(
    name: str, relation: RelationType, words: str, *, reverse: bool = False, common_nouns: bool = False
) -> RelationPhrase:
    return RelationPhrase(
        f"sentence.{name}", relation, re.compile(rf"\s(?:{words})\s", re.IGNORECASE), reverse, common_nouns
    )


def _zh(name: str, relation: RelationType, words: str, *, reverse: bool = False) -> RelationPhrase:
    return RelationPhrase(f"sentence.zh.{name}", relation, re.compile(f"(?:{words})"), reverse, common_nouns=True)


ENGLISH: tuple[RelationPhrase, ...] = (
    _en("used_by", RelationType.USES, rf"{_IS} used (?:by|in)", reverse=True, common_nouns=True),
    _en(
        "uses",
        RelationType.USES,
        rf"(?:(?:now|currently|still|also) )?(?:uses?|using|adopts|adopted)|runs? on(?: top of)?"
        rf"|{_IS} (?:built|based) (?:on|with|upon)|{_IS} (?:written|implemented) (?:in|with)|{_IS} (?:powered|backed) by",
        common_nouns=True,
    ),
    _en("needed_by", RelationType.DEPENDS_ON, rf"{_IS} (?:needed|required) by", reverse=True, common_nouns=True),
    _en(
        "depends_on",
        RelationType.DEPENDS_ON,
        rf"(?:also )?(?:depends?|relies|rely) (?:up)?on|{_IS} dependent on",
        common_nouns=True,
    ),
    _en(
        "blocked_by",
        RelationType.BLOCKED_BY,
        rf"{_IS} (?:blocked|held up|stuck) (?:by|on)|{_IS} waiting (?:for|on)|waits (?:for|on)",
        common_nouns=True,
    ),
    _en("blocks", RelationType.BLOCKED_BY, r"blocks|holds up", reverse=True),
    _en(
        "relates_to",
        RelationType.RELATES_TO,
        rf"(?:relates?|corresponds?) to|{_IS} (?:closely )?(?:related|connected|linked|similar) to",
        common_nouns=True,
    ),
    _en(
        "evaluated_by",
        RelationType.EVALUATES,
        rf"{_IS} (?:evaluated|assessed|reviewed) by",
        reverse=True,
        common_nouns=True,
    ),
    _en(
        "evaluates",
        RelationType.EVALUATES,
        r"evaluate[sd]?|(?:is|are|was|were) evaluating|assesse[sd]|benchmarked|compared",
        common_nouns=True,
    ),
    _en(
        "replaced_by",
        RelationType.REPLACES,
        rf"{_IS} (?:replaced|superseded) (?:by|with)",
        reverse=True,
        common_nouns=True,
    ),
    _en("replaces", RelationType.REPLACES, r"replace[sd]?|supersede[sd]?", common_nouns=True),
    _en("called_by", RelationType.CALLS, rf"{_IS} (?:called|invoked) (?:by|from)", reverse=True),
    _en("calls", RelationType.CALLS, r"calls?|invokes?"),
    _en("imported_by", RelationType.IMPORTS, rf"{_IS} imported (?:by|from)", reverse=True),
    _en("imports", RelationType.IMPORTS, r"imports?"),
    _en("inherits", RelationType.INHERITS, r"inherits? from|derives from|subclasses|extends"),
    _en("part_of", RelationType.CONTAINS, rf"{_IS} (?:a )?part of|belongs? to", reverse=True),
    _en("contains", RelationType.CONTAINS, r"contains?|consists? of|includes?"),
    _en("owned_by", RelationType.OWNS, rf"{_IS} (?:owned|maintained|run) by", reverse=True, common_nouns=True),
    _en("owns", RelationType.OWNS, r"owns|maintains?|(?:is|are) responsible for|leads"),
)

CHINESE: tuple[RelationPhrase, ...] = (
    _zh("used_by", RelationType.USES, "被(?=[^被]{1,30}(?:使用|采用|採用))", reverse=True),
    _zh("blocked_by", RelationType.BLOCKED_BY, "被(?=[^被]{1,30}(?:阻塞|阻碍|阻礙|卡住|挡住|擋住))"),
    _zh("called_by", RelationType.CALLS, "被(?=[^被]{1,30}(?:调用|調用|呼叫))", reverse=True),
    _zh("replaced_by", RelationType.REPLACES, "被(?=[^被]{1,30}(?:取代|替换|替換|替代))", reverse=True),
    _zh(
        "relates_to",
        RelationType.RELATES_TO,
        "[和与與跟](?=[^和与與跟]{1,30}(?:有关|有關|相关|相關|有联系|有聯繫|有关联|有關聯))",
    ),
    _zh("depends_on", RelationType.DEPENDS_ON, "(?:依赖|依賴|取决|取決)(?:于|於|了)?"),
    _zh("uses", RelationType.USES, "(?:使用|采用|採用|用了|基于|基於|运行在|運行在|改用)(?:了|着)?"),
    _zh("waits_for", RelationType.BLOCKED_BY, "(?:等待|受阻于|受阻於)"),
    _zh("blocks", RelationType.BLOCKED_BY, "(?:阻塞|阻碍|阻礙|卡住)(?:了|着)?", reverse=True),
    _zh("evaluates", RelationType.EVALUATES, "(?:评估|評估|评测|評測)(?:了|过|過)?"),
    _zh("replaces", RelationType.REPLACES, "(?:取代|替换|替換|替代)(?:了)?"),
    _zh("calls", RelationType.CALLS, "(?:调用|調用|呼叫)(?:了)?"),
    _zh("imports", RelationType.IMPORTS, "(?:导入|導入|匯入|引入)(?:了)?"),
    _zh("inherits", RelationType.INHERITS, "(?:继承|繼承)(?:自|了)?"),
    _zh("part_of", RelationType.CONTAINS, "(?:属于|屬於)", reverse=True),
    _zh("contains", RelationType.CONTAINS, "(?:包含|包括)(?:了)?"),
    _zh("owns", RelationType.OWNS, "(?:负责|負責|维护|維護)"),
)

# Before a relation phrase, these words negate it or make it uncertain.
DOUBT = re.compile(
    r"\b(?:not|never|no longer|cannot|can't|don't|doesn't|didn't|isn't|aren't|wasn't|won't|n't|hardly|rarely|without"
    r"|if|whether|unless|would|could|should|may|might|must|can|will|shall|to|maybe|perhaps|possibly|probably|plans?"
    r"|wants?|hopes?|instead of|rather than)(?: \w+)?$",
    re.IGNORECASE,
)
DOUBT_ZH = re.compile(
    "(?:不|没有|沒有|没|沒|未|并非|並非|不再|如果|要是|可能|也许|也許|或许|应该|應該|打算|计划|計劃|想|希望|是否|会|會|将|將|能|可以|要)$"
)
# Questions, requests and suppositions.
DOUBTFUL = re.compile(
    r"^(?:if|when|unless|suppose|imagine|assuming|maybe|perhaps|let's|please|should|could|would)\b", re.IGNORECASE
)
DOUBTFUL_ZH = re.compile("^(?:如果|要是|假如|假设|也许|或许|请|請)|(?:吗|嗎|呢)$")
QUESTION = re.compile(r"[?？]\s*$")

DECIDED = re.compile(
    r"^(?P<who>.{1,60}?)\s+(?:(?:has|have|had)\s+)?(?:finally\s+)?"
    r"(?:(?P<to>decided|chose|agreed)\s+(?P<link>to|that|on|against)\s+|(?P<picked>chose|picked|selected|approved|rejected|decided)\s+)"
    r"(?P<what>.+)$",
    re.IGNORECASE,
)
DECIDED_BY = re.compile(
    r"^(?P<what>.{3,200}?)[,;:]?\s+(?:(?:was|were|is)\s+)?(?:decided|chosen|approved|selected|picked)\s+by\s+(?P<who>.{1,60}?)$",
    re.IGNORECASE,
)
DECIDED_ZH = re.compile(
    "^(?P<who>[^，,]{1,20}?)(?:最终|最終|已经|已經|已)?(?:决定|決定|选择|選擇|选定|選定|批准|否决|否決)(?:了|採用|采用)?(?P<what>.+)$"
)
DECIDED_BY_ZH = re.compile("^(?P<what>.{2,100}?)(?:是)?由(?P<who>[^，,]{1,20}?)(?:决定|決定|选定|選定|批准)的?$")
DECISION_LABEL = re.compile(
    r"^(?:decision|decided|决定|決定|決策|决策)\s*(?:[(（](?:by\s+)?(?P<who>[^)）]{1,60})[)）])?\s*[:：]\s*(?P<what>.+)$",
    re.IGNORECASE,
)
# Deciders that are not a particular person.
_UNNAMED_DECIDERS = (
    "we i you they he she it this that the team everyone everybody somebody someone nobody people one who 我们 我們 我 "
    "你 你们 你們 他 她 他们 他們 大家 团队 團隊 有人 谁 誰"
)
UNNAMED_DECIDERS = frozenset(_UNNAMED_DECIDERS.split())
ALIAS = re.compile(
    r"(?P<name>[^\s(（,，。.;:][^(（,，。;:]{0,59}?)\s*(?:[(（]\s*|,\s+|，)(?:(?:also|formerly|previously) (?:known as|called)|a\.?k\.?a\.?|aka|又称为?|又稱為?|也叫|简称|簡稱)\s*"
    r"(?P<other>[^)）,，。.;]{1,60}?)\s*(?:[)）,，。.;]|$)",
    re.IGNORECASE,
)
ISA = re.compile(
    r"^(?P<name>.{1,60}?)\s+(?:is|are|was)\s+(?:an?|the|our|my|one of the)\s+(?:[\w-]+\s+){0,4}?(?P<type>tool|library|database|framework|engine|package"
    r"|project|product|app|repository|repo|engineer|developer|designer|colleague|maintainer|manager|concept|pattern|principle)\b",
    re.IGNORECASE,
)
ISA_ZH = re.compile(
    "^(?P<name>.{1,40}?)是(?:一个|一個|一种|一種|一款|我们的|我們的)?.{0,12}?(?P<type>工具|数据库|數據庫|框架|库|庫|引擎|项目|項目|专案|專案|产品|產品|仓库|倉庫|工程师|工程師|开发者|開發者|同事|概念|原则)(?:$|[，,。])"
)
