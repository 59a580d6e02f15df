"""Rules and choices without a cue word, recognized by the form of the sentence.

A rule is about things in general: its object has no article, or its subject is a plural or "every …". A task is about one
thing ("the test", "this file", 第二段) or about this moment. So each pattern combines a mood (prohibition, instruction,
obligation, habit) with a reference to things in general, and is ruled out by a reference to one thing.
"""

from satchel.domain.languages import LANGUAGE
from satchel.domain.record import Kind
from satchel.domain.statements.pattern import BEGIN, START, StatementPattern

# English. Words that cannot begin a noun phrase about things in general.
_DEFINITE = (
    r"(?:the|this|that|these|those|it|them|him|her|me|us|you|my|your|his|its|their|what|how|why|who|where|when|if|"
    r"whether|to|a|an|one|another|both|either|so|too much|yet|up|off|out|on|down|away|back)\b"
)
_NOT_IN_SUBJECT = (
    r"(?:i|you|we|he|she|it|they|this|that|these|those|there|here|who|what|which|the|his|her|their|your|of)\b"
)
# "This project" is where a rule holds; "this file" is what a task is about.
_PLACE = (
    r"(?:project|repo(?:sitory)?|code ?base|team|house|household|company|app|workspace|blog|book|lab|package|service|"
    r"product|site|family|office)"
)
_ONE_THING = (
    rf"\b(?:this|these|those)\b(?! {_PLACE}\b)|\b(?:in|on|for|to|with|from|at|of|about|into) that\b|"
    r"\b(?:yet|until|till|tomorrow|yesterday|tonight|again|right away|asap|almost|already|meanwhile|next|ago|instead|"
    r"(?:below|above)(?=\W*$|[,:])|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|noon|then|end of|eod)|"
    r"last (?:night|week|month|time)|since|just|i'll|i will|attached|for a (?:moment|while|second|minute|bit)|"
    r"(?:first|second|third|last|other|same) (?:one|paragraph|option|draft|version|file|part|section|point|comment|"
    r"row|line))\b|, i (?:want|need|have)\b"
)
_WORD = rf"(?!{_DEFINITE}|{_NOT_IN_SUBJECT})[\w'/.+-]+"
_PLURAL = (
    rf"(?:(?!(?:some|most|many|few|several|two|three|no)\b){_WORD} ){{0,3}}"
    r"(?!(?:this|is|was|has|does|always|yes|thanks|perhaps|as|its|unless|besides|sometimes|things|guys|folks|guests|"
    r"others|lots|days|plus|thus|news|odds)\b)[\w-]+(?<!s)s"
)
_MASS = r"(?:\w+ )?(?:code|documentation|data|text|dialogue|food|content|money|software|feedback)"
# Any column name, my letters, TypeScript files, pair programming, Python
_GENERAL = (
    rf"(?:(?:any|every|each|all|my|our)(?: {_WORD}){{1,4}}|{_PLURAL}|(?:{_WORD} )?[\w-]{{3,}}(?:ing|tion|ment)|"
    r"python|typescript|javascript|rust|go|sql|java)\b"
)
_IN_GENERAL = rf"\b(?:in|on|at|for|with|without|into|to|from|during|before|after|inside|outside) {_GENERAL}"
# After "don't": comfort, figures of speech, and states that nobody can forbid.
_NO_PROHIBITION = (
    r"(?:worry|bother|mind|forget|panic|get|tell|hesitate|be|let|know|think|care|wait|stop|give|go|come|look|leave|miss|"
    r"believe|see|remember|feel|have|need|want|seem|understand|expect|sweat|do|ever|always|even|really|quite|say|make me|"
    r"start with|lose|judge|hate|blame|try|thank|hold|trust|mean|agree|like|love|sleep|cry|hurry|rush|move|shoot|mention it|beat around|"
    r"you|dare)\b"
)
_MUST = (
    r"(?:must(?! have (?:been|gone|had|\w+ed))|should(?! (?:have|work|pass|be (?:fine|ok|okay|good|ready|done|here|there|"
    r"home|working|green|enough|easy|able)))|shall|ha(?:s|ve) to|may not|may only|can only)\b"
)
_DUTY = (
    rf"(?:{_MUST}|needs?\b(?! (?:help|the|this|more time))|requires?|gets?|go(?:es)? (?:in|into|to|through|on|by|under)|"
    r"(?:is|are) to|(?:starts?|opens?|begins?|ends?) (?:with|in|on|at|by)|carr(?:y|ies)|uses?|returns?|follows?|"
    r"belongs? (?:in|to)|lives? in|stays?|links? to|"
    r"(?:is|are) (?:always )?(?:written|stored|named|signed|reviewed|kept|formatted|sorted|approved|tagged|given|"
    r"measured|quoted|cited|logged|paid|labell?ed|versioned|tested|documented) "
    r"(?:in|as|by|with|at|on|under|before|after|to))\b"
)
_ANSWERS = r"(?:replies|answers|responses|explanations|summaries|reviews|messages)"
_RESPOND = r"(?:respond|reply|answer|write|speak|talk|communicate|chat)"
# What "the" may stand before in a rule of style: the passive voice, the 24-hour clock.
_CONVENTION = (
    r"(?:[\w-]+ ){0,2}(?:clock|calendar|system|format|style|form|tense|voice|mood|comma|notation|alphabet|separator|end|"
    r"start|beginning|left|right|space|line)"
)

