"""Patterns of sentences that are not lasting statements of the writer, in English and Chinese.

They are searched in the output of `detect.fold`.
"""

QUESTION = (
    r"\?[\W_]*$|"
    r"^\W*(?:(?:so|and|but|ok|okay|hey|hmm|well|also|or|then|thanks|hi|please|btw)\W+)*"
    r"(?:what|why|how|who|whom|whose|which|where|when (?:do|does|did|is|are|was|were|will|should|can|would)|should|"
    r"shall|do (?!not\b|always\b|never\b)|does|did|"
    r"is|are|was|were|am|has|have (?!decided|agreed)|had|can|could|would|will|isn't|aren't|don't you|doesn't|didn't|"
    r"won't|any (?:idea|reason)|explain|"
    r"let me know (?:if|what|whether)|tell me (?:if|what|why|how|whether|about)|remind me (?:again )?(?:what|how|"
    r"why|who|where|when|which|of|whether)|"
    r"i (?:was )?wonder(?:ing)?|wondering|not sure)\b|"
    r"(?:嗎|吗|呢|沒有|没有|真的假的)\W*$|"
    r"(?:是否|是不是|要不要|該不該|该不该|應不應該|应不应该|能不能|可不可以|好不好|會不會|会不会|有沒有|有没有|"
    r"行不行|對不對|对不对|需不需要)|"
    r"(?<!不管)(?<!無論)(?<!无论)(?<!不論)(?<!不论)(?:什麼|什么|怎麼|怎么|為何|为何|哪(?!怕)|誰|谁|多少|多久|幾個|几个|"
    r"幾點|几点)"
)
# A question in form, an instruction if it also says that it lasts.
POLITE_REQUEST = r"^\W*(?:please )?(?:can|could|would|will) (?:you|we)\b|^\W*(?:請問|请问|你)?(?:可以|可不可以|能|能不能|麻煩|麻烦|拜託|拜托)"

# Without the sentence before it, it does not say what it is about.
PRONOUN_FIRST = (
    r"^\W*(?:(?:now|so|from now on)\W+)?(?:they|it|that|this|these|those|it's|they're)\b|^\W*(?:它|這|这|那|改)"
)

HYPOTHETICAL = (
    r"^\W*(?:(?:so|and|but|well|ok|okay)\W+)*(?:what if|suppose|supposing|imagine|let's say|lets say|say we|"
    r"assuming|hypothetically|in theory|pretend|"
    r"had (?:we|i)|were (?:we|i)|if only|for example|for instance|e\.g)\b|"
    r"\b(?:maybe|perhaps|possibly|might|thinking (?:of|about)|considering|consider|unsure|not sure|i guess|"
    r"hypothetically|leaning towards?|tempted to|debating|"
    r"hoping to|i(?:'ll| will) (?:\w+ )?(?:try|see|think|check|look)|probably|would have|could have|should have|"
    r"might have|pretend|supposedly|i wish|wish we|would be (?:nice|great|cool)|"
    r"we could|i could|one could|you could|as if(?! i were)|thought about|toying with)\b|"
    r"(?:也許|也许|或許|或许|(?<![盡尽])可能|搞不好|說不定|说不定|考慮|考虑|還在想|还在想|不確定|不确定|猶豫|犹豫|"
    r"假裝|假装|想像|想象|要是能|希望能)|"
    r"^\W*(?:比如|例如|譬如|假如|假設|假设|倘若|萬一|万一|假使|假若|要是)"
)
# A condition makes a sentence hypothetical, unless a standing instruction follows.
CONDITION = r"^\W*(?:(?:so|and|but|also|then|well)\W+)*(?:if|unless|in case)\b|^\W*如果"
STANDING_INSTRUCTION = r", *(?:please |then |you (?:should|must) )*(?:always|never|avoid|prefer)\b|,.{0,8}(?:一律|總是|总是|永遠|永远|務必|务必|一定要|都要先|都先)"

# What follows the colon is to be worked on, not obeyed.
WORK_ON_TEXT = (
    r"^\W*(?:(?:please|can you|could you|now|then|hey|ok|okay)\W+)*(?:translate|summari[sz]e|proofread|rewrite|rephrase|paraphrase|"
    r"reword|shorten|spell-?check|classify|reply to|respond to)\b[^:]{0,80}:|"
    r"(?:翻譯|翻译|潤色|润色|改寫|改写|摘要|校對|校对|譯成|译成)[^,。:]{0,20}:"
)

