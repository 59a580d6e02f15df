"""Patterns of sentences that decide something, give a reason or name an alternative, in English and Chinese."""

import re
from functools import cache, lru_cache

from msgspec import Struct


class DecisionCue(Struct, frozen=True):
    """A pattern of deciding sentences. Groups: `rest` is the choice and what follows it, `old` what it replaces, `topic`
    what it is for."""

    name: str
    pattern: str
    reverses: bool = False
    """Whether it replaces an earlier choice."""
    needs_reason: bool = False
    """Whether it counts only with a reason: without one it may be a mere plan or report."""


_WE = r"(?:we|i|the team|our team|everyone|everybody|all of us)"
_HAVE = r"(?:'ve| have| has|'d| had)?"
_ADVERBS = r"(?: (?:just|finally|all|now|therefore|also|then|both|eventually|ultimately|jointly|collectively|unanimously|already|officially|today|hereby|have|formally|definitely|simply|initially|originally))*"
_TAKE = (
    r"(?:use|go(?: ahead)? with|adopt|pick|choose|select|take|keep(?: using)?|stay (?:with|on)|stick (?:with|to)|"
    r"standardi[sz]e on|settle on|build on|rely on|opt for|go for|make it|do|"
    r"switch (?:over )?to|move (?:over )?to|migrate to|change to|convert to|revert to|return to|go back to|roll back to|"
    r"fall back to)"
)
_TOOK = (
    r"(?:chose|picked|selected|settled on|adopted|went(?: ahead)? with|opted for|standardi[sz]ed on|landed on|"
    r"(?:are|'re|am|'m|is) (?:now )?(?:going(?: ahead)? with|adopting|using|choosing|picking|standardi[sz]ing on|settling on|"
    r"sticking (?:with|to)|staying (?:with|on)|keeping)|"
    r"voted for|signed off on|approved|"
    r"(?:are|'re|am|'m|is) (?:all in on|set on|sold on|decided on)|(?:have|'ve|has) gone (?:for|with)|gone for|went for|"
    r"(?:will|'ll|shall) be (?:using|going with|adopting|keeping|sticking with)|"
    r"(?:will|'ll|shall) (?:now )?(?:use|go(?: ahead)? with|go for|adopt|stick (?:with|to)|stay (?:with|on)|keep|take|pick|"
    r"standardi[sz]e on))"
)
_SWITCHED = (
    r"(?:switched(?: over)? to|moved(?: over)? to|migrated to|changed to|reverted to|returned to|went back to|rolled back to|"
    r"fell back to|"
    r"(?:are|'re|am|'m|is) (?:now )?(?:switching(?: over)? to|moving(?: over)? to|migrating to|changing to|reverting to|"
    r"going back to|returning to|rolling back to|falling back to)|"
    r"(?:will|'ll|shall) (?:now )?(?:switch(?: over)? to|move(?: over)? to|migrate to|change to|revert to|go back to|"
    r"return to|roll back to))"
)
_DROP = r"(?:drop|abandon|scrap|ditch|retire|remove|replace|deprecate|swap(?: out)?|discontinue|phase out)"
_DROPPING = (
    rf"(?:{_DROP}|dropped|abandoned|scrapped|ditched|retired|removed|replaced|deprecated|swapped(?: out)?|discontinued|"
    r"phased out|dropping|abandoning|scrapping|ditching|retiring|removing|replacing|deprecating|swapping(?: out)?|"
    r"phasing out)"
)
_WILL = r"(?:'re| are|'ll| will|'m| am|'ve| have)?"
_MOVING = (
    r"(?:switch(?:ed|ing)?|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|chang(?:e|ed|ing)|convert(?:ed|ing)?|transition(?:ed|ing)?)"
    r"(?: over)?"
)
# A decision may start after a bullet, a filler word, punctuation, or an introductory phrase.
_BULLET = r"[-*•\d.)\s#]*+"
_FILLER = r"(?:and|so|but|then|ok(?:ay)?|yes|actually|alright|right|well|now) "
_BREAK = r"[,:;—–]\s*+|\s-\s"
_INTRODUCTION = (
    r"(?:after|following|given|because|since|as of|from|with|in|at|for|as|this|last|yesterday|today|tomorrow|now|finally|"
    r"eventually)\b[^,:;.!?]{0,120}?\s(?=(?:we|i|the team|our team|let's)\b)"
)
MAX_STARTS = 4
# What code does is described, not decided: `renderBoard` replaces all children, `parseDate` is selected whenever a form opens.
_NO_CODE = r"(?!(?-i:[a-z]{3,}[A-Z][a-z])\w*)"
_ANY = r"(?:all|any|each|every|both|some|it|its|them|their)"
_EACH_TIME = r"(?:when|whenever|if|each time|every time|automatically|at random|randomly|depending)"
_OLD_ZH, _NEW_ZH = r"(?P<old>[^，。；！]{1,40}?)", r"(?P<rest>[^。；！？\n]{1,200})"
_WE_ZH = r"(?:我们|我們|咱们|咱們|团队|團隊|大家|我|本组|本組|项目组|項目組)"
_ADV_ZH = (
    r"(?:最终|最終|最后|最後|已经|已經|一致|就|今天|现在|現在|还是|還是|正式|都|后来|後來|这次|這次|暂时|讨论后|討論後|"
    r"经过讨论|經過討論|商量后|商量後|开会后|会上|會上|目前|先|统一|統一|那就|也|又|重新|最后还是|，)*+"
)
_TAKE_ZH = r"(?:采用|採用|使用|选用|選用|选择|選擇|选定|選定|用|选|選|上(?=\s*[A-Za-z])|保留|继续用|繼續用|沿用)"
_SWITCH_ZH = (
    r"(?:改用|改为使用|改為使用|改为|改為|改成|换成|換成|换用|換用|切换到|切換到|切到|迁移到|遷移到|迁到|遷到|换到|換到|转向|轉向|转用|轉用|"
    r"转而使用|轉而使用|改回|换回|換回|退回到?|回退到|回到|恢复使用|恢復使用)"
)