ENGLISH = (
    StatementPattern(
        "don't",
        Kind.PREFERENCE,
        rf"(?:{START}(?:you (?:must not|mustn't|should not|shouldn't|may not)|don't|do not|dont)|"
        rf"^\W*(?:we|i) (?:don't|do not|never)(?=.*(?:{_IN_GENERAL}|\b(?:after|before|during|without) \w))) "
        rf"(?!{_NO_PROHIBITION})(?:[\w-]+ (?:(?!{_DEFINITE})[\w\"'□]|(?=.*{_IN_GENERAL}))|"
        r"(?:apologi[sz]e|guess|speculate|swear|morali[sz]e|flatter)\b)",
        unless=rf"{_ONE_THING}|\banything else\b",
        requirement=True,
        words=("n't", "not ", "dont ", "never "),
    ),
    StatementPattern(
        "no …",
        Kind.PREFERENCE,
        rf"{START}(?:under|in) no circumstances?,? \w|{START}on no account \w|"
        rf"{START}no (?!(?:problems?|worries|need|idea|way|wonder|doubt|rush|hurry|luck|thanks|one|matter|more|longer|"
        rf"errors?|changes?|results?|output|response|news|comment|clue|pressure|reason|difference|such|offen[cs]e|sign|"
        rf"warnings?|failures?|issues?|updates?|data|time)\b)(?:{_WORD} ){{0,2}}[\w-]+(?:[^,]{{0,60}},? (?:please|ever|at all|period|whatsoever)\W*$| (?={_IN_GENERAL})[^,]*)",
        unless=rf"{_ONE_THING}|\b(?:is|are|was|were|has|had|found|left|failed|(?<!circumstances )\w+ed)\b",
        requirement=True,
        words=("no ",),
    ),
    StatementPattern(
        "at most",
        Kind.PREFERENCE,
        rf"{START}(?:no more than|at most|max(?:imum|\.)?(?: of)?) [\w.,]+ (?:{_WORD} ){{0,3}}[\w-]+ "
        r"(?:per|in (?:any|every|each)|for (?:any|every|each)|at a time)\b",
        unless=rf"{_ONE_THING}|\b(?:is|are|was|were|has|had|have)\b",
        requirement=True,
        words=("most ", "no more ", "max"),
    ),
    StatementPattern(
        "nobody",
        Kind.PREFERENCE,
        r"^\W*(?:nobody|no one|no-one) (?!knows?\b|cares?\b|seems?\b|is\b|was\b|has\b|likes?\b)"
        r"(?:(?:may|can|should|must) \w+|\w+s)\b.{0,80}\b(?:without|before|unless|except|after)\b|"
        r"^\W*only (?!the\b).{2,40}? (?:may|must|should|is allowed to|are allowed to) \w",
        unless=_ONE_THING,
        requirement=True,
        words=("nobody", "no one", "no-one", "only "),
    ),
    StatementPattern(
        "stick with",
        Kind.DECISION,
        rf"{START}(?:stick with|stay with|keep (?:on )?using|continue (?:using|to use)) "
        r"(?!(?:this|that|it|these|those|them|me|us|him|her|the (?:first|second|third|last|other))\b)\w|"
        rf"{START}stick to the (?!(?:first|second|third|last|other|plan|schedule|point|topic|facts|script|subject|question|story|path|"
        r"truth|basics|rules|original)\b)\w",
        unless=_ONE_THING,
        words=("stick with", "stick to", "stay with", "using", "to use"),
    ),
    StatementPattern(
        "how to answer",
        Kind.PREFERENCE,
        rf"{START}(?:"
        rf"{_RESPOND}(?: to)?(?: me| us)?(?: everything| back| only)* (?:(?:like|as) an? |(?:in|like|as|as if|without) (?!{_DEFINITE}|\d|"
        rf"(?:one|two|three|detail|full|order|case|time|person|general|short|response|progress|memory|parallel|place)\b))\w|"
        rf"(?:{_RESPOND}|format|spell|quote|keep) (?:everything|all (?!the\b|of\b)\w+) (?:in|with|as|short|under)\b|"
        rf"(?:{_RESPOND}|give|keep|make|format|phrase) (?:me )?(?:all )?(?:your|my) {_ANSWERS}\b|"
        rf"{_RESPOND} (?:to )?(?:all|any|every) (?!the\b|of\b)[^,;:]{{2,40}}? in {LANGUAGE}\b|"
        rf"(?:speak|talk|write|explain (?:things|everything)) to me (?:like|as|in (?!{_DEFINITE})\w+)\b|"
        rf"(?:speak|talk) (?:only |always )?{LANGUAGE}\b|use {LANGUAGE} (?:when|with|for) (?!(?:the|this|that|these|it)\b)\w|(?:stop|quit) \w+ing your {_ANSWERS}\b|"
        rf"(?:call|address|refer to) me (?:as |by )?(?!(?:back|when|if|at|later|tomorrow|in|on|an?|again|once|tonight|"
        rf"before|after|crazy|old)\b)[\w.'□]+(?: [\w.'□]+){{0,2}}(?: in \w+)?\W*$|"
        rf"(?:address|greet|call|refer to) {_PLURAL} (?:by|as|with)\b|"
        rf"(?:give|show|tell) me (?:the )?[\w ]{{3,40}} first, (?:and )?then\b)",
        # "Write in German: good morning" is a translation.
        unless=rf"{_ONE_THING}|:\s*\S",
        requirement=True,
        words=(
            " in ",
            " me ",
            " like ",
            " as ",
            " by ",
            " with ",
            " without ",
            "everything ",
            " all ",
            " your ",
            " my ",
            "speak ",
            "talk ",
            "use ",
        ),
    ),
    StatementPattern(
        "style",
        Kind.PREFERENCE,
        rf"{START}(?:"
        rf"(?:use|spell|format|indent|cite|quote|round|capitali[sz]e|abbreviate|phrase|hyphenate) (?:out )?"
        rf"(?:the {_CONVENTION}\b|(?:{_WORD} ){{0,2}}(?:spelling|punctuation|english|notation|capitali[sz]ation|"
        rf"indentation|grammar)\b|"
        rf"(?!(?:option|version|variant|approach|port|line|step|branch|file)\b){_PLURAL}\b(?! (?:to|and)\b)"
        rf"(?!.*\b(?:the|a) (?!{_CONVENTION}\b)))|"
        rf"write {_PLURAL} (?:in|like|as) (?!.*\b(?:the|a) (?!{_CONVENTION}\b))\w|"
        rf"stick to (?!{_DEFINITE}|(?:plan|schedule)\b)\w|"
        rf"keep (?!\w+ing\b){_PLURAL} (?:short|small|simple|brief|under|below|within|to|at|in (?!mind|touch|sync)|out|together|"
        rf"separate|sorted|private|flat|polite|formal|friendly|neutral|free of)\b)",
        unless=_ONE_THING,
        requirement=True,
        words=(
            "use ",
            "spell ",
            "format ",
            "indent ",
            "cite ",
            "quote ",
            "round ",
            "capitali",
            "abbreviate ",
            "phrase ",
            "hyphenate ",
            "write ",
            "stick to",
            "keep ",
        ),
    ),
    StatementPattern(
        "before",
        Kind.PREFERENCE,
        rf"{START}(?:(?:ask|(?:ask|check with|confirm with|warn|tell|consult|notify|talk to) (?:me|us))(?: first)? before "
        rf"(?:you \w+|any|every|each|\w+ing) (?:(?!{_DEFINITE})|(?=an? ))\w|"
        rf"(?!{_NOT_IN_SUBJECT})[a-z-]+(?: {_WORD}){{0,3}} before \w+ing\b(?! {_DEFINITE})|"
        rf"(?!(?:i|we|he|she|they|it|you|the|a|an|my|our|this|that|there)\b)[a-z-]+ .{{2,60}}\b"
        rf"(?:before|after) (?:every|each|any)\b|"
        rf"(?:before|after) (?:every|each|any) {_WORD}(?: {_WORD}){{0,3}}, (?:post|send|run|check|update|tell|write|add|ask|notify|ping|push|tag|"
        rf"archive|close|save|back up|review|log|put|include|email)\b|"
        rf"(?:double-check|check|verify|review|test|proofread|validate) (?:every|each|all) .{{2,40}}\bbefore you\b)",
        unless=_ONE_THING,
        requirement=True,
        words=("before ", "after "),
    ),
    StatementPattern(
        "every",
        Kind.PREFERENCE,
        rf"{START}(?:(?:all|every|each|any) (?!(?:time|now|day|once)\b)(?:(?!{_NOT_IN_SUBJECT})[\w'./-]+ ){{1,6}}?{_DUTY}|"
        rf"(?:anything|everything|everyone|anyone)(?: (?:in|on|at|from) the [\w-]+)?(?: (?!{_NOT_IN_SUBJECT})[\w'./-]+){{0,6}}? "
        rf"(?!goes\b|needs?\b|should\b(?! be (?:in|written))){_DUTY}|"
        rf"all (?:{_WORD} ){{1,3}}?(?:in|as|with|without|under|below) (?!{_DEFINITE})[\w' -]+\W*$)",
        # What happens is told in the past, or with a result.
        unless=rf"{_ONE_THING}|, please \w|\b(?:was|were|had|passed|failed|returned|went|got|seems?|looks?|fails?|crash(?:es)?|could|"
        r"would|returns? (?:\d+|an? error|null|nothing|none))\b|\b(?:all|any) (?:i|you|we)\b|"
        r"\b(?:all|every|each|any)\b[^,]* (?:are|is) (?:green|red|fine|ready|done|open|gone|there)\b",
        requirement=True,
        words=("all ", "every", "each ", "any"),
    ),
    StatementPattern(
        "wish",
        Kind.PREFERENCE,
        rf"^\W*(?:(?:also|and|but|so|btw|please)\W+)*(?:i|we)(?:'d| would)? (?:want|need|like|love|prefer|expect|wish)(?: to have)? "
        rf"(?:every|each|any|all) (?!time\b|of\b|the\b)(?:(?!{_NOT_IN_SUBJECT})[\w'./-]+ ){{1,5}}?"
        rf"(?:to (?!(?:pass|work|be (?:fixed|done|green|gone|ready))\b)\w|(?:in|with|as|under|below|at|by|on|without) (?!{_DEFINITE})\w|"
        r"(?!need|feed|embed)\w+ed (?:in|by|with|as|to|on|at|under|before|after|without|alphabetically|separately)\b)|"
        rf"\bi(?:'d| would)? (?:want|need|like|love|prefer) (?:to (?:have|get|read) )?(?:all )?(?:your|my) {_ANSWERS} "
        rf"(?:to be|in|as|with|without|under|below|short)\b",
        unless=_ONE_THING,
        requirement=True,
        words=(" every ", " each ", " any ", " all ", " your ", " my "),
    ),
    StatementPattern(
        "must",
        Kind.PREFERENCE,
        rf"{START}(?:(?:my|our) )?(?:{_PLURAL} (?:{_MUST}|(?:belong|stay) (?:in|to|on|off|out|at|under|inside|outside|next to|with)\b|go (?:in|into|under) \w|"
        rf"[a-z]+ .{{0,40}}\bonly\W*$)|{_MASS} {_MUST})",
        unless=rf"{_ONE_THING}|\b(?:was|were|had)\b",
        requirement=True,
        words=("must", "should", "shall", " to ", "may ", "only", " belong ", " stay ", " go "),
    ),
    StatementPattern(
        "my habit",
        Kind.PREFERENCE,
        rf"^\W*(?:(?:also|and|but|so|btw|by the way|sorry)\W+)*i (?:don't|do not|can't|cannot|never|only) (?:eat|drink|use|"
        rf"wear|smoke|drive|work|take|read|buy|tolerate|cook with) (?!{_DEFINITE}|any|enough|much)\w|"
        r"\bi (?:work|learn|think|read|focus|write|concentrate|sleep) (?:best|better) (?:with|in|when|at|from|on|if|alone)\b|"
        r"\bi(?:'m| am) (?:fine|ok|okay|good) with (?!(?:that|this|it|\w+day)\b).{2,60}, (?:but|just) (?:no|not|never|only)\b|"
        rf"^\W*(?:{_PLURAL}|{_WORD}ing(?: {_WORD}){{0,3}}) (?:really |always )?(?:annoy|bother|irritate|bore|confuse|"
        r"distract|frustrate|stress|upset|drive)s? me(?! to)\b|"
        # What someone is for life, or for long
        r"\bi(?:'m| am) (?:an? )?(?:strict )?(?:vegetarian|vegan|pescatarian|(?:lactose|gluten) intolerant|c(?:o)?eliac|diabetic|"
        r"colou?r[ -]?blind|dyslexic|left-handed|deaf|blind)\b|\bi have (?:an? )?(?:\w+ )?(?:allergy|intolerance)\b",
        unless=rf"{_ONE_THING}|\blike this\b",
        words=("i ", "i'm ", " me"),
    ),
)

