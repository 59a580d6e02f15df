"""Secrets in the configuration files of known programs, where a word or the column says what the value is."""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import (
    anything,
    argument,
    assigned_password,
    is_placeholder_or_code,
    is_type_word,
    url_password,
)
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.value_strength import looks_chosen, looks_mixed

# Settings whose value follows after blanks: keyword, and the name as a regular expression.
_SETTINGS = (
    ("requirepass", "requirepass"),
    ("masterauth", "masterauth"),
    ("snmp-server", r"snmp-server[ \t]community"),
    ("rocommunity", "rocommunity6?"),
    ("rwcommunity", "rwcommunity6?"),
    ("com2sec", r"com2sec6?(?:[ \t]{1,8}+[^\s]{1,60}+){2}"),
    ("enable", r"enable[ \t](?:secret|password)[ \t][0-9]"),
    ("password", r"(?:password|secret)[ \t][0-9](?=[ \t])"),
    ("username", r"username[ \t](?!(?:and|or|und|et|y)[ \t])[^\s]{1,60}+(?:[ \t]privilege[ \t][0-9]{1,2})?[ \t](?:password|secret)(?:[ \t][0-9](?=[ \t]))?"),
    ("key-string", r"key-string(?:[ \t][0-9](?=[ \t]))?"),
    ("isakmp", r"isakmp[ \t]key"),
    ("tacacs", r"tacacs(?:-server)?[^\r\n]{0,60}?[ \t]key(?:[ \t][0-9](?=[ \t]))?"),
    ("radius", r"radius(?:-server)?[^\r\n]{0,60}?[ \t]key(?:[ \t][0-9](?=[ \t]))?"),
    ("pre-shared-key", r"pre-shared-key(?:[ \t](?:ascii-text|hexadecimal|local|remote))?"),
    ("stats", r"stats[ \t]auth[ \t][^\s:]{1,60}:"),
)  # fmt: skip
# Settings that fill their line, because their names also occur in sentences.
_LINES = (
    ("bindpw", "bindpw"),
    ("wpa-psk", "wpa-psk"),
    ("wpa-passphrase", "wpa-passphrase"),
    ("rootpw", "rootpw"),
    ("rootbindpw", "rootbindpw"),
    ("auth_pass", "auth_pass"),
    ("adminpw", "adminpw"),
    ("password", r"(?:[\w-]{1,30}+[._]){1,6}+password"),
)
# What an entry of a Kubernetes Secret says about an account, which is not secret.
_PUBLIC_ENTRY = r"(?i)(?:.*[._-])?(?:user(?:name)?|host(?:name)?|port|database|dbname|db|name|namespace|type|email|url|ca\.crt|tls\.crt)\Z"
_ENTRY = r"(?P<indent>[ \t]{1,12})[\"']?(?P<name>[\w.-]{1,80})[\"']?:[ \t]{1,4}[\"']?(?P<value>[^\s\"'#|>{}$][^\s\"'{}]{3,4000})[\"']?[ \t]*(?:#[^\r\n]*)?\r?(?:\n|\Z)"
_KIND = r"(?m:^)[ \t]{0,4}kind:[ \t]{1,4}[\"']?Secret\b"
_DOCUMENT = 2_000
_MOST_ENTRIES = 40


def _is_setting(value: str) -> bool:
    """Accept a value that fills the line of a setting; a hash with its scheme, too."""
    return (value.startswith("{") and "}" in value[:12]) or assigned_password(value)