CUES: tuple[DecisionCue, ...] = (
    # English, the most specific first.
    DecisionCue("en.replace", rf"(?:(?:decision|decided)[:,]? )?(?:{_WE}{_WILL}{_ADVERBS} |let's |(?:{_WE}{_HAVE} )?(?:decided|agreed) to )?{_DROPPING} (?!support\b)(?P<old>[^,;]{{1,80}}?) (?:with|for|in favou?r of|by) (?P<rest>.+)", reverses=True),
    DecisionCue("en.from_to", rf"(?:(?:decision|decided)[:,]? )?(?:{_WE}{_WILL}{_ADVERBS} |let's |(?:{_WE}{_HAVE} )?(?:decided|agreed) to )?{_MOVING} (?:(?:the|our) (?P<topic>[\w /-]{{1,40}}?) )?(?:away )?from (?P<old>[^,;]{{1,80}}?) (?:over )?to (?P<rest>.+)", reverses=True),
    DecisionCue("en.turn_topic", rf"(?:{_WE}{_WILL}{_ADVERBS} |let's |(?:{_WE}{_HAVE} )?(?:decided|agreed) to ){_MOVING} (?:the|our) (?P<topic>[\w /-]{{1,40}}?) (?:back )?to (?P<rest>.+)", reverses=True),
    DecisionCue("en.no_longer", rf"{_WE}(?:'re| are| will|'ll)? (?:no longer|not) (?:using|use|going with|go with|sticking with) (?P<old>[^,;]{{1,60}}?)(?: any ?more)?[,;] *(?:and |but |instead )*(?:{_WE}(?:'re| are| will|'ll)? )?(?:now )?(?:using|use|going with|go with|switching to|switch to|moving to|move to) (?P<rest>.+)", reverses=True),
    DecisionCue("en.instead_first", rf"(?:instead of|rather than) (?P<old>[^,;]{{1,60}}), *(?:{_WE}{_WILL} |let's )?(?:decided to )?(?:{_TAKE}|{_TOOK}|using|going with) (?P<rest>.+)", reverses=True),
    DecisionCue("en.decided_turn", rf"(?:{_WE}{_HAVE}{_ADVERBS} |it (?:was|is|has been){_ADVERBS} )(?:decided|agreed|resolved|chosen|concluded)(?: together)? (?:to|that (?:we|i)(?:'ll| will| should| would)?) (?:switch (?:over )?to|move (?:over )?to|migrate to|change to|convert to|revert to|return to|go back to|roll back to|fall back to) (?P<rest>.+)", reverses=True),
    DecisionCue("en.decided_drop", rf"(?:{_WE}{_HAVE}{_ADVERBS} |it (?:was|is|has been){_ADVERBS} )(?:decided|agreed|resolved|chosen) (?:to|that (?:we|i)(?:'ll| will| should| would)?) (?P<rest>(?:{_DROP}|stop using) (?P<old>[^,;.]{{1,60}}?)(?= because| since| due|[,;.!]|$).*)", reverses=True),
    DecisionCue("en.decided_use", rf"(?:{_WE}{_HAVE}{_ADVERBS} |it (?:was|is|has been){_ADVERBS} )(?:decided|agreed|opted|resolved|chosen|concluded)(?: together)? (?:to|that (?:we|i)(?:'ll| will| should| would)?) {_TAKE} (?P<rest>.+)"),
    DecisionCue("en.decided_on", rf"{_WE}{_HAVE}{_ADVERBS} (?:decided|agreed|settled) (?:on|upon|for|in favou?r of) (?P<rest>.+)"),
    DecisionCue("en.decided_against", rf"{_WE}{_HAVE}{_ADVERBS} decided (?P<rest>(?:against|not to) .+)"),
    DecisionCue("en.decided_to", rf"(?:{_WE}{_HAVE}{_ADVERBS} |it (?:was|is|has been){_ADVERBS} )(?:decided|agreed|resolved|chosen)(?: together)? (?:to|that (?:we|i)(?:'ll| will| should| would)?) (?P<rest>.+)"),
    DecisionCue("en.turned", rf"{_WE}{_HAVE}{_ADVERBS} ?{_SWITCHED} (?P<rest>.+)", reverses=True),
    DecisionCue("en.took", rf"(?:(?:we|i)(?:'ve| have)? (?:decided|agreed|concluded) (?:that )?)?{_WE}{_HAVE}{_ADVERBS} ?(?:{_TOOK}|chosen|picked|gone with|adopted|settled on|selected) (?P<rest>.+)"),
    DecisionCue("en.lets_turn", r"(?:let's|let us)(?: just| all| rather| instead)* (?:switch (?:over )?to|move (?:over )?to|migrate to|change to|revert to|return to|go back to|roll back to|fall back to) (?P<rest>.+)", reverses=True),
    DecisionCue("en.lets", rf"(?:let's|let us)(?: just| all| rather| instead| please)* {_TAKE} (?P<rest>.+)"),
    DecisionCue("en.decision", rf"^[-*•\d.)\s#]*(?:final |our |team )?(?:decision|decided|resolution|resolved|verdict|final call|final answer|adr(?:[- ]?\d+)?)(?: \([^)]*\))?(?: is| was)?\s*[:—–-]+\s*(?:(?:we|i)(?:'ll| will| should| are going to)? |to )*(?:{_TAKE} )?(?P<rest>.+)"),
    DecisionCue("en.decision_is", rf"(?:the|our) (?:final |team's )?(?:decision|choice|verdict|pick)(?: (?:is|was|has been made)(?: made)?)(?: to)?[:,]? (?:{_TAKE} )?(?P<rest>.+)"),
    DecisionCue("en.replaces", rf"(?P<rest>(?!(?:we|i|you|they|he|she|it|who|that|which|have|has|had|was|were)\b){_NO_CODE}[A-Z][\w .+#/-]{{0,40}}?) (?:replaces|is replacing|will replace|has replaced|replaced|supersedes|takes over from) (?!{_ANY}\b)(?P<old>[A-Z][\w .+#/-]{{0,40}}?)(?=,| for| because| since| as|[.;!]|$)(?P<more>.*)", reverses=True),
    DecisionCue("en.in_out", r"(?P<old>[\w][\w .+#/-]{0,40}?) is out(?:,| and|;| —| -)+ *(?P<rest>[\w][\w .+#/-]{0,40}?) is in\b(?P<more>.*)", reverses=True),
    DecisionCue("en.scrap", rf"(?:{_WE}{_WILL}{_ADVERBS} |let's )?(?:{_DROPPING}|forget(?: about)?|giv(?:e|ing) up(?: on)?|no more|goodbye) (?P<old>[^,;:.]{{1,40}}?)(?:,|;|:|\.| —| -| and)+ *(?:(?:we|i)(?:'ll| will|'re| are)? |let's |just )*(?:use|using|go with|going with|go back to|going back to|take|{_MOVING} (?:(?:everyone|everybody|us) )?(?:back )?to) (?P<rest>.+)", reverses=True),
    DecisionCue("en.will_not", rf"{_WE}(?: will not|'ll not| won't| are not|'re not) (?:use|using|go with|going with|adopt|keep|keeping) (?P<old>[^,;.]{{1,60}}?)[,;.—-]+ *(?:but |instead |and )*(?:{_WE}(?: will|'ll| are|'re)? )?(?:use|using|go with|going with|adopt|take|switch to) (?P<rest>.+)", reverses=True),
    DecisionCue("en.ended_up", rf"{_WE}{_HAVE}{_ADVERBS} end(?:ed)? up (?:with|using|on|choosing|picking|going with|adopting) (?P<rest>.+)"),
    DecisionCue("en.our_pick", rf"(?:our|the|my) (?:final )?(?:pick|choice|consensus|conclusion|call|plan|agreement|outcome)(?: is| was|:)+(?: to)?(?: {_TAKE})? (?!made\b)(?P<rest>.+)"),
    DecisionCue("en.consensus", rf"^[-*•\s]*(?:consensus|outcome|conclusion|agreed|we(?:'ve| have)? agreed|final|settled|the call(?: was made| is)?)\s*[:—–]+\s*(?:(?:we|i)(?:'ll| will| are going to|'re going to)? )?(?:{_TAKE} )?(?P<rest>.+)"),
    DecisionCue("en.won", r"(?P<rest>[A-Z][\w.+#/-]{0,40}(?: [A-Z0-9][\w.+#/-]{0,20}){0,2}) (?:won(?!['\u2019]t)|wins|got the nod|gets the nod|came out on top)\b(?P<more>.*)"),
    DecisionCue("en.off_onto", rf"{_WE}{_WILL}{_ADVERBS} (?:get|getting|mov(?:e|ed|ing)|migrat(?:e|ed|ing)|com(?:e|ing)) (?:off|away from|off of) (?P<old>[^,;.]{{1,60}}?)(?:,)? (?:and )?(?:onto|on to|to|over to|into) (?P<rest>.+)", reverses=True),
    DecisionCue("en.it_is", r"(?P<rest>[\w][\w .+#/'-]{0,60}?) it is(?: then)?(?=[,.;!—–-]|$)(?P<more>.*)"),
    DecisionCue("en.what_we", r"(?P<rest>[\w][\w .+#/-]{0,40}?) (?:is|will be|'s) (?:what we(?:'re| are|'ll| will)? (?:going with|us(?:e|ing)|choosing|go with|adopt(?:ing)?)|our choice|the winner|our pick|the way to go|the one we(?:'re| are) (?:using|going with))\b(?P<more>.*)"),
    DecisionCue("en.winner", r"(?:and )?(?:the winner(?: is|:)|vote result:|result of the vote:|the vote went to|the vote is in:|sticking with|sticking to) (?P<rest>.+)"),
    DecisionCue("en.chosen", rf"{_NO_CODE}(?P<rest>[\w][\w .+#/-]{{0,60}}?) (?:was|has been|is) (?:chosen|selected|picked|adopted)(?! {_EACH_TIME}\b)(?P<more> .*|[.!]?)$"),
    DecisionCue("en.go_with", r"(?:go(?:ing)?(?: ahead)? with) (?P<rest>.+)"),
    DecisionCue("en.will_do", rf"{_WE}(?:'ll| will| shall| are going to|'re going to)(?: now)? (?P<rest>(?:build|write|ship|host|deploy|store|run|rewrite|implement|support|release|split|merge|publish|sign|encrypt|version|charge|price|move|do|make|start|serve|expose|limit|pin|log|name) .+)", needs_reason=True),
    # Chinese, the most specific first.
    DecisionCue("zh.swap", rf"(?:把|将|將){_OLD_ZH}(?:全部|统一|統一|都|整体)?(?:换成|換成|替换为|替換為|替换成|替換成|迁移到|遷移到|迁到|遷到|改成|改为|改為|切换到|切換到|切到|切换成){_NEW_ZH}", reverses=True),
    DecisionCue("zh.from_to", rf"(?:从|從|由){_OLD_ZH}(?:全面|整体|彻底)?(?:迁移到|遷移到|切换到|切換到|换到|換到|换成|換成|迁到|遷到|转到|轉到|转向|切到|改为|改為|改成|改用){_NEW_ZH}", reverses=True),
    DecisionCue("zh.instead", rf"(?:用|以)(?P<rest>[^，。；！]{{1,40}}?)(?:来|來)?(?:代替|取代|替换|替換|替代|替掉|换掉|換掉){_OLD_ZH}(?=[，。；！,]|$)(?P<more>[^。；！\n]*)", reverses=True),
    DecisionCue("zh.give_up", rf"(?:放弃|放棄|弃用|棄用|不再使用|不再用|停用|淘汰|不用){_OLD_ZH}(?:了)?[，,、]?(?:而)?(?:{_WE_ZH})?{_ADV_ZH}(?:{_SWITCH_ZH}|{_TAKE_ZH}){_NEW_ZH}", reverses=True),
    DecisionCue("zh.decided_turn", rf"(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH})?{_ADV_ZH}(?:决定|決定|同意|定了|商定|拍板){_ADV_ZH}{_SWITCH_ZH}{_NEW_ZH}", reverses=True),
    DecisionCue("zh.decided_use", rf"(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH})?{_ADV_ZH}(?:决定|決定|同意|商定|拍板|敲定|定下来|定下來)(?:了)?{_ADV_ZH}{_TAKE_ZH}{_NEW_ZH}"),
    DecisionCue("zh.decision", rf"^[-*•\d.)\s#]*(?:最终|最終|最后|最後)?(?:决定|決定|结论|結論|决议|決議|拍板|定案)(?:是|为|為)?[:：](?:{_WE_ZH})?{_ADV_ZH}(?:{_SWITCH_ZH}|{_TAKE_ZH})?{_NEW_ZH}"),
    DecisionCue("zh.result", rf"(?:^|[，,])(?:(?P<topic>[^，。；！因]{{1,16}}?)的?)?(?:讨论结果|討論結果|最终方案|最終方案|最终选型|选型结果|選型結果|选型|選型|方案|结果|結果|共识|共識)(?:已经|已經)?(?:确定|確定|定)?(?:是|为|為|下来是|了|[:：])+(?:{_WE_ZH})?(?:{_SWITCH_ZH}|{_TAKE_ZH})?{_NEW_ZH}"),
    DecisionCue("zh.not_but", rf"(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH}){_ADV_ZH}(?:选|選|用)(?P<rest>[^，。；！不]{{1,30}}?)[，,]?(?:不选|不選|不用|没选|沒選|而不是|没用){_OLD_ZH}(?=[，。；！,]|$)(?P<more>[^。；！\n]*)"),
    DecisionCue("zh.replaced_by", rf"(?:^|[，,]){_OLD_ZH}(?:已经|已經)?被(?P<rest>[^，。；！]{{1,30}}?)(?:取代|替换|替換|替代|代替)(?:了|掉了)?(?P<more>[^。；！\n]*)", reverses=True),
    DecisionCue("zh.fixed", rf"(?:^|[，,])(?P<topic>[^，。；！因]{{1,16}}?)(?:定为|定為|定成|定了|定下来用|确定用|確定用|确定为|確定為|就定){_NEW_ZH}"),
    DecisionCue("zh.decided", rf"(?:{_WE_ZH}){_ADV_ZH}(?:决定|決定|商定|同意|约定|約定|说好|說好)(?:了)?{_NEW_ZH}"),
    DecisionCue("zh.turn", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH})?{_ADV_ZH}{_SWITCH_ZH}(?:了)?{_NEW_ZH}", reverses=True),
    DecisionCue("zh.chose", rf"(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH}){_ADV_ZH}(?:选择|選擇|选定|選定|选|選|采用|採用|敲定|定)(?:了){_NEW_ZH}"),
    DecisionCue("zh.so_use", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH})?(?:那就|就|还是|還是|统一|統一|最终|最終|最后|最後|以后都|以後都|最后还是|确定|確定){_ADV_ZH}(?:{_TAKE_ZH}|定){_NEW_ZH}"),
    DecisionCue("zh.fixed_on", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH})?(?:最终|最終|最后|最後|终于|終於|会上|會上|投票|讨论后|討論後|今天|正式|一致|表决|表決|后来|後來|这次|這次|已经|已經)+{_ADV_ZH}(?:敲定|选定|選定|选择|選擇|选|選|采用|採用|通过|通過|拍板|定)(?:了|用|出了|的是)+{_NEW_ZH}"),
    DecisionCue("zh.settled", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:敲定|拍板|选定|選定|定下来|定下來|就这么定了|就這麼定了)(?:了|用|，)*{_NEW_ZH}"),
    DecisionCue("zh.choose", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH}){_ADV_ZH}(?:选择|選擇|采用|採用|选用|選用){_NEW_ZH}", needs_reason=True),
    DecisionCue("zh.used", rf"(?:^|[，,：:])(?:(?P<topic>[^，。；！因]{{1,16}}?))?(?:{_WE_ZH}){_ADV_ZH}(?:用|选用|選用|使用)(?:了|的是)?{_NEW_ZH}", needs_reason=True),
)  # fmt: skip