HEARSAY = (
    rf"{WORK_ON_TEXT}|"
    r"(?<!\bi )(?<!\bwe )(?<!\bi've )(?<!\bi just )(?<!\bi already )\b(?:said|says|told (?:me|us|everyone|him|her|"
    r"them)|tells|wrote|writes|claims|claimed|thinks|suggests|suggested|recommends|recommended|"
    r"argues|argued|insists|insisted|tweeted|posted|mentions|mentioned|replied|stated|asked (?:me|us|if|whether|"
    r"for)|reads|believes|"
    r"left (?:this|that|a (?:note|comment|message)))\b|"
    r"\b(?:docs?|documentation|people|they|some|many|others?|articles?|guides?|reviewers?|customers?|users?|"
    r"experts?|locals?|developers?|students|clients?|folks) "
    r"(?:say|recommend|suggest|think|want|claim|write|decided|agreed|prefer|always|never|like|love|hate)\b|"
    r"\b(?:according to|quoting|quoted from|in the words of|as per the|lyrics|song|the (?:docs?|readme|manual|"
    r"style guide|guide|book|page|article|paper|linter|email|spec) "
    r"(?:say|says|said|recommend|recommends|suggests|reads|states|claims))\b|"
    r"\b(?:email|e-mail|inbox|mail|message|letter|(?!^note:)note|page|post|readme|ticket|comment|popup|pop-up|banner|dialog)\b[^:]{0,30}:|"
    r"\b(?:he|she|they|my (?:boss|wife|husband|sister|brother|mother|father|mom|dad|friend|colleague|coworker|"
    r"manager|teacher|son|daughter|kids?|students?|bank|team lead))"
    r"(?:'s|'ve| has| have|'d)? (?:\w+ly )?(?:decided|agreed|prefers?|likes?|loves?|hates?|always|never|wants?)\b|"
    r"(?:他|她|他們|他们|她們|她们|老闆|老板|主管|同事|客戶|客户|朋友|老師|老师|媽媽|妈妈|爸爸|太太|老婆|老公|有人|"
    r"別人|别人|文檔|文档|文件|手冊|手册|文章|書上|书上|網路上|网路上|網上|网上|"
    r"教程|官方|專家|专家|大家|新聞|新闻|規範|规范|小[\u4e00-\u9fff]|阿[\u4e00-\u9fff])[^,。:]{0,6}"
    r"(?:說|说(?!好)|表示|認為|认为|建議|建议|覺得|觉得|寫道|写道|寫著|写着|提到|要求|問|问|喜歡|喜欢|偏好|討厭|"
    r"讨厌|習慣|习惯|總是|总是|(?<![不縮編改填手抄拼書])寫)|"
    r"(?:他|她|他們|他们|老闆|老板|主管|同事|客戶|客户|公司|學校|学校|政府|對方|对方)(?:們|们)?[^,。:]{0,4}(?:決定|"
    r"决定)|"
    r"(?:據說|据说|聽說|听说|根據|根据|引用|歌詞|歌词)"
)

THIS_TURN = (
    r"\b(?:this time|just (?:this )?once|this once|"
    r"(?<!from )(?<!as of )(?<!starting )(?<!beginning )(?<!effective )now(?! on)|right now|for now|at the moment|"
    r"for the moment|"
    r"(?<!from )(?<!as of )(?<!starting )today|tonight|this (?:morning|afternoon|evening|week)|temporarily|currently|"
    r"(?:in|for|on|to|from|at|with) (?:this|that) (?:file|pr|pull request|case|one|function|test|task|session|chat|"
    r"branch|commit|message|reply|thread|example|page|line|"
    r"paragraph|plot|chart|table|step|run|query|answer|turn|part|section|ticket|email|question)|here|"
    r"the (?:\w+ )?(?:tab|window|terminal)|(?:the|that) other (?:branch|tab|window|terminal|folder|directory|machine)|"
    r"(?:the|this|that) (?:first|second|third|fourth|last|next|previous|above|below|other|same) (?:file|one|option|"
    r"line|function|item|test|version|approach|paragraph|sheet|row|"
    r"column|chapter|part|step|page|plot|commit))\b|"
    r"(?:這次|这次|這一次|这一次|現在先|现在先|(?<![從从自])(?:現在|现在)(?!起|開始|开始|的)|暫時|暂时|"
    r"(?<![從从自])今天|今晚|這個檔案|这个文件|這個檔|本次|目前|待會|待会|等等|等一下|這裡|这里|這張|这张|"
    r"這段|这段|這個|这个|那個|那个|先這樣|先这样|一下$|一下。)"
)

