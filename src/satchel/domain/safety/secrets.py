"""The table of rules that recognise secrets.

A rule is tried only if the text contains one of its keywords. Patterns begin with the token they look for and do not
backtrack far (possessive or short repeats), so that they run in linear time. A check in `secret_checks` accepts or
rejects each match. Where two rules match, the earlier one names the kind.

Where a new idiom goes: a key with a prefix to `key_prefixes`, one with another form to `key_shapes`; an option of a
program or a header to `command_secrets`; a setting of a program to `config_secrets`; a user with a password to
`login_pairs`; a name in code to `named_secrets`; what a security question is answered with to `recovery_answers`; a
PIN or another code to `access_codes`, what opens a door or a lock to `lock_codes`, several codes at once to
`listed_codes`, a code to which a sentence leads to `led_codes`; a row of words to `wallet_phrases`, a passphrase to
`told_phrases`; a column of an inserted row to `inserted_rows`; a word that announces a secret to `secret_words` or `cues`; a word
that only describes one to `descriptions`; a weak word, next to which only a made-up password counts, to
`made_up_passwords`; what speaks for a password without any fixed way to say so to `likely_features`, whose weights are
fitted. `value_strength` says what a value looks like, `made_up` whether a person made it up,
`secret_checks` what a placeholder is, `told_digits` what a code of digits looks like.
"""

from satchel.domain.safety.access_codes import ACCESS_CODES
from satchel.domain.safety.assigned_secrets import ASSIGNED_SECRETS
from satchel.domain.safety.command_secrets import COMMAND_SECRETS
from satchel.domain.safety.config_secrets import CONFIG_SECRETS
from satchel.domain.safety.inserted_rows import INSERTED_ROWS
from satchel.domain.safety.key_prefixes import KEY_PREFIXES
from satchel.domain.safety.key_shapes import KEY_SHAPES
from satchel.domain.safety.led_codes import LED_CODES
from satchel.domain.safety.login_pairs import LOGIN_PAIRS
from satchel.domain.safety.made_up_passwords import MADE_UP_PASSWORDS
from satchel.domain.safety.named_secrets import NAMED_SECRETS
from satchel.domain.safety.nearby_secrets import NEARBY_SECRETS
from satchel.domain.safety.recovery_answers import RECOVERY_ANSWERS
from satchel.domain.safety.secret_checks import marked, random_looking
from satchel.domain.safety.secret_rule import SecretRule, prefixed
from satchel.domain.safety.told_phrases import TOLD_PHRASES
from satchel.domain.safety.wallet_phrases import WALLET_PHRASES

# Nothing else looks like these: the value need not look random.
_UNMISTAKABLE = frozenset({"github-token", "age-key"})
_PREFIXED = tuple(
    prefixed(kind, prefix, body, marked if kind in _UNMISTAKABLE else random_looking)
    for kind, prefixes, body in KEY_PREFIXES
    for prefix in prefixes.split(" ")
)

RULES: tuple[SecretRule, ...] = (
    *KEY_SHAPES,
    *_PREFIXED,
    *COMMAND_SECRETS,
    *LOGIN_PAIRS,
    *CONFIG_SECRETS,
    *INSERTED_ROWS,
    *ASSIGNED_SECRETS,
    *NAMED_SECRETS,
    *RECOVERY_ANSWERS,
    *ACCESS_CODES,
    *LED_CODES,
    *WALLET_PHRASES,
    *TOLD_PHRASES,
    *NEARBY_SECRETS,
    *MADE_UP_PASSWORDS,
)