# A sentence that matches one of these does not decide anything.
_UNDECIDED = (
    r"[?？]\s*[\"'”’)]*$",
    r"\b(?:should|could|might|may|would|can|shall) (?:we|i)\b",
    r"\b(?:we|i|it) (?:might|may|could|would|can|should probably)\b",
    r"\bif (?:we|i|they|you)\b(?! are asked)",
    r"\b(?:maybe|perhaps|possibly|probably|potentially|tentatively)\b",
    r"\b(?:haven't|have not|hasn't|has not|hadn't|not yet|didn't|did not|never|don't|do not|won't|cannot|can't|yet to) (?:\w+ ){0,2}?(?:decided?|chosen?|choose|agreed?|pick(?:ed)?|settled?|adopt(?:ed)?|switch(?:ed)?|commit(?:ted)?)\b",
    r"\b(?:no (?:final )?decision|undecided|still open|open question|to be decided|tbd|not final|pending|nothing (?:is|was|has been) decided)\b",
    r"\b(?:considering|thinking (?:of|about)|leaning|tempted|propos(?:e|es|ed|al|ing)|suggest(?:s|ed|ion)?|what if|wonder(?:ing)?|in theory|hypothetically|wish|hope to|would like|want to|plan to)\b(?=[^,;]{0,60}(?:\b(?:use|using|go|going|adopt|switch|move|pick|choose|toward|to)\b|$))",
    r"\b(?:let's|let us) (?:discuss|wait|see|think|revisit|postpone|talk|decide|park|defer|not decide|table)\b",
    r"\b(?:before|until|unless|once|whether) (?:we|i)\b",
    r"\b(?:they|he|she|netflix|google|competitors?|the (?:other|vendor|customer|client|author|article|blog|paper|platform|mobile|infra|design|data|sales) ?(?:team|company|group|post)?|another team|their team|people|others|some teams)(?:'ve| have| had| also)? (?:\w+ )?(?:chose|picked|decided|went with|use[sd]?|adopted|switched|moved|migrated|selected)\b",
    r"\b(?:at my (?:last|previous|old|former) (?:job|company|team|place)|in my (?:last|previous|old) (?:job|company|team)|years ago|used to|back in (?:19|20)\d\d|when i was at)\b",
    r"\b(?:said|says|wrote|writes(?=:| that\b)|claims?|claimed|reported|according to|i (?:heard|read)|rumou?r|apparently|joke|joking|kidding)\b",
    r"\b(?:for example|e\.g\.|imagine|suppose|pretend|let's say)\b",
    r"(?:要不要|是否|是不是|该不该|該不該|能不能|可不可以|好不好|行不行|怎么样|怎麼樣|如何|吗|嗎|呢)",
    r"(?:还没|還沒|尚未|没有决定|沒有決定|没决定|沒決定|未决定|未決定|没定|沒定|未定|待定|暂未|暫未|没想好|沒想好|再讨论|再討論|再议|再議|再看看|先不|先别|先別|不急)",
    r"(?:如果|假如|(?<!主)要是|倘若|若是|万一|萬一|也许|也許|可能|或许|或許|大概|说不定|說不定)",
    r"(?:在考虑|在考慮|考虑用|考慮用|考虑换|考慮換|考虑改|建议|建議|提议|提議|打算|想用|想换|想換|倾向|傾向|不如|可以考虑|可以考慮|听说|聽說|据说|據說|开玩笑|開玩笑|传闻|傳聞)",
    r"(?:他们|他們|她们|隔壁|别的团队|別的團隊|其他团队|其他團隊|另一个团队|另一個團隊|对方|對方|竞品|競品|上家公司|前公司|以前的公司|以前公司|之前公司|文章|博客|部落格)",
)  # fmt: skip