def _entries(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the values of the entries of a Kubernetes Secret."""
    is_secret = compiled(_KIND).search(text, max(0, found.start() - _DOCUMENT), found.end() + _DOCUMENT)
    end = found.end()
    for _ in range(_MOST_ENTRIES if is_secret else 0):
        entry = compiled(_ENTRY).match(text, end)
        if not entry:
            return
        end = entry.end()
        value = entry["value"]
        if not (compiled(_PUBLIC_ENTRY).match(entry["name"]) or is_placeholder_or_code(value) or is_type_word(value)):
            yield entry.span("value")


CONFIG_SECRETS: tuple[SecretRule, ...] = (
    SecretRule(
        # The dialogue with a file server: user mara …
        "login-password",
        ("user ",),
        r"(?m:^)[ \t]{0,8}+user[ \t]{1,4}+[\w.@-]{1,40}+[ \t]{1,4}+(?P<value>[^\s]{4,100}+)[ \t]{0,4}+(?m:$)",
        looks_mixed,
    ),
    SecretRule(
        "login-password",
        ("send ",),
        # What an expect script answers to the prompt.
        r"assword[^\r\n]{0,60}+\r?\n?[^\r\n]{0,60}?send[ \t]{1,4}+(?:--[ \t]{1,4}+)?\"(?P<value>[^\"\\\r\n]{4,100}+)(?:\\[rn])",
        argument,
    ),
    SecretRule(
        "login-password",
        ("p:", "p=", "pw:", "pass:"),
        # Short labels on two lines: u: mara, p: …
        r"(?m:^)[ \t]{0,8}+(?i:u|user|l|login)[ \t]{0,4}+[:=][ \t]{0,4}+[^\s]{1,80}+[ \t]{0,4}+\r?\n"
        r"[ \t]{0,8}+(?i:p|pw|pass)[ \t]{0,4}+[:=][ \t]{0,4}+(?P<value>[^\s]{4,100}+)",
        argument,
    ),
    SecretRule(
        "netrc-password",
        ("login ",),
        r"login[ \t]{1,8}+[^\s]{1,80}+\s{1,8}+password[ \t]{1,8}+(?P<value>[^\s]{4,200}+)",
        argument,
    ),
    SecretRule(
        "pgpass-password",
        (":5432:", ":5433:", ":6432:", ":*:"),
        r"(?:(?m:^)|(?<=[ \t\"']))[A-Za-z0-9_.*-]{1,80}+:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,60}+:[A-Za-z0-9_*-]{1,60}+:(?P<value>[^\s\"']{4,200}+)(?:(?m:$)|[\"'])",
        argument,
    ),
    *(
        SecretRule(
            "config-password",
            (word,),
            rf"(?<![\w-])(?:{name})[ \t]{{{1 if name[-1] != ':' else 0},8}}+[\"']?(?P<value>[^\s\"';]{{4,200}}+)",
            argument,
        )
        for word, name in _SETTINGS
    ),
    *(
        SecretRule(
            "config-password",
            (word,),
            rf"(?m:^)[ \t]{{0,20}}+{name}[ \t]{{1,8}}+[\"']?(?P<value>[^\s\"']{{4,200}}+)[\"']?[ \t]{{0,8}}+(?m:$)",
            _is_setting,
            inside=True,
        )
        for word, name in _LINES
    ),
    SecretRule(
        "config-password",
        ("enable",),
        r"enable[ \t](?:secret|password)[ \t]{1,8}+(?P<value>[^\s\"';]{6,200}+)",
        looks_mixed,
    ),
    *(
        SecretRule(
            # A user of an SNMP agent: createUser NAME SHA "…" AES "…"
            "config-password",
            ("createuser",),
            rf"createUser[ \t]{{1,4}}+[^\s(]{{1,60}}+[^\r\n]{{0,120}}?[ \t]{protocol}(?:-?[0-9]{{1,3}})?[ \t]{{1,4}}+[\"']?(?P<value>[^\s\"']{{6,100}}+)",
            argument,
        )
        for protocol in ("(?:SHA|MD5)", "(?:AES|DES)")
    ),
    SecretRule(
        # The secrets of a tunnel: gateway : PSK "…"
        "config-password",
        (": psk", ": eap", ": xauth", ": ntlm"),
        r":[ \t]{1,4}+(?:PSK|EAP|XAUTH|NTLM)[ \t]{1,4}+\"(?P<value>[^\"\r\n]{4,200}+)\"[ \t]{0,8}+(?m:$)",
        url_password,
    ),
    SecretRule(
        # A user of Redis: user NAME on >…
        "config-password",
        ("user ", "setuser "),
        r"(?i:user)[ \t]{1,4}+[\w.-]{1,60}+(?:[ \t]{1,4}+(?!>)[^\s]{1,60}+){1,8}?[ \t]{1,4}+>(?P<value>[^\s<>]{4,200}+)(?=[ \t]{1,4}+[~&+@-]|[ \t]{0,4}+(?m:$))",
        assigned_password,
    ),
    SecretRule(
        # What a mail server logs in to another with: [host]:port user:…
        "config-password",
        ("]:",),
        r"\]:[0-9]{2,5}[ \t]{1,8}+[^\s:]{1,80}+:(?P<value>[^\s]{4,200}+)[ \t]{0,8}+(?m:$)",
        assigned_password,
    ),
    SecretRule(
        # The profile of a wireless network.
        "wifi-password",
        ("keymaterial",),
        r"(?i:keyMaterial)>(?P<value>[^<>\r\n]{8,64}+)<",
        anything,
        inside=True,
    ),
    SecretRule(
        "kubernetes-secret",
        ("data:",),
        r"(?m:^)[ \t]{0,4}(?:stringData|data):[ \t]{0,8}+\r?\n",
        anything,
        inside=True,
        values=_entries,
        far=True,
    ),
    SecretRule(
        # Right after a command that asks for it: ssh lea@host (…)
        "login-password",
        ("ssh ",),
        r"ssh[ \t][^\r\n|;&(]{0,60}?[\w.-]{1,40}+@[\w.-]{1,60}+[ \t]{1,4}+\([ ]?(?:(?i:pw|pass|password)[ :=]{1,3}+)?(?P<value>[^\s()]{6,60}+)[ ]?\)",
        looks_chosen,
    ),
)
