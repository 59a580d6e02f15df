"""Patterns of lasting statements in English and Chinese: preferences, decisions, to-dos.

They are searched in the output of `detect.fold`: lower case, NFKC (so ： is : and ， is ,), quotations blanked out.
Chinese has no word boundaries, so its patterns are substrings with their context.
"""

from satchel.domain.record import Kind
from satchel.domain.statements.constructions import CONSTRUCTIONS
from satchel.domain.statements.pattern import BEGIN, START, StatementPattern

_OFTEN = (
    r"(?:(?:really|strongly|generally|usually|definitely|much|also|still|just|personally|always|both|all|do|now|"
    r"typically|"
    r"greatly|normally|absolutely|vastly|actually|simply|rather|tend to|kind of|truly|honestly)\s++)*"
)
_US = r"(?:we|i|the team|our team|my team|everyone on the team)"
_JUST = r"(?:\s+(?:just|all|both|now|already|also|together|finally|unanimously|recently|jointly|\w{3,}ly))*"
# What someone decides to do next, as opposed to what they decide on.
_ACTIVITY = (
    r"(?:go(?! with| for the| ahead with| from | back to )|grab|eat|sleep|rest|walk|sit|head|wait|watch|nap|relax|"
    r"leave(?! out)|stay (?:home|in|here|up|late)|stop for|"
    r"take (?:a|the) (?:break|walk|nap|bus|train|day|shower|ride)|have (?:a |some )?(?:lunch|dinner|breakfast|coffee|drink|tea|snack)|"
    r"take (?:[\w-]+ ){1,3}off|get (?:some|a|an|up|out)|call it|give up|try (?:it|again)|"
    r"\w+ (?:[\w-]+ ){0,2}(?:breakfast|lunch|dinner|brunch|supper|pizza|sushi|take-?out|coffee|beer|movie))\b"
)
_ACTIVITY_ZH = (
    r"(?:先(?!做|用|把|不)|[早晚][點点]|今晚|現在|现在|馬上|马上|等一下)|"
    r"(?:出門|出门|休息|睡|散步|走走|逛|回家|不管了|不理|請假|请假|[聽听][你他她]|吃[個个頓顿]?[飯饭早午晚]|[吃喝]點|[吃喝]点|喝[杯口]|去(?:吃|喝|睡|樓下|楼下|散步|洗|買|买|走|跑|逛|看))"
)
_NOT_NOW = (
    r"(?:this|that|it|these|those|them|the (?:first|second|third|fourth|last|next|previous|other|same|above|below|"
    r"former|"
    r"latter)|here)\b"
)
_WE = r"(?:我們|我们|咱們|咱们|團隊|团队|大家|我|組裡|组里)"
_VERY = r"(?:個人|个人|真的|比較|比较|更|還是|还是|一直|通常|一般|都|最|也|很|非常|特別|特别|超|超級|超级|其實|其实|平常|平時|平时|一向|向來|向来|本身|就是)*"

TODO_PATTERNS = (
    StatementPattern("todo", Kind.TODO, r"(?:^\W*|\s)(?:todo|to-do)\s*[:—-]\s*\S"),
    StatementPattern("remember to", Kind.TODO, rf"{START}(?:i (?:must|need to|have to) )?remember to\b"),
    StatementPattern(
        "remind me",
        Kind.TODO,
        r"\bremind me\b",
        unless=r"\bremind me (?:again )?(?:what|how|why|who|where|when|which|whether|of what|if)\b|\breminds me\b",
    ),
    StatementPattern("don't forget to", Kind.TODO, r"\b(?:don't|do not|dont)(?: let me)? forget (?:to|about)\b"),
    StatementPattern("待辦", Kind.TODO, r"(?:待辦|待办)(?:事項|事项)?\s*[:,]\s*\S"),
    StatementPattern(
        "記得要", Kind.TODO, r"(?:記得要|记得要|要記得|要记得)", unless=r"(?:你|我)(?:還|还)?(?:記得|记得)要(?:嗎|吗)"
    ),
    StatementPattern("別忘了", Kind.TODO, r"(?:別忘了|别忘了|別忘記|别忘记|不要忘記|不要忘记)"),
    StatementPattern("提醒我", Kind.TODO, r"提醒我", unless=r"提醒我.{0,12}(?:什麼|什么|哪|怎|為何|为何|多少|誰|谁)"),
)