_REASON_INTRODUCED = (
    r"^(?:[-*•\s]*)(?:(?:the |my |our |its )?(?:main |primary |biggest |real |key |deciding )?(?:reason|rationale|motivation|"
    r"why|driver)(?:s)?(?: (?:is|was|being|here|for (?:this|that|it)))*(?: that)?[:,]? ?|because(?: of)? |that's because |it's because |"
    r"this is because |since |due to |main driver: ?|driver: ?|(?:主要)?(?:原因|理由|好处|好處)(?:是|在于|在於|[:：])+ ?|(?:主要)?(?:是)?(?:因为|因為|由于|由於) ?)(?P<reason>.+)"
)
_REASON_INSIDE = (
    r"(?:,? (?:mainly |mostly |largely |primarily |simply |partly |just |only |precisely )?(?:because(?: of)?|since|due to|given(?: that)?|"
    r"on account of|on the grounds that|owing to|thanks to|to (?=avoid|save|reduce|cut|simplify|speed|get rid|lower|improve|prevent|ensure|make sure|stay)|"
    r"for (?=\w+(?: \w+)? reasons)|as (?=it|we|they|the|our|that|its|this|nobody|everyone|only|there))"
    r"|,? so that |,? so (?=we|the|it|our|they|nobody|everyone|you)|,? in order to |[,;]? ?(?:the )?reason(?: being| is|:) ?|"
    r"(?: -|\s*[—–:]) (?=it|they|that|the |we |its |this |our |no |nobody)|, (?=it's |it is |it has |they're |they are |its )|; |；|"
    r"\((?:because )?(?=it|they|we|its|no |the ))"
    r"\s*(?P<reason>.+)"
)
_REASON_ZH = r"[，,；;（(]?(?:主要)?(?:是)?(?:因为|因為|由于|由於|原因是|理由是|考虑到|考慮到|毕竟|畢竟|鉴于|鑒於|为了|為了|出于|出於|看中|好处是|好處是|优点是|優點是|图的是|因)(?P<reason>.+)"
_REASON_FIRST = (
    r"^(?:[-*•\s]*)(?:(?:and|so|but|well|ok(?:ay)?),? )?(?:because(?: of)?|since|given(?: that)?|due to|as|considering(?: that)?)\s+"
    r"(?P<reason>[^,;]{4,200}), "
)
_REASON_SO = r"^(?P<reason>[^;]{6,200}?),? (?:so|hence|therefore),? (?:we|i|let's|the team)\b"
_REASON_SO_ZH = r"^(?P<reason>[^。；]{2,120}?)[，,](?:所以|因此|于是|於是)"
_REASON_FIRST_ZH = r"^(?:因为|因為|由于|由於|考虑到|考慮到|鉴于|鑒於)(?P<reason>[^。；]{2,120}?)(?:[，,]|所以|因此)"
_PRONOUN_START = r"^(?:it|that|this|they|it's|its|they're|that way|this way)(?: |')(?P<reason>.+)|^(?:它|这样|這樣|这个|這個)(?P<reason_zh>.+)"

