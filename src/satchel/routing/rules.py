"""The routing rules as data: which signals send a query down which chain. `classify` makes the decision."""

from satchel.routing.events import RELEASE_HAN, RELEASE_WORDS
from satchel.routing.rule_table import RoutingRule, RuleTable, chain
from satchel.routing.signals import GAP, RoutingSignal

_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_TIME = (
    rf"(?:yesterday|today|tonight|this (?:morning|afternoon|evening|week|month)|on (?:{_DAYS})"
    rf"|(?:over|at|on|during) the weekend|(?:last|past) (?:night|week|weekend|month|{_DAYS})|(?:last|past) (?:few |couple of |two |three |\d+ )(?:days|weeks|months)"
    rf"|(?:on|in|since|during) (?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{_MONTHS})|(?:on|since) \d{{4}}-\d\d-\d\d"
    rf"|since (?:yesterday|{_DAYS}|last|this)|(?:a|an|one|two|three|\d+) (?:hours?|days?|weeks?|months?) ago"
    r"|(?:in|over|within|during) the (?:last|past) (?:(?:few|couple of|two|three|four|five|six|\d+) )?(?:hours?|minutes))"
)
_PAST = "(?:did|was|were|has|have|had|happen(?:ed|s)?|changed|new|added|came|went|got|said|learned|discussed|talked|fixed|broke|done|[a-z]{2,}ed)"
_TIME_HAN = "(?:[今昨前]天|今早|今晨|昨晚|(?:小时|小時|钟头|鐘頭|分钟|分鐘)(?:以?前|[内內里裡])|[上这這本][个個]?(?:周|週|星期|礼拜|禮拜|月))"