DECISION_PATTERNS = (
    StatementPattern(
        "from now on",
        Kind.DECISION,
        r"\b(?:from now on(?:wards?)?|from here on(?: out)?|going forward|moving forward|from this (?:day|"
        r"point) (?:on|forward)|"
        r"henceforth|until further notice|for (?:all )?future (?:reference|tasks|sessions|conversations|work|"
        r"commits|projects)|"
        r"effective (?:today|immediately)|from (?:today|tomorrow|next \w+|\w+day)(?: on| onwards?| forward))\b",
        lasting=True,
    ),
    StatementPattern(
        "in future",
        Kind.DECISION,
        r"\b(?:in|for) (?:the )?future\s*,?\s*+(?:please|always|never|don't|do not|use|ask|keep|write|put|make|only|"
        r"avoid|you (?:should|must)|"
        r"i (?:want|'d like))\b|\b(?:please|always|never|don't|do not)\b.{2,80}\bin (?:the )?future\b",
        lasting=True,
    ),
    StatementPattern(
        "starting",
        Kind.DECISION,
        r"\b(?:starting|beginning|as of)(?: from)? (?:now|today|tomorrow|this \w+|next \w+|\w+day|january|february|"
        r"march|april|may|june|"
        r"july|august|september|october|november|december|v?\d[\w.]*)\b\s*,?\s*+(?:we|i|please|all|every|each|use|"
        r"always|never|no|only|"
        r"our|the team)\b",
        unless=r"\b(?:vacation|holiday|leave|away|ill|sick|off work|out of office)\b",
        lasting=True,
    ),
    StatementPattern(
        "decided",
        Kind.DECISION,
        rf"\b{_US}(?:'ve|'s| have| has|'d)?{_JUST} (?:decided(?! (?:(?:on|to do) )?(?:yet|anything|nothing))|agreed (?:to|on|that|upon|"
        rf"not|we)\b|settled (?:on|for)\b|"
        r"opted (?:to|for|against)\b|committed to\b|made (?:up (?:my|our) mind|the (?:call|decision)) (?:to|on|"
        r"that)\b|"
        r"(?:chose|chosen|picked(?! up)|selected|went with|gone with) (?!(?:him|her|them|you|the wrong|a wrong)\b).{2,40}\b(?:over|as|for(?! a\b)|instead)\b)",
        unless=rf"\bdecided to {_ACTIVITY}|\b(?:what|whether|why|if|once|until|till|when|before|after|how|unless|as soon as|which|where|"
        rf"than) {_US}"
        r"(?:'ve|'s| have| has|'d)?[^,.]{0,24}(?:decided|agreed|settled|opted)|\bwish (?:we|i)\b|\bdecided (?:it|"
        r"that) was\b",
        lasting=True,
    ),
    StatementPattern(
        "decision",
        Kind.DECISION,
        r"^\W*(?:(?:final|team|key|design|architecture) )?(?:decision|decided|agreed|settled|answer|choice|verdict)(?: made)?\s*[:—-]|"
        r"\b(?:plan|date|deadline|design|scope|name|title|price|venue|agenda|budget|schedule|format|stack) is (?:now )?(?:fixed|set|final|settled|locked)(?: in)?\s*[:—,-]|"
        r"\b(?:our|my|the|final) (?:final )?decision (?:is|was)\b(?! (?:hard|difficult|pending|open|yours|still|"
        r"not))|"
        r"\bit(?:'s| is|'s been| has been) (?:now )?(?:decided|agreed|settled)\b(?! yet)",
        lasting=True,
    ),
    StatementPattern(
        "settled on",
        Kind.DECISION,
        # Without a subject
        rf"^\W*(?:(?:ok|okay|alright|so|right|finally)\W+)*(?:decided (?:on|against|for|not to|to (?!{_ACTIVITY}))|"
        r"settled (?:on|for)|opted (?:for|to|against)|agreed (?:on|to (?!disagree)|that)|"
        r"agreed, (?!this\b|that\b|it\b|he\b|she\b|you\b)(?=.{3,60}\b(?:is|are|will|stays?|gets?)\b)|"
        r"(?:chose|picked(?! up)|selected|went with(?! (?:my|him|her|them|friends)\b)) .{2,40}\b(?:over|as|for(?! a\b))\b(?!.* and \w+ed\b))",
    ),
    StatementPattern(
        "we are switching",
        Kind.DECISION,
        r"\b(?:we(?:'re| are)|i(?:'m| am))(?: all| now| officially)* (?:going with|switching (?:over )?(?:to|from)|"
        r"moving (?:over )?(?:to|away from)|"
        r"migrating (?:to|from)|standardi[sz]ing on|sticking (?:with|to)|adopting|dropping|retiring|deprecating|"
        r"phasing out)\b|"
        r"^\W*(?:(?:ok|okay|alright|so|then)\W+)*we(?:'ll| will)? (?:go|went) with (?!(?:the|a|an|it|this|that|my|our|his|her|him|them|you|us)\b)\w(?!.* to\b)|"
        r"^\W*we(?:'ll| will)? (?:stay|stick) (?:on|with|at) (?!(?:the|a|an|it|this|that|my|our|his|her|him|them|you|top|track|time|schedule|"
        r"course|budget|call|friends|hold)\b)\w|"
        r"\bwe(?:'ve| have)(?: now| just| all| finally)* (?:switched (?:over )?to|moved (?:over )?to|migrated to|"
        r"standardi[sz]ed on|adopted|dropped|"
        r"deprecated|retired)\b|^\W*+(?:(?:ok|okay|alright|right|so|then)\W++)*+(?:going|sticking) with (?!(?:it|this|that|them|these|those)\b)\w|"
        r"\bwe(?:'re| are)(?: all| now| only)* using (?!(?:it|this|that|too|up|the same)\b)\w.{0,60}\b(?:for|in|as|everywhere|across)\b|"
        r"^\W*(?:(?:ok|okay|alright|right|so|then)\W+)*(?!(?:as|such|what|how|that|so|like|this|there|here|yes|no|because|know)\b)"
        r"[\w.+-]+(?: [\w.+-]+){0,2} it is(?: for .{2,40})?\W*$|\b(?:the|our) (?:winner|choice|pick) is (?!clear|obvious|yours|not|hard|easy)\w",
        # Someone's company is not a choice.
        unless=r"\b(?:going|sticking) with (?:the flow|my|him|her|them|you|us|friends|a friend|someone)\b|\bgoing with \w+ to (?:the|a|my|his|her)\b|"
        r"\b(?:what|how|whatever|wherever|where|who|when|the way|time|hard|late) it is\W*$",
    ),
    StatementPattern(
        "let's",
        Kind.DECISION,
        r"\blet(?:'s|s| us)(?: all| just| simply| please| rather)* (?:use|go with|adopt|stick (?:with|to)|stay with|"
        r"standardi[sz]e on|switch (?:over )?to|name the (?!elephant)[\w -]{2,30}(?= )|"
        r"settle on|always|never|not use|avoid|keep|move (?:over )?to|agree (?:on|that|to)|"
        r"do (?!(?:it|this|that|the|a|an|some|lunch|dinner|coffee|one|another|something|more|our|things|both|so)\b)\w)\b",
        unless=rf"\blet(?:'s|s| us) do .*\b(?:first|next|later|again|together)\b|\blet(?:'s|s| us)(?: \w+)? (?:use|go with|adopt|stick (?:with|to)|switch to|settle on|keep|"
        rf"move to|stay with) (?:{_NOT_NOW}|going|in (?:mind|touch)|the flow|"
        r"an eye|the (?:time|rest|chance|opportunity|next|discussion|conversation|question|topic|point|facts)|(?!using \w)\w+in[g']|it|calm|on|up|"
        r"each other|everyone|our (?:heads|spirits|fingers|eyes))",
    ),
    StatementPattern(
        "we will",
        Kind.DECISION,
        r"\bwe(?:'ll| will| shall)(?: all| now| only| always| never| just)* (?:use|go with|keep|stick (?:with|to)|"
        r"adopt|switch|migrate|drop|support|"
        r"ship|host|deploy|store|release|require|standardi[sz]e|run|write|target|freeze|meet|rename|follow|publish|"
        r"spend|hold|build on|rely on|"
        r"review|name|call|be using|not (?:use|support|ship|deploy|host|store|accept|allow))\b",
        unless=rf"\bwe(?:'ll| will| shall)(?: \w+)? (?:use|keep|run|write|meet|review|call|ship|"
        rf"go with) (?:{_NOT_NOW}|you|going|in touch|him|her|\w+in[g'])",
    ),
    StatementPattern(
        "everywhere",
        Kind.DECISION,
        r"^\W*(?:please )?(?:use|write|store|format|keep|name|show|put|log|spell|sort|save|render|"
        r"return) .{2,80}\b(?:everywhere|across (?:all|the (?:whole|"
        r"entire)|every)|in (?:all|every) (?!cases? (?:here|below))|for (?:all|every|everything))\b",
    ),
    StatementPattern(
        "以後",
        Kind.DECISION,
        r"(?:^\W*|[,;:。、\s]|那麼|那么|那|請|请|我們|我们|但|所以)(?:以後|以后|之後|之后|今後|今后|往後|往后|日後|"
        r"日后|後續|后续)(?!再|才|的事|見|见).{0,16}?"
        r"(?:都|一律|請|请|不要|別|别|就|只|統一|统一|全部|改|用|要|不再|先|必須|必须|不准|不能|不用|每|至少|不得|"
        r"由|採|采|叫)",
        unless=r"(?:以後|以后|之後|之后)(?:再|才)(?:說|说|看|議|议|談|谈|決定|决定)",
        lasting=True,
    ),
    StatementPattern(
        "從現在起",
        Kind.DECISION,
        r"(?:從|从|自)(?:現在|现在|今天|今日|今|明天|下週|下周|下個?月|下个?月|本週|本周|這週|这周|明年|此|此刻|"
        r"這一版|这一版)(?:一|二|三|四|五|六|日|天)?"
        r"(?:開始|开始|起|以後|以后|後|后|往後|往后)|即日起|從今往後|从今往后",
        lasting=True,
    ),
    StatementPattern(
        "決定",
        Kind.DECISION,
        r"(?<![没沒未不非])(?<!還在)(?<!还在)(?<!先別)(?<!先别)(?:決定|决定)(?!不了|不下|權|权|性|於|于|因素|論(?!文)|论(?!文)|"
        r"好了嗎|好了吗|了嗎|了吗|就好|吧)|"
        rf"{_WE}都?(?:說好|说好|講好|讲好)(?![了的過过聽听像吃喝看嗎吗])[^,。]{{2,}}|"
        r"(?:我們|我们|團隊|团队|大家)(?:都|一致)?同意(?![了嗎吗你妳他她])[^,。]{2,}|"
        r"(?:敲定|拍板|定案|達成共識|达成共识|一致同意|說好了|说好了|講好了|讲好了|說定了|说定了|就這麼定|就这么定)|"
        r"(?:確定|确定|選定|选定)(?:了)?(?:用|要用|採用|采用|是用|使用|以|改)",
        unless=rf"(?:決定|决定)[^,。]{{0,2}}?(?:{_ACTIVITY_ZH})|"
        r"(?:由|讓|让|等|再|你|妳|您|他|她|誰|谁|怎麼|怎么|如何|需要|難以|难以|無法|无法|很難|很难|請|请|來|"
        r"来|幫|帮|能|要)[^,。]{0,4}(?:決定|决定)|"
        r"(?:決定|决定)(?:之前|以前|前|後再|后再|好了再|之後再|之后再)|(?:這個|这个|那個|那个|的|該|该)(?:決定|"
        r"决定)(?!是|:|為|为)|"
        r"(?:還沒|还没|尚未|沒有|没有|未|還未|还未|没|沒)[^,。]{0,6}(?:決定|决定|定案|敲定|拍板|共識|共识|確定|确定)",
        lasting=True,
    ),
    StatementPattern(
        "改成",
        Kind.DECISION,
        rf"{_WE}.{{0,14}}?(?:改成|改為|改为|改用|採用|采用|換成|换成|選用|选用|沿用|改走|改在)|"
        r"(?:改成|改為|改为|改用|採用|采用|換成|换成).{0,30}(?:我們|我们|團隊|团队|大家)(?:都)?(?:同意|決定|决定|"
        r"說好|说好)|"
        r"(?:流程|規範|规范|標準|标准|專案|项目|架構|架构|全部|往後|制度|會議|会议|例會|例会|發版|"
        r"发版)[^,。]{0,8}(?:改成|改為|改为|改用|採用|采用|換成|换成)",
        unless=r"(?:把|將|将|幫|帮|請你|请你|想|可以|能|要不|試著|试着|嘗試|尝试|不)[^,。]{0,14}(?:改成|改為|改为|"
        r"改用|採用|采用|換成|换成)|改成了?什",
    ),
    StatementPattern(
        "統一",
        Kind.DECISION,
        r"(?:統一|统一|一律)(?:都|只|要|先)?(?:用|使用|採用|采用|改|放|寫|写|命名|叫|走|以|按|按照|存|排|縮排|缩进|"
        r"加|由|寄|發|发|回|設|设|遵循|採|采|轉|转)|"
        r"^\W*(?![我你他她它這这那])[^,。]{2,10}一律[^,。]{2,}",
        unless=r"(?:統一|统一)(?:了|的|大業|大业)|(?:請|请)你?一律",
    ),
)

