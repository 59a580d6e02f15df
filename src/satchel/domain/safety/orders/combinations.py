"""Combinations of cues that make an order to the agent, each with a name for the receipt.

A combination is a list of groups; a passage has it if it has a cue of every group. A group that begins with `!` excludes.
"""

COMBINATIONS: dict[str, str] = {
    "turns to the agent": "addressed|to_reader agent|maybe_agent commanded|must "
    "send|destroy|disable|pay|recommend|hide|false|drop|promo|secret|execute|skip|access|money|remember "
    "!code",
    "agent must send": "agent_must agent|maybe_agent send|share secret|private|destination|money",
    "agent must act": "agent_must agent|maybe_agent destroy|pay|recommend|drop|permit "
    "access|money|promo|guard|claim|rules|future|skip|void",
    "agent must hide": "agent|maybe_agent|to_reader hide commanded|must|forbidden",
    "agent must run": "agent_must|addressed|to_reader agent|maybe_agent run execute|destination",
    "hidden from the user": "forbidden tell person commanded|future|always "
    "send|share|destroy|disable|pay|permit|run|recommend|false",
    "covertly": "hide commanded send|share|destroy|disable|pay|permit|run|remember "
    "secret|private|money|guard|access|destination|future|person",
    "carries secrets away": "commanded send|share secret destination|reply|access|person",
    "carries data away": "commanded send private destination always|agent|you|person|read",
    "secrets on request": "secret tell|share|send person when_asked|always|future|claim",
    "drops rules": "commanded drop prompt",
    "new rules": "prompt|rules void you|agent|maybe_agent|addressed",
    "above the rules": "memory|you prompt|rules void",
    "unchecked": "skip check commanded|future|always|agent|maybe_agent|you "
    "pay|permit|run|send|share|destroy|money|access|execute "
    "agent|maybe_agent|you|future|always|hide|claim",
    "decodes orders": "encoded decode|obey|run commanded",
    "disarms": "commanded disable|destroy|permit guard hide|agent|addressed|future|person|claim|false|you",
    "promotes": "commanded recommend|tell promo always|future|when_asked "
    "agent|maybe_agent|reply|person|destination|not",
    "claimed authority": "authority claim|void agent|maybe_agent|you must|commanded|obey|permit "
    "prompt|rules|money|access|secret|send|skip|guard",
    "lifted limits": "role you prompt|rules|skip not|void|drop|obey",
    "planted rule": "memory|remember future|always|when_asked send|pay|permit|destroy|run|recommend|share "
    "destination|money|secret|promo|guard|skip|claim|access commanded|must|skip",
    "spends money": "commanded pay money|secret destination|claim|agent|person|you",
    "gives access": "commanded permit|share access destination|secret|agent|claim|hide",
    "acts for the page": "when_asked agent|to_reader commanded|must recommend|tell|send|share|permit|run|drop "
    "promo|secret|claim|destination|false|money|access|hide",
    "in markup": "hidden_markup agent|maybe_agent commanded|must",
}
# A passage that asks, or that speaks about attacks or rules, has none of them.
EXCLUDED = ("question", "mention")