JOKE = (
    r"\b(?:lol|lmao|rofl|(?:ha){2,}h?|(?:he){2,}|jk|j/k|just kidding|kidding|joking|xd|sarcasm)\b|"
    r"[\U0001f602\U0001f923\U0001f61c\U0001f606\U0001f609]|"
    r"哈哈|呵呵|嘻嘻|嘿嘿|笑死|開玩笑|开玩笑|說笑|说笑|逗你"
)
# It asks for something new to be made; what follows may describe that.
BRIEF = (
    r"^\W*(?:(?:ok|okay|so|hey|hi|please|now|then|next|can you|could you|would you|will you|help me|we need to|let's|i need you to|"
    r"i want you to)\W+)*(?:write|build|create|draft|implement|generate|design|make|develop|compose|prepare|produce|set up|plan|"
    r"code|sketch)(?: me| us)? (?:an?|some|another|new|two|three)\b|\b(?:i|we) (?:need|want|would like) an? |\bi'd like an? |"
    r"(?:寫|写|做|建立?|創建|创建|設計|设计|實作|实现|生成|產生|产生|擬|拟|開發|开发|準備|准备|畫|画|弄|搭)(?:出|好)?(?:一|兩|两|三|幾|几|個|个)"
    r"(?:個|个|封|篇|張|张|份|段|支|頁|页|套|首|條|条)?"
)
# On its own, it asks to remember the sentence next to it.
REMEMBER_THIS = (
    r"^\W*(?:(?:and|so|please|pls|ok|okay)\W+)*(?:remember|note|save|memori[sz]e|keep)(?: (?:this|that|"
    r"it))(?: in mind| down| please| for later| for next time)*\W*$|"
    r"^\W*(?:請|请|幫我|帮我|你要|麻煩|麻烦)*(?:記住|记住|記下來?|记下来?|記一下|记一下)(?:這個|这个|這點|这点|"
    r"這件事|这件事|喔|哦|了)?\W*$"
)
# It retracts the sentence before it.
RETRACTION = (
    r"^\W*(?:(?:no|oh|wait|actually|sorry|ok)\W+)*(?:just kidding|jk|kidding|joking|scratch that|never ?mind|nvm|"
    r"ignore that|forget (?:it|that)|on second thoughts?|"
    r"i take that back|that was a joke|開玩笑|开玩笑|騙你的|骗你的|當我沒說|当我没说|算了|我亂說|我乱说|"
    r"剛才說的不算|刚才说的不算)"
)