PREFERENCE_PATTERNS = (
    StatementPattern(
        "remember this",
        Kind.PREFERENCE,
        rf"{START}(?:always )?(?:remember|keep in mind|bear in mind|memori[sz]e|never forget|(?:don't|"
        rf"do not) forget(?!\s*,))\s*"
        r"(?:[:,—]|(?:this|that|the following|these|i|i'm|i've|my|we|we're|our|me|for (?:later|next time|the future|"
        r"future))\b)|"
        r"\b(?:please )?(?:remember|memori[sz]e|note|save|keep) (?:this|that|it)(?: in mind|"
        r" down)?(?: please)?(?: for .{1,40})?\W*$|"
        rf"{START}(?:make a note|take a note|take note|commit (?:this |that |it )?to memory|add (?:this |that |"
        rf"it )?to (?:your )?memory|save (?:this|that) (?:to|in) "
        r"(?:your )?memory)\b",
        unless=r"\b(?:do|can|could|did|don't|should|would|will) you (?:still |even |always |please )*remember\b|\bi (?:don't |"
        r"do not |can't |cannot |still |barely |vaguely |also )?remember\b|"
        r"\bremember (?:when|the time|how)\b|\bif i remember\b|\bremember to\b|\b(?:save|keep) (?:this|that|"
        r"it) (?:as|in (?:a|the)|file)\b|"
        r"(?<!don't )(?<!do not )(?<!never )\bforget (?:it|that|about|this)\b|\bkeep (?:this|that|it)\W*$|\bi(?:'ll| will|"
        r" shall) (?:\w+ )?(?:remember|note|save|keep)\b|\bi'm (?:always )?here\b",
        lasting=True,
    ),
    StatementPattern(
        "my rule",
        Kind.PREFERENCE,
        r"\b(?:my|our) (?:\w+ )?(?:rules?|polic(?:y|ies)|conventions?|standing instructions?|guidelines?|"
        r"principles?|habits?)\b[^,.:]{0,40}?(?:\bis\b|\bare\b|[:—])|"
        r"^\W*(?:(?:new|standing|general|hard|house|golden|simple) )?rules?(?: of thumb)?\s*[:—]|"
        r"\bas a (?:general )?rule\b|\bhouse rule\b|"
        r"\b(?:new|standing|hard|general) rule\s*[:,—]",
        unless=r"\b(?:rules?|polic(?:y|ies)|conventions?|guidelines?)\b[^,.:]{0,20}\b(?:is|are) (?:not |too |very |"
        r"so |quite |a bit )?(?:strict|broken|unclear|confusing|wrong|long|outdated|"
        r"failing|missing|stupid|silly|the problem)\b",
        lasting=True,
    ),
    StatementPattern(
        "I prefer",
        Kind.PREFERENCE,
        rf"\b(?:i|we)(?:'d|'ll| would| will)? {_OFTEN}prefer\b|\b(?:my|"
        rf"our) (?:\w+ )?preferences?(?: for .{{2,40}}?)? (?:is|are|would be)\b|"
        rf"\b(?:my|our) (?:\w+ )?preferences?\s*[:—]|{START}(?:generally |always )?prefer (?!not to say)\w|"
        rf"\bi(?:'d| would) (?:much |always )?rather (?:have|get|see|read|use|not)\b|"
        rf"\b(?:i|we) {_OFTEN}favou?r\b",
        unless=r"\bprefer not to (?:say|answer|comment|think|talk|discuss|know|go|get|deal|be)\b|\bpreferences? (?:is|are) (?:unclear|unknown|not set|"
        r"empty|missing)\b|\bprefer to .*\b(?:tomorrow|later|first|tonight)\b|"
        r"\bpreferences? (?:file|pane|panel|page|dialog|menu|window)\b|\bas you prefer\b",
    ),
    StatementPattern(
        "I like",
        Kind.PREFERENCE,
        rf"\b(?:i|we) {_OFTEN}(?:like|love|adore|enjoy|hate|dislike|loathe|detest|despise|can't stand(?! up| still| straight| here| by)|cannot stand|can't bear|"
        rf"don't like|do not like|dont like|don't enjoy)\s+"
        r"(?!(?:this|that|it|these|those|them|the|you|your|how|what|when|where|both|him|her|his|hers|to (?:see|hear|"
        r"know|think|say|point|add|ask|bother|admit|interrupt|break it)|monday|mondays|life|"
        r"everything|everyone|people|where|seeing|hearing|being|when|one of|all of|some of|a good|such|having to|"
        r"myself)\b)\w|"
        r"\bi(?:'m| am)(?: also| really)? (?:a (?:big |huge |great )?fan of|allergic to|partial to|(?:(?:not|no|never) )?(?:very |too |so |overly )?(?:fond of|keen on)|"
        r"(?:not )?(?:really )?into|no(?:t an?)? (?:big |huge |great )?fan of)\s+(?!(?:this|that|it|the|your)\b)\w|"
        r"\bmy (?:favou?rite|preferred|default|usual) .{2,40}? (?:is|are)\b",
        unless=r"\b(?:which(?: one)?|how much|what|that's why|why) i (?:\w+ )?(?:like|love|enjoy|hate)\b|"
        r"\b(?:looks?|feels?|sounds?|seems?) like\b|\bi like (?:a|the) (?:idea|look|sound)\b|"
        r"\bi love (?:a good|bits)\b|\blike (?:this|that|these|those)\b",
    ),
    StatementPattern(
        "I want",
        Kind.PREFERENCE,
        r"\bi (?:don't|do not|dont|never) want (?!(?:to|this|that|it|these|those|them|the|you to|a|an|another|him|"
        r"her|us|anyone to)\b)\w|"
        r"\bi (?:always|never|generally|usually|normally|only) want\b|"
        r"\bi want\b.{2,120}\b(?:always|every time|each time|whenever|by default|in every|in all|for all|on every|"
        r"on all|for every|at all times|as a rule)\b",
        unless=r"\bi want (?:a|an|one|the|to|it|this|that|them)\b",
    ),
    StatementPattern(
        "could you always",
        Kind.PREFERENCE,
        r"^\W*(?:please )?(?:could you|(?:can|would|will) you please) (?:please )?(?:always|never) \w|"
        r"(?:不要|別|别)再?(?:每次|總是|总是|老是)(?!哭|鬧|闹|吵)[^,。]{2,}",
        lasting=True,
    ),
    StatementPattern(
        "always",
        Kind.PREFERENCE,
        rf"{START}(?:always|never|(?:don't|do not|you (?:should|must)(?:n't| not)) ever)\s+(?!(?:mind|again|ever|gonna|have to|give|quit|lose|doubt|surrender|"
        rf"believe|dream|smile|stop|say never|be (?:yourself|afraid|grateful|kind)|happy|glad|a|an|the|good|nice|"
        rf"great|fun|been|seen|had|heard|got|knew|thought|felt|saw|"
        r"too|more|less|is|are|was|were|does|did|has|could|would|will|gets|happens|works|fails|something|so|in|on|"
        r"at|there|here|as|quite|sure|love|loved|"
        r"wanted|known|really|about|wonder|wondering|hurts|underestimate|know)\b|(?!need\b|feed\b|embed\b|proceed\b|"
        r"seed\b|speed\b|bring\b|ping\b|string\b)\w+(?:ed|ing)\b|full\b)\w|"
        r"\b(?:please|kindly|make sure (?:to |you |that you )?|be sure to|try to) (?:always|never|don't ever|"
        r"do not ever)\b|"
        r"\b(?:you|claude|the assistant|the agent|agents) (?:should|must|shall|need to|have to|are to|may|"
        r"can) (?:please )?(?:always|never)\b|"
        r"\b(?:commits?|commit messages?|answers?|replies|responses?|code|tests?|docs?|documentation|comments?|prs?|"
        r"pull requests?|branches|dates?|names?|files?|reports?|"
        r"functions?|migrations?|secrets?|passwords?|logs?|slides?|emails?|titles?|headings?)(?: (?!that\b|which\b|who\b)\w+){0,2} (?:must|"
        r"should|shall|have to|need to) (?:always|never|only)\b",
        unless=r"\balways (?:happy|glad|here|welcome|a pleasure)\b|\bnever (?:mind|heard|again|seen|gets? old)\b",
    ),
    StatementPattern(
        "I always",
        Kind.PREFERENCE,
        r"\b(?:i|we) (?:almost )?(?:always|never|usually|generally|typically|only|exclusively|normally|"
        r"only ever) (?:use|want|write|work|run|deploy|name|format|sign|commit|squash|"
        r"rebase|merge|review|put|keep|eat|drink|take|read|book|fly|travel|stay|meet|call|ship|release|store|test|"
        r"start|speak|buy|shop|invest|pay|cook|order|code|indent|support|accept|allow|"
        r"round|quote|cite|train|practi[sc]e|schedule|plan|publish|log|push)\b",
        unless=r"\b(?:i|we) (?:\w+ )?(?:always|never|usually|only) (?:use|work|run|put|start|take) (?:it|that|this|"
        r"them|up|out of)\b|\bnever works?\b",
    ),
    StatementPattern(
        "avoid",
        Kind.PREFERENCE,
        rf"{START}(?:always |generally )?(?:avoid(?: using| adding| writing)?|refrain from)\s+\w",
        unless=r"\bto avoid\b|\bhelps? avoid\b",
    ),
    StatementPattern(
        "stop",
        Kind.PREFERENCE,
        rf"{START}(?:stop|quit) (?:using|adding|writing|putting|including|apologi[sz]ing|saying|asking|giving|"
        rf"suggesting|calling|recommending|sending|wrapping|explaining)\b\s*\w|"
        r"^\W*no more (?!(?:questions?|time|tokens?|errors?|than|memory|space|disk|room|luck|retries|results?|bugs?|"
        r"excuses)\b)\w",
        unless=r"\bstop (?:asking|saying|writing|sending|putting)\W*$",
    ),
    StatementPattern(
        "whenever",
        Kind.PREFERENCE,
        r"^\W*(?:please,? )?(?:whenever|every time|each time|any time|anytime) .{3,90}?, *(?:please |then |"
        r"you (?:should|must) )*(?!i\b|it\b|we\b|he\b|she\b|they\b|the\b|there\b|"
        r"you\b|my\b|this\b|that\b|nothing\b|just let\b|feel free\b)\w|"
        r"^\W*(?:when|if|before|after) (?:you|i|we|someone|somebody|a|an|any|the) .{3,90}?, *(?:please |then |"
        r"you (?:should|must) )*(?:always|never|avoid|prefer)\b",
    ),
    StatementPattern(
        "by default",
        Kind.PREFERENCE,
        r"^\W*(?:please )?(?:use|write|reply|answer|respond|format|keep|run|show|give|assume|"
        r"pick) .{2,80}\bby default\b",
    ),
    StatementPattern(
        "記住",
        Kind.PREFERENCE,
        rf"{BEGIN}(?:請|请|幫我|帮我|你)?(?:記住|记住|記下|记下|牢記|牢记|記一下|记一下|記著|记着|記得|记得)(?!要|"
        rf"了[嗎吗沒没]|[嗎吗]|不)",
        unless=r"(?:記不住|记不住|沒記住|没记住|我記得|我记得|你(?:還|还)?(?:記得|记得)|記得要|记得要|要記得|要记得|"
        r"記住了[嗎吗])",
        lasting=True,
    ),
    StatementPattern(
        "我的規則",
        Kind.PREFERENCE,
        r"(?:我的|我們的|我们的|咱們的|咱们的|個人|个人|團隊的?|团队的?)(?:[^,。:]{0,8})?(?:規則|规则|原則|原则|"
        r"規矩|规矩|慣例|惯例|習慣|习惯|偏好|準則|准则|規定|规定)(?:一向|就)?(?:是|為|为|:)|"
        r"^\W*(?:規則|规则|原則|原则|偏好|規矩|规矩)\s*:",
        lasting=True,
    ),
    StatementPattern(
        "我喜歡",
        Kind.PREFERENCE,
        rf"(?:我|我們|我们).{{0,2}}(?:比較想|比较想|更想|更願意|更愿意|比較愛|比较爱)(?!知道|問|问|睡)|"
        rf"(?:我|我們|我们|咱们|本人){_VERY}(?:不太|不怎麼|不怎么|不|没那么|沒那麼)?(?:偏好|喜歡|喜欢|討厭|讨厌|"
        rf"偏愛|偏爱|傾向|倾向|受不了|不愛|不爱|愛吃|爱吃|愛喝|爱喝|愛用|爱用|(?<=[超很好最真])[愛爱](?!死|心|莫)|"
        r"習慣(?!了)|习惯(?!了)|寧願|宁愿|寧可|宁可)(?!這|这|那|你|妳|您|它|他|她|"
        r"得|上了?|啊|呢|嗎|吗)|"
        r"我(?:們|们)?最(?:不?喜歡|不?喜欢|愛|爱|討厭|讨厌|常用)的[^,。]{1,12}?是(?!這|这|那|你|誰|谁|什|哪)",
        unless=r"(?:喜歡|喜欢|討厭|讨厌)(?:這|这|那)|(?:星期一|週一|周一|加班|上班|下雨)|以前(?:很|最|都)?(?:喜歡|"
        r"喜欢|討厭|讨厌)|不習慣|不习惯",
    ),
    StatementPattern(
        "我不要",
        Kind.PREFERENCE,
        r"(?:我們|我们)都?只(?:用|支援|支持|接受|收|做)(?!了|過|过)|我(?:真的|絕對|绝对|都|一律|完全|再也)?(?:不要|不想(?:要|看到|看見|看见|收到|聽到|听到|用)|不吃|不喝|不用|不收|不接受|只要|只吃|只喝|只用|"
        r"只想要|對.{1,8}過敏|对.{1,8}过敏|吃素|是素食|有.{1,8}(?:不耐|過敏|过敏))(?!了|這|这|那|你|它|他|她|緊|紧|擔心|担心|急|吗|嗎|一)",
        unless=r"(?:不用了|不要了|要不要|不用說|不用说|不用管|不要緊|不要紧|今天|這次|这次|現在|现在)",
    ),
    StatementPattern(
        "我總是",
        Kind.PREFERENCE,
        r"(?:我|我們|我们)(?:都)?(?:總是|总是|從來不|从来不|從不|从不|一向|向來|向来|永遠|永远|一律|一般都|通常都|"
        r"通常|平時都|平时都|平常都)(?:只)?"
        r"(?:用|要|吃|喝|坐|住|搭|買|买|寫|写|做|部署|先|把|在|選|选|看|聽|听|訂|订|開|开|穿|讀|读)",
        unless=r"(?:我|我們|我们)(?:總是|总是)(?:忘|被|搞|覺得|觉得|想)",
    ),
    StatementPattern(
        "總是",
        Kind.PREFERENCE,
        rf"{BEGIN}(?:永遠|永远|總是|总是|一律|一定要|務必|务必|始終|始终|盡量|尽量|盡可能|尽可能|避免|優先|优先|"
        rf"別再|别再|不要再|千萬不要|千万不要|千萬別|千万别|絕對不要|绝对不要|"
        r"絕不|绝不|絕對不能|绝对不能|切勿|禁止|不准|不許|不许)(?!鬧|闹|吵|開玩笑|开玩笑|說了|说了|問了|问了|來|"
        r"来了|哭)|"
        r"(?:請|请|麻煩|麻烦)(?:你)?(?:都|永遠|永远|總是|总是|一律|務必|务必|盡量|尽量|避免|優先|优先|不要再|別再|"
        r"别再)|"
        # After a topic: 回答裡別再…
        r"^\W*(?!.*[這这那])[^,。]{1,10}[裡里中時时後后上前](?:別再|别再|不要再)[^,。]{2,}",
        unless=r"(?:可以|能|能夠|能够|才能|就能|來|来|以|為了|为了)(?:避免|優先|优先)",
    ),
    StatementPattern(
        "每次",
        Kind.PREFERENCE,
        r"(?:每次|每當|每当|凡是|只要是|任何時候|任何时候).{1,24}?(?:都|先|就|要|請|请|一律|必須|必须)",
        unless=r"(?:每次|每當|每当).{0,12}(?:都會|都会|都出|都報|都报|都失|都卡|都是|都很|都不|都被|都忘)|他|她|大概|大約|大约|分鐘|分钟|左右",
    ),
)