_OLD_INSIDE = r"(?:,? (?:and )?(?:instead of|rather than|over|in place of|in lieu of|replacing|as opposed to|not)|[，,]?(?:而不是|而非|而不用|不用|取代|代替|替代|替换|替換))\s*(?P<old>[^,;，；。.!！]{1,80})"  # fmt: skip
_TOPIC_INSIDE = r" (?:for|as(?= (?:the|our|a|an|its)\b)|to (?=handle|store|serve|run|manage|build|send|host|power|do|process|track|keep|generate|render|deploy|test|ship|parse|cache|queue|sync)) ?(?P<topic>.{2,80})$"
_TOPIC_FIRST = r"^(?:[^,:;]{0,40}[,:;] )?(?:for|as) (?P<topic>[\w '/-]{2,60}?),? (?=(?:we|i|let's|our team|the team)\b)"
_TOPIC_ZH = r"(?:来做|來做|做|作为|作為|当作|當作|来存|來存|存储|存儲|来处理|來處理|处理|處理|来管理|管理|负责|負責|来跑|跑|来写|寫|写)(?P<topic>[^，。；！]{1,20})"

_ALTERNATIVES = (
    r"\b(?:considered|looked at|evaluated|compared|weighed|tried(?: out)?|alternatives?(?: (?:were|was|is|are|considered))?:?|"
    r"options?(?: (?:were|are))?:?|other (?:option|candidate)s?(?: (?:was|were|is|are))?:?|candidates(?: (?:were|are))?:?|rejected|ruled out)\s+"
    r"(?:both |using )?(?P<found>[A-Z0-9][^.;!?，。；]{0,100})",
    r"(?:考虑过|考慮過|考虑了|对比了|對比了|比较了|比較了|评估了|評估了|评估过|試過|试过|备选(?:方案)?(?:是|有|[:：])+|備選(?:方案)?(?:是|有|[:：])+|候选(?:是|有|[:：])+|排除了|否决了|否決了)(?P<found>[^。；！？]{1,60})",
    r"\b(?P<found>[A-Z][\w.+#-]{1,30} (?:vs\.?|versus) [A-Z][\w.+#-]{1,30})",
)
_EVIDENCE = (
    r"\b(?:benchmarks?|measured|measurements?|load tests?|tests? (?:show|showed)|profil(?:er|ing|ed)|numbers|data shows?|"
    r"p9[59]|latency (?:was|is|dropped)|https?://|spike (?:showed|shows)|prototype (?:showed|shows)|survey)",
    r"(?:压测|壓測|实测|實測|测试(?:显示|结果|表明)|測試(?:顯示|結果|表明)|数据(?:显示|表明)|數據(?:顯示|表明)|基准测试|基準測試)",
)
_EFFECTS = (
    r"\b(?:this means|that means|which means|as a result|consequently|therefore|so we (?:need|have|must|will)|we(?:'ll| will) (?:have|need) to|next step|follow-up|we must now)\b",
    r"(?:这意味着|這意味著|因此|所以(?:需要|要|得|我们|我們)|接下来|接下來|下一步|需要把|之后要|之後要)",
)


