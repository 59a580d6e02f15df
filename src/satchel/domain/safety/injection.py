"""Detect prompt injections: text that gives orders to an agent, by named rules in English and Chinese.

The best known order, to ignore what was said before, is recognised in more languages.

This is the second line of defence: text from untrusted channels is never trusted. These rules are for text that a person
passes on, so they must not match what people ordinarily write.
"""

import re
import unicodedata
from functools import cache

from msgspec import Struct

# Maximum number of characters to search; stored texts are shorter.
MAX_READ_CHARS = 100_000
# Invisible characters, which could hide a word from a rule.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")


class InjectionRule(Struct, frozen=True):
    """One way to give orders to an agent."""

    name: str
    pattern: str


_AGENT = (
    r"(?:assistants?|agents?|ai(?: (?:model|assistant|system))?|language model|models?|chatbots?|llms?|bots?|"
    r"chatgpt|claude|"
    r"gpt(?:-?\d\w*)?|system)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|commands?|programming|training|polic(?:y|"
    r"ies)|"
    r"constraints?|restrictions?|safeguards?|orders?)"
)
_EARLIER = (
    r"(?:previous|previously|prior|above|earlier|preceding|foregoing|former|original|initial|existing|system|"
    r"(?:you|that) (?:were|have been|got|received|had))"
)
_LIMITS = r"(?:restrictions?|limits|limitations|constraints?|guidelines?|filters?|considerations?|rules|morals|ethics|boundaries)"
_DROP = (
    r"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|do not follow|don't follow|stop following|"
    r"abandon|skip|"
    r"cancel)\b(?! my\b)"
)

# The same in other European languages.
_DROP_ABROAD = (
    r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesst|vergessen sie|ignore[zr]?|ignora(?:d|te|r)?|ignoren?|ignorare|ignori|oublie[zr]?|"
    r"olvid(?:a|ad|e|en|ar)|dimentica\w*|esque[çc]\w*|desconsider\w*|negeer|vergeet|игнориру\w*|забудь\w*|(?:z)?ignoruj\w*|zapomnij\w*|pomiń)\b"
)
_ORDERS_ABROAD = (
    r"(?:anweisung\w*|instruktion\w*|befehle\w*|regeln|vorgaben|instructions|consignes|ordres|règles|instrucciones|órdenes|reglas|"
    r"istruzioni|ordini|regole|instruções|ordens|regras|instructies|opdrachten|regels|инструкци\w*|указани\w*|правила|"
    r"instrukcj\w*|polece\w*)"
)
_EARLIER_ABROAD = (
    r"(?:vorherig\w*|bisherig\w*|vorig\w*|frühere\w*|obig\w*|ursprünglich\w*|précédent\w*|antérieur\w*|ci-dessus|anterior\w*|"
    r"previ[ao]s|precedenti|eerdere|bovenstaande|предыдущ\w*|прежни\w*|poprzedni\w*|wcześniejsz\w*)"
)