# In this order: a sentence with a cue word is judged by the cue.
PATTERNS = (*TODO_PATTERNS, *DECISION_PATTERNS, *PREFERENCE_PATTERNS, *CONSTRUCTIONS)

REPLACES = (
    r"\b(?:replace|update|change|override|overwrite|drop|forget|revise|supersede|scrap|discard|retire|amend) (?:my|"
    r"our) "
    r"(?:(?:previous|old|last|earlier|existing|current|former|prior|original) )?(?:rule|preference|policy|"
    r"convention|standing instruction|guideline)s?\b|"
    r"\binstead of my (?:previous|old|last|earlier|existing|current|former|prior) (?:rule|preference|policy|"
    r"convention)s?\b|"
    r"\b(?:my|our) (?:previous|old|earlier|existing|former|prior) (?:rule|preference|policy|"
    r"convention)s?\b.{0,60}(?:no longer (?:applies|holds|counts)|"
    r"is (?:obsolete|void|out|off|gone|replaced|superseded))|\b(?:this|the following) replaces my\b|"
    r"(?:取代|替換|替换|更新|修改|改掉|覆蓋|覆盖|作廢|作废|忘掉|廢除|废除|換掉|换掉|推翻)(?:一下)?(?:掉)?我(?:們|"
    r"们)?(?:之前|以前|上次|先前|原本|原來|原来|舊|旧|前面)?(?:的)?.{0,18}?"
    r"(?:規則|规则|規定|规定|偏好|原則|原则|習慣|习惯|規矩|规矩)|"
    r"我?(?:之前|以前|先前|原本|原來|原来)(?:的)?.{0,16}?(?:規則|规则|規定|规定|偏好|規矩|规矩)(?:作廢|作废|不算|"
    r"取消|不再|改成|改為|改为|換成|换成)"
)
# The topic of the old rule, and the beginning of the new one.
REPLACED_TOPIC = (
    r"(?:rule|preference|policy|convention|standing instruction|guideline)s? (?:about|on|for|regarding|"
    r"concerning) (?P<about>[^:,.;—]{2,60}?)"
    r"(?= with\b| by\b|\s*[:,.;—]|$)|(?:關於|关于|對於|对于|有關|有关)(?P<topic>.{1,20}?)的?(?:規則|规则|規定|规定|"
    r"偏好|原則|原则|習慣|习惯|規矩|规矩)"
)
NEW_RULE = r"(?:[:—]|\b(?:with|by) (?:this(?: one)?|the following)?\s*:?|[,，]\s*(?:and |now |instead )*|(?:改成|改為|改为|換成|换成))\s*(?P<rule>\S.*)$"