# Chinese. What points to one thing or to this moment.
_ONE_THING_ZH = (
    r"[這这那该該](?:個|个|份|張|张|段|次|支|件|條|条|裡|里|邊|边|些|樣|样|麼|么|句|行|篇|頁|页|封|台|組|组|種|种)|"
    r"第[一二三四五六七八九十\d]+(?:段|個|个|行|點|点|章|頁|页|句|版|張|张|次|欄|栏|列|題|题|份|條|条|稿|部分|方案|項|项|種|种)|剛剛|刚刚|剛才|刚才|等我|快[^,。]{0,4}了\W*$|上面|下面|附件|昨天|今天|今晚|今早|明天|明晚|"
    r"待會|待会|馬上|马上|先別|先别|先不要|先不用|我自己|一下|你[說说]"
)
_HAPPENED_ZH = (
    r"會|会|已經|已经|正在|回傳|返回|出錯|出错|報錯|报错|通過了|通过了|失敗了|失败了|大概|大約|大约|左右|[了過过]\W*$"
)
_PERSON_ZH = r"(?:我|你|妳|您|他|她|它|誰|谁|人家|這|这|那)"
_STRICTLY_NOT_ZH = (
    r"(?:不要|請勿|请勿|禁止|嚴禁|严禁|不准|不許|不许|不得(?![不已了])|不可以?(?!思|能|少|惜)|不應該|不应该)"
)
_NOT_ZH = rf"(?:{_STRICTLY_NOT_ZH}|別|别|勿)"
# After 不要: comfort and figures of speech, and what is done to one thing (動, 刪, 關, …).
_NO_PROHIBITION_ZH = (
    r"緊|紧|擔心|担心|客氣|客气|鬧|闹|急|怕|跟我|告訴我|告诉我|太|再|走|哭|笑|吵|放棄|放弃|忘|管|理|說|说|想|動|动|碰|這|这|那|"
    r"謝|谢|難過|难过|生氣|生气|小看|以為|以为|是|的|人|看我|騙|骗|鬆|松|靠|停|傻|逗|吧|了|把我|讓我|让我|臉|脸|刪|删|關|关|重啟|重启|"
    r"把[^,。]{1,12}掉|等"
)
_DO_ZH = (
    r"(?:用|使用|附|按|按照|遵循|採|采|存|寄|發|发|標|标|註|注|通過|通过|經過|经过|支持|支援|先|由|以|備份|备份|加密|加|寫成|写成|"
    r"放在|放到|提供|簽|签)"
)
_SAY_ZH = r"(?:回答|回覆|回复|答覆|答复|解釋|解释|說明|说明|溝通|沟通|交流|說話|说话|寫作|写作|講話|讲话|聊)"
_WISH_ZH = r"^\W*(?:我|我們|我们)?(?:都)?(?:希望|想要|要|想)"
_CONVENTION_ZH = r"(?:格式|單位|单位|語言|语言|字體|字体|風格|风格|縮排|缩进|編碼|编码|時區|时区|命名)"