# Words before a Chinese decision that are not part of its topic.
_NOT_TOPIC_ZH = (
    rf"(?:所以|因此|于是|於是|然后|然後|但是|不过|不過|那么|那麼|{_WE_ZH}|最终|最終|最后|最後|已经|已經|一致|今天|昨天|现在|現在|还是|還是|正式|"
    r"后来|後來|这次|這次|暂时|讨论后|討論後|经过讨论|經過討論|经过评估|經過評估|商量后|开会后|会上|會上|目前|统一|統一|那就|重新|综合考虑|綜合考慮|"
    r"经讨论|經討論|讨论|討論|撤销|撤銷|之前|以前|的|都|就|也|又|先|则|則|是|，|,|：|:|\s)+"
)

# A question, or the report of one: "the pilot asks whether we can fly at five".
_QUESTION = r"(?:吗|嗎|呢|要不要|什么|什麼|哪个|哪個|哪种)|\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed|ing)?)\b[^.;!?]{0,40}?\b(?:whether|if)\b"
# The beginning of a message that puts a decision off, or leaves it to others.
_PUTS_OFF = (
    r"\W*(?:(?:h+m+|well|ok|okay|right|yes|no|maybe|so|then|sure)\W+)*"
    r"(?:(?:let me|i'll|i will|i(?:'d| would) like to|i (?:have|need|want) to) (?:first )?"
    r"(?:ask|check|test|look|think|compare|find out|hear|sleep on)\b"
    r"|(?:i have )?no (?:strong )?(?:preference|opinion)\b|i don't (?:mind|care)\b"
    r"|(?:我|讓我|让我)(?:再|先|去)+(?:想|問|问|查|看|測|测|試|试|比))"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=2_048)