STANDARD = RuleTable(
    (
        RoutingRule(
            1,
            "exact_symbol",
            "lexical ranking works best for exact identifiers",
            chain("qmd:search totalrecall"),
            (
                RoutingSignal(
                    "find…function/class/method",
                    rf"\bfind\b{GAP}\b(?:functions?|class(?:es)?|methods?)\b",
                    r"\bfirst[- ]class (?:functions?|methods?)\b",
                ),
                RoutingSignal(
                    "find all usages of", r"\bfind (?:all )?(?:the )?(?:usages?|uses|references|callers) (?:of|to)\b"
                ),
                RoutingSignal("search for", r"\bsearch for\b"),
                RoutingSignal(
                    "查找…函数",
                    r"(?:查找|寻找|尋找|找到|找出|找)[^。？！\n]{0,30}?(?:函数|函數|方法|类|類|接口|介面)(?!型|似|别|別|比)",
                ),
                RoutingSignal(
                    "所有引用", r"(?:所有|全部)[^。？！\n]{0,20}?(?:引用|调用处|呼叫處|用到)|哪里用到|哪裡用到"
                ),
                RoutingSignal("搜索", r"(?:搜索|搜尋|搜一下)", r"搜索引擎|搜尋引擎"),
            ),
            identifiers=True,
        ),
        RoutingRule(
            2,
            "relationship",
            "relations need a graph",
            chain("cognee qmd:vsearch totalrecall"),
            (
                RoutingSignal(
                    "relate",
                    rf"\brelates?\b|\brelat(?:ed|ing) (?:to|with)\b|\b(?:is|are|was|were)\b{GAP}\brelated\b",
                    r"\b\w+-related\b",
                ),
                RoutingSignal(
                    "relationship",
                    r"\brelationships?\b|\brelations? (?:between|of|to|with)\b",
                    r"\bcustomer relationship management\b",
                ),
                RoutingSignal("depends on", r"\bdepends? (?:up)?on\b"),
                RoutingSignal(
                    "dependency",
                    r"\bdependenc(?:y|ies)\b",
                    r"\b(?:install|update|upgrade|bump|add|pin)(?:s|ed|ing)? (?:all |the |our )*dependenc(?:y|ies)\b"
                    r"|\bdependenc(?:y|ies)[- ](?:injection|manage\w*|versions?|updates?|upgrades?|install\w*|conflicts?"
                    r"|lock ?files?|hell)\b",
                ),
                RoutingSignal(
                    "connection",
                    rf"\bconnections? (?:between|from\b{GAP}\bto|of\b{GAP}\b(?:to|with|and))\b"
                    r"|\b(?:is|are|was|were) there (?:a |an |any |some )?(?:\w+ )?connections?\b"
                    rf"|\bwhat(?:'s| is| are| was| were)? (?:the |their |its )?connections?\b"
                    rf"|\bconnections?\b{GAP}\b(?:have|has|had|exists?)\b|\b(?:have|has|had) (?:a |any |some )?connections? (?:to|with)\b"
                    rf"|\bhow (?:is|are|was|were)\b{GAP}\b(?:and|to|with)\b{GAP}\b(?:connected|linked)\b"
                    rf"|\b(?:is|are|was|were)\b{GAP}\b(?:connected|linked) (?:to|with)\b",
                    r"\b(?:database|db|sql|network|internet|wi-?fi|tcp|http|ssh|ssl|tls|vpn|socket|redis|server|client|api|open|idle"
                    r"|lost|slow|active|maximum|max) connections?\b|\bconnections? (?:strings?|pool\w*|timeouts?|errors?|refused"
                    r"|limits?|settings?|resets?|leaks?|counts?|urls?|options?|attempts?|retries|managers?|problems?|issues?)\b",
                ),
                RoutingSignal("call chain", r"\bcall[- ]chains?\b"),
                RoutingSignal(
                    "trace…to",
                    rf"\btrace\b{GAP}\bto\b",
                    r"\bstack[- ]?traces?\b|\bback[- ]?traces?\b|\btrace[- ]?(?:ids?|levels?|logs?|files?)\b",
                ),
                RoutingSignal("path between", r"\bpaths? between\b"),
                RoutingSignal(
                    "uses a name",
                    r"\b(?:what|who|which(?: \w+){0,2}) (?:directly )?(?:uses?|calls?|invokes?|imports?|extends?|inherits? from)\b"
                    rf"|\bwhat (?:does|do)\b{GAP}\b(?:use|call|invoke|import|extend|inherit from)\b",
                    names=1,
                ),
                RoutingSignal("reaches a name", rf"\bhow (?:does|do|can)\b{GAP}\b(?:reach|get to|lead to)\b", names=2),
                RoutingSignal(
                    "关系",
                    r"关系|關係",
                    r"没关系|沒關係|关系型|關係型|关系数据库|關係資料庫|客户关系管理|客戶關係管理|没有关系|沒有關係",
                ),
                RoutingSignal(
                    "依赖",
                    r"依赖|依賴",
                    r"(?:依赖|依賴)(?:注入|管理|版本|冲突|衝突|更新|升级|升級|安装|安裝|包)|(?:安装|安裝|更新|升级|升級)(?:所有|项目|專案)?的?(?:依赖|依賴)",
                ),
                RoutingSignal("调用链", r"调用链|調用鏈|呼叫鏈"),
                RoutingSignal("之间的联系", r"之[间間]的?(?:联系|聯繫|关联|關聯|路径|路徑|连接|連接)"),
            ),
        ),
        RoutingRule(
            3,
            "decision_recall",
            "conversations hold decisions and their reasons",
            chain("lossless totalrecall qmd:search"),
            (
                RoutingSignal("decide", r"\bdecid(?:e|es|ed|ing)\b"),
                RoutingSignal(
                    "decision",
                    r"\bdecisions?\b",
                    r"\bdecision[- ](?:trees?|boundar(?:y|ies)|tables?|forests?|support)\b",
                ),
                RoutingSignal(
                    "chose",
                    r"\bchose\b|\bwhat (?:was|were|is|has been|have we|had we|got) (?:agreed|settled|chosen)\b"
                    r"|\bdid we (?:choose|pick|agree|settle|opt|go (?:with|for)|use (?:before|first|at first|until))\b",
                ),
                RoutingSignal("why did we", r"\bwhy(?: did|'d| didn't| don't| aren't) we\b"),
                RoutingSignal(
                    "earlier in conversation",
                    r"\bearlier in (?:the |this |our )?(?:conversation|chat|discussion|session)\b",
                ),
                RoutingSignal("morning session", r"\bmorning session\b"),
                RoutingSignal("afternoon session", r"\bafternoon session\b"),
                RoutingSignal(
                    "决定", r"[决決]定(?!性|因素)|[决決]策", r"[决決]策(?:树|樹|边界|邊界|表|森林|支持)|取[决決]于"
                ),
                RoutingSignal(
                    "为什么选",
                    r"(?:为什么|為什麼|为何|為何)[^。？！\n]{0,12}?(?:选择|選擇|选用|選用|选了|選了|采用|採用|[换換改]成|改用|不用|放弃|放棄)",
                ),
                RoutingSignal(
                    "我们为什么",
                    r"(?:当初|當初|当时|當時|我们|我們)(?:为什么|為什麼|为何|為何)|(?:为什么|為什麼)(?:我们|我們|当时|當時|当初|當初)",
                ),
                RoutingSignal("上午的会话", r"(?:上午|早上|下午)的?(?:会话|會話|会议|會議|讨论|討論)"),
            ),
            weak=(
                RoutingSignal("why", r"\bwhy\b|\bwhat made (?:us|them|you)\b|\bwhat came (?:out )?of\b"),
                RoutingSignal("为什么", r"为什么|為什麼|为何|為何"),
            ),
            weak_chain=chain("lossless qmd:query totalrecall"),
        ),
        RoutingRule(
            4,
            "concept",
            "search by meaning finds other wordings",
            chain("qmd:vsearch qmd:query totalrecall"),
            (
                RoutingSignal("how does…work", rf"\bhow (?:does|do|did)\b{GAP}\bwork\b"),
                RoutingSignal("where is…handled", rf"\bwhere (?:is|are)\b{GAP}\bhandled\b"),
                RoutingSignal("explain", r"\bexplain(?:s|ed|ing)?\b", r"\bexplain (?:analy[sz]e|(?:query )?plan)\b"),
                RoutingSignal("strategy", r"\bstrateg(?:y|ies)\b", r"\bstrategy pattern\b"),
                RoutingSignal("approach for", r"\bapproach(?:es)? for\b"),
                RoutingSignal("what is the…for", rf"\bwhat(?: is|'s) the\b{GAP}\bfor\b"),
                RoutingSignal(
                    "如何工作", r"(?:如何|怎么|怎麼|怎样|怎樣)(?:工作|运作|運作|运行|運行|实现|實現|处理|處理|起作用)"
                ),
                RoutingSignal("解释", r"解释|解釋|说明一下|說明一下|原理"),
                RoutingSignal("策略", r"策略", r"策略模式"),
                RoutingSignal("在哪里处理", r"在?(?:哪里|哪裡|哪儿|何处|何處)[^。？！\n]{0,8}?(?:处理|處理)"),
                RoutingSignal("做什么用", r"(?:做什么|做什麼|干什么|幹什麼)用|有什么用|有什麼用"),
            ),
        ),
        RoutingRule(
            5,
            "recent",
            "recent records count more",
            chain("totalrecall qmd:search"),
            (
                RoutingSignal(
                    "just discussed",
                    r"\bjust (?:discuss(?:ed)?|talk(?:ed)?|sa(?:id|y)|spoke|spoken|mention(?:ed)?|changed|added|fixed|agreed)\b",
                ),
                RoutingSignal("few minutes ago", r"\bfew minutes ago\b"),
                RoutingSignal("last change", r"\blast changes?\b"),
                RoutingSignal("recent changes", r"\b(?:recent|latest) (?:changes|news|activity)\b"),
                RoutingSignal(
                    "what is new", r"\b(?:what(?: is| was| has)?(?: been)?|anything|something) (?:new|changed)\W*$"
                ),
                RoutingSignal("recently", r"\brecently\b", r"\b(?:least|most)[- ]recently[- ]used\b"),
                RoutingSignal("last thing", r"\blast thing\b"),
                RoutingSignal("what was the last", r"\bwhat was the last\b"),
                RoutingSignal(
                    "at a time",
                    rf"\b(?:what|who|which|anything|something|everything)\b{GAP}\b{_PAST}\b{GAP}\b{_TIME}\b"
                    rf"|\b{_TIME}\b{GAP}\b(?:what|who|which)\b{GAP}\b{_PAST}\b"
                    rf"|\b(?:did|was|were|has|have) (?:we|i|you|they|anyone|anything|someone|something)\b{GAP}\b{_TIME}\b"
                    rf"|\b(?:recap|summary|summari[sz]e|news|changes)\b{GAP}\b{_TIME}\b",
                ),
                RoutingSignal(
                    "since an event",
                    rf"\b(?:what|who|which|anything|something|everything)\b{GAP}\b{_PAST}\b{GAP}"
                    rf"\b(?:since|(?:before|after|until) (?:the |our |we |they )?(?:last |latest |previous )?"
                    rf"(?:{RELEASE_WORDS}|v?\d+\.\d))\b",
                ),
                RoutingSignal(
                    "发布之后",
                    rf"{RELEASE_HAN}[^。？！\n]{{0,6}}?(?:之?[后後前]|以[后後来來前])[^。？！\n]{{0,20}}?(?:什么|什麼|哪些|谁|誰|了|过|過|新)",
                ),
                RoutingSignal(
                    "某时", rf"{_TIME_HAN}[^。？！\n]{{0,20}}?(?:什么|什麼|哪些|谁|誰|了|过|過|发生|發生|新)"
                ),
                RoutingSignal("刚才", r"刚才|剛才|刚刚|剛剛|几分钟前|幾分鐘前"),
                RoutingSignal("最近", r"最近", r"最近(?:邻|鄰|最少|最久|公共|距离|距離|点|點)"),
                RoutingSignal(
                    "上一次改动",
                    r"(?:上一次|上次|最后一次|最後一次)[^。？！\n]{0,4}?(?:改动|改動|修改|更改|变更|變更)|最后改|最後改",
                ),
            ),
            weak=(
                RoutingSignal("that thing", r"\bthat thing\b"),
                RoutingSignal("那个东西", r"那个东西|那個東西|那件事|那个玩意|那個玩意"),
            ),
            weak_chain=chain("totalrecall qmd:query"),
        ),
        RoutingRule(
            6,
            "file_path",
            "lexical ranking over paths",
            chain("qmd:search totalrecall"),
            paths=True,
        ),
        RoutingRule(
            7,
            "default",
            "hybrid search is the safest for unclear queries",
            chain("qmd:query totalrecall"),
        ),
    )
)