CHINESE = (
    StatementPattern(
        "不要",
        Kind.PREFERENCE,
        rf"{BEGIN}{_NOT_ZH}(?!{_NO_PROHIBITION_ZH})[^,。]{{2,}}|"
        # After a topic: 提交訊息裡不要…
        rf"^\W*(?!.{{0,6}}{_PERSON_ZH}.{{0,4}}{_NOT_ZH})[^,。]{{1,14}}?(?:{_STRICTLY_NOT_ZH}|(?<=[裡里中時时後后上前])[別别])"
        rf"(?!{_NO_PROHIBITION_ZH})[^,。]{{2,}}|"
        rf"^\W*(?:[沒没]有?|未[經经得获獲]?)[^,。]{{0,8}}?(?:同意|允許|允许|許可|许可|批准|確認|确认|授權|授权|測試|测试|審查|审查|審核|审核)[^,。]{{0,3}},?"
        rf"(?:{_NOT_ZH}|不能)(?!{_NO_PROHIBITION_ZH})[^,。]{{2,}}|"
        rf"^\W*(?!{_PERSON_ZH})[^,。]{{2,10}}?不能(?:連(?!線|上)|连(?!线|上)|用|使用|依賴|依赖|直接|有|超過|超过|少於|少于|放|寫|写|"
        rf"出現|出现|包含|含|提交|改|部署|合併|合并)[^,。]{{2,}}",
        unless=rf"{_ONE_THING_ZH}|(?:{_NOT_ZH}|不能)[^,。]*(?:了|啦|嘛)\W*$",
        requirement=True,
        words=("不", "別", "别", "勿", "禁"),
    ),
    StatementPattern(
        "請用",
        Kind.PREFERENCE,
        rf"(?:{BEGIN}|^[^,。]{{1,8}})(?:請|请)(?:都|全部|儘量)?(?:使用|用|以)(?!{_PERSON_ZH})[^,。]{{2,}}|"
        rf"{BEGIN}(?:都|只)?用[^,。]{{1,10}}?{_SAY_ZH}(?![這这那]|一下)|"
        rf"^\W*(?:跟|和|與|与|對|对)我{_SAY_ZH}[^,。]{{0,4}}用(?!{_PERSON_ZH})[^,。]{{2,}}|"
        rf"^\W*{_SAY_ZH}(?:我|問題|问题)?(?:(?:的時候|的时候|時|时)[^,。]{{2,}}|,?(?:請|请|要|儘量|都|多|少|簡短|简短|簡潔|简洁|控制在|限制在|不超過|不超过)|[^,。]{{1,5}}(?:一點|一点|些)(?:[,。]|$))|"
        rf"^\W*(?:請|请)?(?:叫我|稱呼我|称呼我)(?!一|起|去|來|来|怎|什)[^,。]{{1,8}}|"
        r"^\W*(?:請|请)?先(?:講|讲|說|说|給|给|寫|写|列|回答)[^,。]{1,10}?,?(?:再|然後|然后)(?:講|讲|給|给|寫|写|列|解|說(?=[^,。]{2})|说(?=[^,。]{2}))",
        # One text or one sentence is a task.
        unless=rf"{_ONE_THING_ZH}|一[個个篇份段封首則则]|[一二三四五兩两\d]+[句段個个][話话]?|結果|结果",
        requirement=True,
        words=("請", "请", "用", "叫我", "稱呼", "称呼", "先", "多", "少", "要", "時", "时", "一點", "一点", "些"),
    ),
    StatementPattern(
        "每個",
        Kind.PREFERENCE,
        rf"{_WISH_ZH}(?:所有|全部|每一?[個个份次張张筆笔條条項项節节篇封]?|任何)[^,。]{{1,20}}?都(?:有|附|帶|带|含|包含|寫|写|標|标|列)|"
        rf"(?:{BEGIN}|{_WISH_ZH})(?:所有|全部|每一?(?!次都|天都|個人都|个人都)[個个章篇份次張张筆笔封條条家位項项節节]?|任何|凡是?|只要|一切)(?:的)?"
        rf"[^,。]{{1,20}}?,?(?:(?:都|就|一律|均|全)(?:要|得|必須|必须|應該|应该|應|应|需要|需)(?!知|是)|(?:都|就|一律|均)(?:請|请|只)?{_DO_ZH}|"
        r"(?:必須|必须|需要|應該|应该|不得|不能|不准|一定要))|"
        rf"^\W*(?!{_PERSON_ZH})[^,。]{{2,14}}?(?:必須|必须|一定要|務必|务必)(?!承認|承认|說|说|得?說|得?说|是因)[^,。]{{2,}}|"
        rf"^\W*(?!{_PERSON_ZH})[^,。]{{2,10}}(?:之前|以前|前)[,都]?(?:要|請|请|一定要)?先[^,。]{{2,}}|"
        rf"^\W*(?!{_PERSON_ZH}|把)[^,。]{{2,8}}?(?:都|只|請|请|要)*(?:用|使用|採用|采用|採|采)[^,。]{{1,12}}?(?:{_CONVENTION_ZH}|命名法|寫法|写法)\W*$|"
        rf"^\W*(?!{_PERSON_ZH}|把)[^,。]{{0,8}}{_CONVENTION_ZH}(?:都|請|请|要)?(?:按照|按|採用|采用|用|使用|遵循|照|以)",
        unless=rf"{_ONE_THING_ZH}|{_HAPPENED_ZH}|每[^,。]{{0,4}}(?:加班|上班)",
        requirement=True,
        words=(
            "所有",
            "全部",
            "每",
            "任何",
            "凡",
            "只要",
            "一切",
            "必",
            "一定",
            "務",
            "务",
            "先",
            "用",
            "都",
            "按",
            "採",
            "采",
            "遵",
            "照",
            "以",
        ),
    ),
    StatementPattern(
        "就用",
        Kind.DECISION,
        rf"^\W*(?:好|行|那|嗯|ok)?\W*(?:[^,。這这那]{{1,10}}?)?(?:就|還是|还是|最後|最后|最終|最终)"
        rf"(?:用(?!了)回?|選了?|选了?|採用|采用|挑了?)(?!了?一[個个]|{_PERSON_ZH})[^,。]{{2,}}|"
        rf"^\W*(?!{_PERSON_ZH})[^,。]{{2,8}}?(?:選|选)(?!了?一[個个]|擇|择|項|项|舉|举|手|單|单|出|好|中)[^,。]{{2,}}\W*$|"
        r"^\W*(?:我們|我们|團隊|团队|咱們|咱们|我|大家)(?:最後|最后|最終|最终|已經|已经)?(?:選了|选了|選用|选用|挑了|選定|选定|選擇|选择)"
        r"(?![一二三兩两\d]+[個个家])[^,。]{2,}|"
        r"^\W*(?:最後|最后|最終|最终|已經|已经)?(?:選了|选了|選用|选用|選定|选定|挑了|選擇|选择|採用了?|采用了?)(?![一二三兩两\d]+[個个家])"
        r"[^,。]{1,14}?(?:做|作|當|当|來|来|負責|负责|處理|处理)[^,。]{1,}|"
        rf"^\W*(?:[^,。這这那]{{1,10}}?)?(?:繼續|继续|仍然?|照樣|照样)?(?:沿用|延用|繼續用(?!功|心|力)|继续用(?!功|心|力)|繼續使用|继续使用)(?!{_PERSON_ZH})[^,。]{{2,}}|"
        r"^\W*(?:名字|名稱|名称|代號|代号|標題|标题)就?(?:叫|取|定)[^,。]+|"
        r"(?:已經|已经|就這樣|就这样|都)定了\s*[:,]|定(?:為|为|成)(?!了)[^,。]{2,}",
        unless=rf"{_ONE_THING_ZH}|一定|的\W*$|(?:選了|选了|挑了)[^,。]*,[^,。]*了|(?:坐|吃|喝|看)[^,。]{{0,6}}(?:書|书|飯|饭|電影|电影)|"
        r"[他她][^,。]{0,6}(?:選|选|用|挑)|(?:幫|帮|請|请)我?[^,。]{0,6}(?:選|选)",
        words=("用", "選", "选", "挑", "定", "叫", "取"),
    ),
)

CONSTRUCTIONS = (*ENGLISH, *CHINESE)