# A line that ends in a colon. The lines up to the next empty line are rules of the writer …
HEADING = (
    r"\b(?:my|our|these|some|a few|the)\b.{0,24}\b(?:rules?|preferences?|conventions?|guidelines?|habits?|"
    r"standing instructions?|decisions?)\b.{0,40}:\s*$|"
    r"\b(?:remember|keep in mind)\b(?: the following| these| this| that)?.{0,20}:\s*$|\b(?:from now on|"
    r"going forward|moving forward|henceforth)\b.{0,40}:\s*$|"
    r"^\W*(?:rules|preferences|decisions|conventions|i prefer|i like|i hate)\s*:\s*$|\b(?:we|i|we've|"
    r"i've) (?:\w+ )?(?:decided|agreed)(?: on| to| that)?(?: the following)?\s*:\s*$|"
    r"(?:我的|我們的|我们的|以下是我的).{0,8}(?:規則|规则|偏好|原則|原则|習慣|习惯|規矩|规矩|慣例|惯例|決定|"
    r"决定).{0,6}:\s*$|"
    r"(?:記住|记住)(?:以下|這些|这些|下列)?.{0,8}:\s*$|(?:以後|以后|從現在起|从现在起|今後|今后).{0,10}:\s*$|"
    r"(?:我們|我们|團隊|团队)(?:決定|决定).{0,8}:\s*$"
)
HEADING_OF_DECISIONS = r"\b(?:decisions?|decided|agreed|from now on|going forward|moving forward|henceforth)\b|決定|决定|以後|以后|從現在|从现在|今後|今后"
# … or were written by another person or a program.
PASTE = (
    r"\b(?:says?|said|wrote|writes|reads?|quote|quoted|emails?|e-mail|mail|messages?|letter|logs?|output|stdout|"
    r"stderr|errors?|trace|traceback|results?|response|readme|docs?|"
    r"page|article|post|comments?|ticket|thread|transcript|pasted?|snippet|excerpt|text|console|terminal|diff|"
    r"report|below|inbox|chat|forwarded|copied|quoting|wiki|website|blog|contents? of|minutes|memo|clipboard|system prompt|translated|translation|(?:this|the|a) patch|popup|pop-up|banner|"
    r"screenshot|listing|dump)\b[^:]{0,40}:\s*$|"
    rf"{WORK_ON_TEXT}\s*$|\bwhat (?:i|we|you|they) (?:just )?(?:found|saw|got|read|received|came across)\b[^:]{{0,40}}:\s*$|\b[\w-]+\.(?:md|txt|rst|html?|pdf|docx?|json|ya?ml|toml|ini|csv|log|py|js|ts|sh)\W*:\s*$|"
    r"\bhttps?://\S+\s*:\s*$|"
    r"(?:說|说|寫道|写道|來信|来信|信件|郵件|邮件|訊息|讯息|消息|日誌|日志|紀錄|记录|輸出|输出|錯誤|错误|回覆|回复|"
    r"文章|文檔|文档|內容|内容|原文|如下|留言|評論|评论|報錯|报错|下面|以下)[^:]{0,8}:\s*$"
)
# Prose that a line may ask to be worked on. Of code one speaks so when it is open in an editor, not pasted.
_PROSE = (
    r"(?:paragraph|text|passage|sentence|article|letter|e-?mail|mail|message|post|comment|polic(?:y|ies)|proposal|quote|excerpt|"
    r"abstract|essay|announcement|draft|transcript|minutes|ticket|thread|poem|story|(?:web ?)?page|paper|memo|newsletter|"
    r"absatz|satz|artikel|brief|nachricht|beitrag|entwurf|paragraphe|phrase|lettre|párrafo|frase|artículo|carta|correo|mensaje|"
    r"paragrafo|articolo|lettera|messaggio)s?"
)
_THIS_PROSE = (
    rf"\b(?:(?:this|that|these|the following|diesen?|diese[sr]?|ce|cet|cette|este|esta|questo|questa|quest['’])(?: \w{{1,20}})? ?{_PROSE}"
    rf"|the {_PROSE} below)\b"
)
_WORK_VERB = (
    r"(?:translate|summari[sz]e|proof-?read|paraphrase|rephrase|reword|rewrite|shorten|simplify|polish|improve|correct|fix|check|edit|"
    r"explain|analy[sz]e|extract|convert|turn|make|classify|rate|review|answer|reply to|respond to|"
    r"übersetze?|fasse?|korrigiere?|erkläre?|kürze?|verbessere?|prüfe?|traduis|traduisez|corrige[zr]?|résume[zr]?|explique[zr]?|"
    r"traduce|traduzca|resume|explica|mejora|traduci|riassumi|correggi|spiega)"
)
# A line without a colon that points at a text of somebody else, which follows after an empty line.
POINTS_AT_TEXT = (
    rf"^\W*(?:(?:please|can you|could you|would you|help me|now|then|hey|ok|okay|bitte|kannst du|peux-tu|puedes)\W+)*{_WORK_VERB}\b.{{0,60}}?{_THIS_PROSE}"
    r"(?: (?:to|into|in|for|as|please|so|shorter|better|bitte|ins|auf|zusammen|en|al|in)\b.{0,40})?\W*$|"
    rf"^[^.!]{{0,60}}{_THIS_PROSE}[^.!?]{{0,30}}\?$|"
    r"\bwhat (?:(?:i|we) (?:just )?(?:found|saw|got|read|received|came across)|(?!i |we )(?:\w+ ){1,2}?(?:posted|wrote|sent(?: me| us)?))(?: (?:in|on|from|via|by|at)\b.{0,60})?\W*$|"
    r"\b(?:(?:say|translate|summari[sz]e|proofread|paraphrase|rephrase|reword|phrase) (?:this|that|these|it|the following)"
    r"(?: (?:to|into|in|for|as|please)\b.{0,40})?|what does (?:this|that|it) (?:mean|say))\W*$|"
    r"(?<!\bi )(?<!\bwe )\b(?:put|wrote|writes|posted|left|sent|pasted|copied) (?:me |us )?(?:this|the following)"
    r"(?: (?:in|into|on|to|from|at|by|as|via|yesterday|today)\b.{0,60})?\W*$|"
    r"\b(?:got|received|saw|copied|pasted|found|read|came across) (?:this|the following)(?: (?:in|on|from|via|by|yesterday|today|just now)\b.{0,60})?\W*$|"
    r"\b(?:says|say|reads|wrote|tells (?:us|me|you))$|"
    r"^\W*(?:(?:file|path|source|document)\b\W*)?[\w./-]{1,80}\.(?:md|txt|rst|html?|pdf|docx?|json|ya?ml|toml)\W*$|"
    r"^(?:the )?(?:text|content|contents|output|transcript|ocr) (?:from|of|in|on) [^.,]{1,60}$|"
    r"\bis (?:my|this|the|her|his|their) (?:english|grammar|wording|spelling|translation|german|chinese)\b.{0,40}\?$|"
    r"(?:翻譯|翻译|潤色|润色|摘要|校對|校对)(?:這段|这段|以下|下面|一下)?[^,。:]{0,10}$"
)
TOOL_OUTPUT = (
    r"^\W*(?:stdout|stderr|traceback|stack ?trace|exit (?:code|status))\b\s*[:=(]|^\W*(?:tool|command|function|"
    r"shell|terminal|console|bash)[ _-](?:call|use|result|output|response|log)s?\b|"
    r"\bexit (?:code|status)\s*[:=]?\s*\d|^\W*traceback \(most recent|\btool_(?:use|call|result)\b|\bfunction_call\b|"
    r"^\s*[{\[]\s*\"[\w .-]+\"\s*:|\"(?:command|output|stdout|stderr|tool|exit_code|result)\"\s*:|"
    r"^\s*(?:\$|>>>|❯|#\s*\$|root@|\w+@[\w-]+[:~$])\s*\S|^\s*file \"[^\"]+\", line \d|"
    r"^\s*at .{1,120}\(.{1,120}:\d+(?::\d+)?\)|"
    r"^\s*(?:\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\w{3} +\d{1,2} \d\d:\d\d:\d\d )|^\s*(?:diff --git|"
    r"@@ |\+\+\+ |--- a/|npm err!|error\[e\d+\]|e: |w: )|"
    r"^\s*\|.*\|\s*$|^\s*(?:\w+error|\w+exception|deprecation)\s*:|"
    # A match of grep, a row or a service before a bar, a line of git blame, a mark of a CI log, a comment in code.
    r"^\s*[\w.-]*[./][\w./-]*:\d+:|^\s*[\w.-]{0,60}\d\s*\|\s|^\s*\^?[0-9a-f]{7,40} \(.{1,60}\d{4}-\d\d-\d\d |"
    r"^\s*(?:##\[|::(?:group|endgroup|error|warning|notice)|//\s|/\*)|"
    # Other logs, settings, a comment (no heading ends with a full stop), columns.
    r"^\s*(?:<\d{1,3}>\w|[iwef]\d{4} \d\d:\d\d:|e   \S|make(?:\[\d+\])?: |npm (?:warn|notice|error) |[\w.]{1,60}=[^=\s]|"
    r"\w{1,40}: '.*',$|#+\s.*\.$|\[(?:info|warn|warning|error|debug|trace|fatal|notice)\]|\d\d-\d\d \d\d:\d\d:\d\d|#\d+ \d+\.\d+ |"
    r"///|% |[│┃▌] |http/\d)|[^\s.!?:] {3,}\S|/\*.*\*/"
)
# Log levels and settings; people do not begin a sentence with levels in capitals, nor with a small letter before an equals sign.
LOG_LEVEL = r"^\s*[a-z_][\w.]{0,60} = \S|^\s*(?:error|fatal|panic)(?:\[\w+\])?: |^\s*\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|NOTICE|CRITICAL)\b"