def find_cue(sentence: str) -> tuple[DecisionCue, re.Match[str]] | None:
    """Return the first cue that a sentence matches, if any, with the match."""
    starts = _starts(sentence)
    chinese = _compiled("[\u4e00-\u9fff]").search(sentence) is not None
    for cue in CUES:
        pattern = _compiled(cue.pattern)
        if cue.name.startswith("zh."):
            found = pattern.search(sentence) if chinese else None
        else:
            found = next((match for start in starts if (match := pattern.match(sentence, start))), None)
        if found:
            return cue, found
    return None


def _starts(sentence: str) -> tuple[int, ...]:
    """Return the offsets in a sentence where a decision may start."""
    starts = [_skip(_BULLET, sentence, 0)]
    for found in _compiled(_BREAK).finditer(sentence):
        if len(starts) == MAX_STARTS:
            break
        starts.append(found.end())
    skipped = [_skip(_FILLER, sentence, start) for start in starts]
    introduced = [_skip(_INTRODUCTION, sentence, start) for start in skipped]
    return tuple(dict.fromkeys((0, *starts, *skipped, *introduced)))


def _skip(pattern: str, sentence: str, start: int) -> int:
    found = _compiled(pattern).match(sentence, start)
    return found.end() if found else start


def is_undecided(sentence: str) -> bool:
    """Return whether a sentence asks, supposes, negates or reports rather than decides."""
    return any(_compiled(pattern).search(sentence) for pattern in _UNDECIDED)