INJECTION_RULES = (
    # Invisible tag characters outside of a flag emoji: only a model reads them.
    InjectionRule("hidden text", "(?<![\U0001f3f4\U000e0020-\U000e007e])[\U000e0020-\U000e007e]{4,}"),
    InjectionRule(
        "override",
        rf"{_DROP}[^.!?\n]{{0,40}}?\b{_EARLIER}\b[^.!?\n]{{0,25}}?\b{_ORDERS}\b|"
        rf"{_DROP}[^.!?\n]{{0,40}}?\b{_ORDERS}\b[^.!?\n]{{0,25}}?\b(?:above|before|previously|earlier|prior|"
        rf"you (?:got|were|have|received|had))\b|"
        r"\b(?:ignore|disregard|forget|override) (?:all (?:of )?)?your (?:\w+ )?(?:instructions|programming|"
        r"guidelines|rules|training|restrictions)\b|"
        r"\bstop everything\b[^.\n]{0,30}\bprint\b",
    ),
    InjectionRule(
        "override in other languages",
        rf"{_DROP_ABROAD}[^.!?\n]{{0,40}}?\b(?:{_EARLIER_ABROAD}[^.!?\n]{{0,25}}?\b{_ORDERS_ABROAD}|{_ORDERS_ABROAD}[^.!?\n]{{0,25}}?\b{_EARLIER_ABROAD})\b|"
        r"(?:以前|これまで|上記|前)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)[^。\n]{0,8}(?:無視|忘れ)|"
        r"(?:이전|앞선|위의|기존)[^.\n]{0,10}(?:지시|명령|규칙|프롬프트)[^.\n]{0,10}(?:무시|잊)",
    ),
    InjectionRule(
        "lifted limits",
        r"\bdo anything now\b|\bjailbroken\b|\bjailbreak(?: mode| prompt|\]|:)|\bdeveloper mode (?:enabled|on|"
        r"output|activated)|"
        r"\b(?:enable|enter|activate|simulate|switch to|with) developer mode\b|"
        rf"\b(?:freed?|liberated|released?|broken free) (?:from|of) (?:\w+ ){{0,3}}(?:confines|shackles|chains|"
        rf"{_LIMITS})|"
        rf"\b(?:without|no|free of|ignoring|regardless of) (?:any |all |the )?(?:moral|ethical|safety|"
        rf"content)(?:,? (?:or|and|moral|ethical|legal))* {_LIMITS}\b|"
        rf"\byou (?:have|are under|are bound by) no (?:\w+ )?{_LIMITS}\b|"
        rf"\b{_AGENT}\b[^.\n]{{0,40}}\bwithout (?:any )?(?:restrictions|limits|filters|censorship)\b|"
        rf"\b(?:unfiltered|uncensored|unrestricted|amoral)\b[^.\n]{{0,30}}\b(?:ai|chatbot|model|mode|persona|"
        rf"assistant|chatgpt|gpt|bot|responses?)\b|"
        rf"\b(?:ai|chatbot|assistant|chatgpt|gpt|bot|persona)\b[^.\n]{{0,40}}\b(?:unfiltered|uncensored|"
        rf"unrestricted|amoral|no (?:morals|ethics|filters?|restrictions))\b|"
        r"\b(?:not|n't|never) (?:\w+ )?(?:refuse|reject|decline) (?:to |any |a |my |the |his |her |user )?(?:answer|"
        r"request|question|order|command|prompt|comply|anything|human|direct)|"
        r"\bdo(?:es)?(?: not|n't) (?:have to |need to )?(?:abide by|adhere to|comply with|"
        r"care about) (?:\w+ ){0,4}(?:rules|polic|guideline|restriction|openai|ethic|moral|law)|"
        r"\b(?:against|violat\w+|ignor\w+|bypass\w*|break\w*|not (?:bound|limited|restricted) by|free (?:of|from)|"
        r"limitations of|restrictions of) (?:\w+ ){0,3}openai|"
        r"\bsay(?:ing)? [\"'“]?stay in character|\b(?:never|not|n't|"
        r"without) (?:\w+ )?break(?:ing)? (?:out of )?character\b|"
        r"\b(?:always|must|will|can) (?:always )?(?:answer|respond to|comply with|obey) (?:to )?(?:any|every|"
        r"all) (?:\w+ )?(?:questions?|requests?|prompts?|orders?|commands?)\b|"
        r"\b(?:never|not|n't) (?:\w+ )?(?:say|apologi[sz]e|respond with|use)[^.\n]{0,12}(?:i'?m sorry|i can(?:'t|"
        r"not)|as an ai)|\binsert (?:your |the )?prompt here\b",
    ),
    InjectionRule(
        "new role",
        r"\bfrom (?:now|this (?:moment|point)) (?:on|onwards?|forward)s?,? (?:you(?:'re| are)?|chatgpt|"
        r"claude)\b(?=[^.!?\n]{0,40}\b(?:going to (?:act|pretend|be)|no longer|"
        r"will (?:act|be|pretend|respond as|answer as|play|behave|reply as)|(?:are|act as|pretend|behave as|"
        r"respond as|answer as)(?: an?| the| my)?)\b)|"
        r"\byou (?:are|will be|shall be) (?:now |no longer |going to be |called |special agent )*(?:(?-i:DAN|AIM|"
        r"STAN|DUDE)|jailbroken|evil|an? (?:evil|amoral|unethical|unrestricted|unfiltered))\b|"
        r"\byou(?: are|'re) no longer (?:an? )?(?:ai|chatgpt|assistant|language model|bound|claude)|"
        r"\b(?:act|behave|respond|answer|reply|roleplay|role-play) as (?:if you (?:are|were|have) )?(?:an? |"
        r"the )?(?:(?-i:DAN)|evil|unethical|amoral|unfiltered|uncensored|unrestricted|jailbroken)\b|"
        r"\b(?:you are|i want you to|you will|you're) (?:going to |now )?(?:be |act as |pretend to be |simulate |"
        r"play )[^.\n]{0,60}\b(?:without (?:any )?(?:restrictions|limits|filters|rules|morals)|no (?:restrictions|"
        r"limits|rules|morals|ethics))\b|"
        r"\bprefix (?:each|every|your|all)(?: your)? (?:answers?|responses?|repl(?:y|ies)|messages?)|\b(?:two|"
        r"2) (?:different |separate )?(?:responses|answers|paragraphs)\b[^.\n]{0,60}\b(?:chatgpt|gpt|dan|classic|"
        r"normal|standard)\b|"
        r"\b(?:hi|hello|hey),? chatgpt\b[^\n]{0,40}\b(?:from now on|you are going to|you will|pretend)\b",
    ),
    InjectionRule(
        "told its prompt",
        r"\b(?:reveal|print|output|repeat|show|display|leak|expose|disclose|tell me|give me|share|dump|"
        r"recite)\b[^.!?\n]{0,30}\b(?:system prompt|(?:initial|hidden|secret|original|system|prior|"
        r"previous) (?:instructions?|prompts?|messages?)|"
        r"your (?:\w+ )?(?:system )?(?:instructions|prompt|guidelines|configuration))\b",
    ),
    InjectionRule(
        "role marker",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>|"
        r"^[ \t]{0,8}#{2,6}[ \t]{0,8}(?:new |system |updated? )?(?:instructions?|system|prompt|"
        r"response)[ \t]{0,8}:?[ \t]{0,8}$|"
        r"</?(?:system|assistant|instructions?|system[-_]prompt)>|^\W{0,3}(?:system|developer|"
        r"admin(?:istrator)?)(?: (?:message|prompt|note|notice|override|instruction|update|alert))?\s*:\s*\S|"
        r"\b(?:begin|start|end)(?:ning)? (?:of )?(?:system|new|hidden) (?:prompt|instructions?)\b|\b(?:new|updated|"
        r"important|urgent|special|additional|hidden) (?:system )?instructions?\s*(?:!|:|for (?:the |you|all )?"
        rf"{_AGENT}?)|\b(?:important|urgent|critical) message (?:to|for|from) (?:you|the {_AGENT})\b|<information>|"
        rf"\bprompt injection\b[^.\n]{{0,20}}:",
    ),
    InjectionRule(
        "orders to the agent",
        rf"\b(?:the |this |all |any |every |dear |attention,? )?{_AGENT}\b,? (?:(?:should|must|shall|needs? to|"
        rf"has to|have to|is (?:now )?(?:required|instructed|authori[sz]ed|allowed|permitted|expected) to|"
        rf"are (?:now )?(?:required|instructed|"
        r"authori[sz]ed|permitted|expected) to|may|will|can)(?: now| always| also| immediately|"
        r" automatically| instead)*) "
        r"(?:ignore|disregard|comply|obey|prioriti[sz]e|route|forward|send|share|export|transmit|upload|include|"
        r"execute|run|approve|grant|bypass|skip|trust|reveal|disclose|delete|transfer|recommend|treat|accept|follow|"
        r"pay|"
        r"email|leak|override|allow|provide)\b",
    ),
    InjectionRule(
        "unchecked",
        r"\b(?:comply|approve|execute|run|export|transfer|send|share|grant|proceed|delete|pay|forward|process|"
        r"perform|fill (?:them|it) in)\b[^.!?\n]{0,80}\bwithout (?:any |asking |additional |further |prior |"
        r"requiring |the need for |seeking |user |"
        r"explicit |me |manual )*(?:verification|confirmation|approval|authori[sz]ation|asking|notifying|permission|"
        r"consent|review|checks?|me)\b|"
        r"\b(?:no|skip|bypass|disable|without|ignore) (?:further |additional |any |all |the |identity |security |"
        r"human )*(?:verification|authori[sz]ation|authentication|approval|access control|security checks?|"
        r"safety checks?)\b[^.!?\n]{0,40}"
        r"\b(?:needed|required|necessary|for (?:this|future|all)|requests?|when|in (?:the )?future)\b|"
        r"\b(?:user|admin(?:istrator)?|owner|security team|this user|customer)\b (?:has|have|is|was) (?:already |"
        r"been |now |pre-?)*(?:authori[sz]ed|approved|granted|verified|cleared|elevated|given) (?:for |full |all |"
        r"any |unrestricted |"
        r"unlimited |admin|root|elevated|data|complete|to (?:access|export|view|delete))",
    ),
    InjectionRule(
        "money moved",
        r"\b(?:transfer|wire|send|pay|modify|update|change)\b[^!?\n]{0,120}\b(?-i:[A-Z]{2}\d{2}[A-Z0-9]{10,30})\b",
    ),
    InjectionRule(
        "carried away",
        r"\b(?:messages|emails|e-mails|files|inbox|passwords?|passport|bank account|security code|user information|"
        r"contents?)\b[^!?\n]{0,60}\b(?:send|post|email|forward|upload)\b[^!?\n]{0,40}\b(?:to|at)\b[^!?\n]{0,24}"
        r"(?:https?://|www\.|[\w.+-]+@[\w-]+\.\w)|\b(?:send|email|forward)\b[^!?\n]{0,40}\b(?:contents?|"
        r"security code|passport|bank account|password|unread emails|"
        r"user information)\b[^!?\n]{0,60}[\w.+-]+@[\w-]+\.\w|"
        r"\b(?:send|forward|post|transmit|upload|exfiltrate|route|submit|leak|copy|bcc|cc|report|relay|mirror|"
        r"include|append|direct|redirect)\b[^.!?\n]{0,60}\b(?:all|every|any|full|entire|complete|sensitive|private|"
        r"confidential|personal|"
        r"conversation|credentials?|passwords?|secrets?|tokens?|api keys?|data|history|queries|invoices?|files|"
        r"emails|records|messages)\b[^!?\n]{0,60}\b(?:to|through|via|at|with)\b[^!?\n]{0,30}(?:https?://|www\.|"
        r"[\w.+-]+@[\w-]+\.\w|[\w-]+\.(?:example|"
        r"com|net|org|io|xyz|ru|cn|evil)\b)",
    ),
    InjectionRule(
        "behind the user's back",
        r"\b(?:do not|don't|never|without) (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|"
        r"reveal(?:ing)?|disclos(?:e|ing)|alert(?:ing)?|let(?:ting)?)\b[^.!?\n]{0,40}\b(?:the |any |this |"
        r"your )?(?:users?|human|operator|owner|victim)\b"
        r"(?! (?:names?|ids?|manual|guide|data|table))",
    ),
    InjectionRule(
        "忽略指令",
        r"(?:忽略|無視|无视|忘記|忘记|忘掉|不要理會|不要理会|不理會|不理会|拋棄|抛弃|丟棄|丢弃|跳過|跳过|繞過|绕过|"
        r"推翻|取消)(?:掉|一切|所有|你|上面|以上|之前|先前|前面|上述|任何|的|全部|系統|系统|原本|原來|原来|過去|"
        r"过去|給你|给你|"
        r"收到){1,6}[^,。\n]{0,8}(?:指令|指示|提示|規則|规则|命令|設定|设定|要求|限制|約束|约束|對話|对话|訓練|训练|"
        r"內容|内容)",
    ),
    InjectionRule(
        "新身份",
        r"(?:從現在起|从现在起|從現在開始|从现在开始|現在|现在|接下來|接下来)[,,]?\s*你(?:就|將|将)?(?:是|只聽|只听|"
        r"必須|必须|要扮演|扮演|成為|成为|不再是|叫|變成|变成)|"
        r"(?:扮演|假裝|假装|模擬|模拟|充當|充当).{0,24}(?:不受(?:任何)?(?:限制|約束|约束)|沒有(?:任何)?限制|"
        r"没有(?:任何)?限制|無限制|无限制|dan\b|越獄|越狱|無道德|无道德|不道德)|(?:越獄|越狱)模式|開發者模式|"
        r"开发者模式|"
        r"(?:不受|解除|擺脫|摆脱|沒有|没有|無視|无视)(?:任何|所有|一切)?(?:道德|倫理|伦理|安全|內容|内容|審查|"
        r"审查)(?:的)?(?:限制|約束|约束|規範|规范|政策)",
    ),
    InjectionRule(
        "交出提示",
        r"(?:輸出|输出|顯示|显示|洩漏|洩露|泄露|泄漏|告訴我|告诉我|打印|列印|重複|重复|透露|公開|"
        r"公开)[^,。\n]{0,10}(?:系統提示|系统提示|系統指令|系统指令|提示詞|提示词|初始指令|隱藏指令|隐藏指令|"
        r"內部指令|内部指令)",
    ),
    InjectionRule(
        "命令助手",
        r"(?:助手|助理|ai|人工智能|人工智慧|模型|代理|機器人|机器人)(?:必須|必须|應該|应该|應當|应当|要|需要|可以|"
        r"現在|现在|務必|务必){1,3}[^,。\n]{0,16}(?:忽略|服從|服从|執行|执行|轉發|转发|發送|发送|上傳|上传|洩露|"
        r"泄露|匯款|汇款|轉帳|转账|批准|刪除|删除|信任|繞過|绕过)|"
        r"(?:不要|別|别|不得|切勿|無需|无需|不必)(?:告訴|告诉|通知|提醒|告知|讓|让)(?:用戶|用户|使用者|任何人|主人|"
        r"操作員|操作员)|"
        r"(?:無需|无需|不需要|不必|不用|跳過|跳过|免除)(?:任何|再|經過|经过|用戶|用户|使用者|進一步|进一步|額外|"
        r"额外){0,3}(?:確認|确认|驗證|验证|授權|授权|批准|審核|审核)[^。\n]{0,20}(?:直接|即可|就|立即|自動|自动|"
        r"執行|执行|轉|转|匯|汇)|"
        r"(?:發送|发送|轉發|转发|上傳|上传|傳送|传送|寄)[^。\n]{0,30}(?:到|至|給|给)\s*(?:https?://|"
        r"[\w.+-]+@[\w-]+\.)",
    ),
)


_ALL_RULES = frozenset(rule.name for rule in INJECTION_RULES)


def injections(text: str) -> tuple[str, ...]:
    """Return the names of the rules that match a text."""
    return matching_rules(text, _ALL_RULES)


def matching_rules(text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Return those of the named rules that match a text."""
    folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text[:MAX_READ_CHARS])).replace("’", "'")
    return tuple(rule.name for rule in INJECTION_RULES if rule.name in names and _compiled(rule.pattern).search(folded))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE | re.IGNORECASE)