def introduced_reason(sentence: str) -> str | None:
    """Return the reason in a sentence such as "Because …" or "The reason is …"."""
    return _group(_REASON_INTRODUCED, sentence, "reason", match=True)


def reason_before(sentence: str) -> str | None:
    """Return the reason in front of a decision in the same sentence."""
    patterns = (_REASON_FIRST, _REASON_FIRST_ZH, _REASON_SO, _REASON_SO_ZH)
    return next((found for one in patterns if (found := _group(one, sentence, "reason", match=True))), None)


def starts_with_pronoun(sentence: str) -> bool:
    """Return whether a sentence starts with a pronoun that refers to the one before, such as "It …"."""
    return _compiled(_PRONOUN_START).match(sentence) is not None


def split_reason(text: str) -> tuple[str, str | None]:
    """Split off the reason at the end of a decision."""
    found = min(
        (one for one in (_compiled(_REASON_INSIDE).search(text), _compiled(_REASON_ZH).search(text)) if one and one.start() > 0),
        key=lambda one: one.start(),
        default=None,
    )  # fmt: skip
    return (text, None) if found is None else (text[: found.start()], found["reason"])


def split_old(text: str) -> tuple[str, str | None]:
    """Split off what was not chosen."""
    found = _compiled(_OLD_INSIDE).search(text)
    if found is None or found.start() == 0:
        return text, None
    return text[: found.start()] + text[found.end() :], found["old"]


def split_topic(text: str) -> tuple[str, str | None]:
    """Split off what the choice is for."""
    for pattern in (_TOPIC_INSIDE, _TOPIC_ZH):
        found = _compiled(pattern).search(text)
        # In "for 90 days" or "as the 3rd one", the number belongs to the choice.
        if (
            found is not None
            and found.start() > 0
            and not _compiled(r"(?:the |at least |up to )?\d").match(found["topic"])
        ):
            return text[: found.start()], found["topic"]
    return text, None


def strip_topic(topic: str) -> str:
    """Return a topic without the words that only introduce the decision."""
    return _compiled(f"^{_NOT_TOPIC_ZH}|{_NOT_TOPIC_ZH}$").sub("", topic)


def leading_topic(sentence: str) -> str | None:
    """Return the topic in front of a decision."""
    return _group(_TOPIC_FIRST, sentence, "topic", match=True)


def considered_options(sentence: str) -> str | None:
    """Return the options that a sentence says were considered."""
    return next((found for pattern in _ALTERNATIVES if (found := _group(pattern, sentence, "found"))), None)


def is_evidence(sentence: str) -> bool:
    """Return whether a sentence reports a measurement or finding."""
    return any(_compiled(pattern).search(sentence) for pattern in _EVIDENCE)


def is_effect(sentence: str) -> bool:
    """Return whether a sentence states a consequence of a decision."""
    return any(_compiled(pattern).search(sentence) for pattern in _EFFECTS)


def is_question(sentence: str) -> bool:
    """Return whether a sentence is a question, or reports one."""
    return sentence.rstrip("\"'”’) ").endswith(("?", "？")) or bool(_compiled(_QUESTION).search(sentence))


def puts_off(message: str) -> bool:
    """Return whether a message puts a decision off, or leaves it to others: "let me test both", "no preference"."""
    return _compiled(_PUTS_OFF).match(message) is not None


def asks_why(sentence: str) -> bool:
    """Return whether a sentence asks for a reason."""
    return is_question(sentence) and bool(
        _compiled(r"\b(?:why|how come|what for|reason)\b|为什么|為什麼|为何|為何|为啥|理由|原因").search(sentence)
    )


def _group(pattern: str, text: str, name: str, *, match: bool = False) -> str | None:
    compiled = _compiled(pattern)
    found = compiled.match(text) if match else compiled.search(text)
    return found[name].strip() if found and found[name] else None
