"""A user and a password side by side, as people note them: after a service, a device, a mail address or a network."""

import re
from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import describes, is_compound_adjective
from satchel.domain.safety.secret_checks import anything, is_phrase
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.value_strength import Strength, looks_chosen, looks_mixed, looks_signed, looks_told, strength


def _looks_told_to_a_person(value: str) -> bool:
    """Accept a word that stands where a note has the password, unless it describes one."""
    return looks_told(value) and not describes(value) and not is_compound_adjective(value)


def _looks_joined(value: str) -> bool:
    """Accept what is more than a plain word, as a name or a place is."""
    return strength(value) >= Strength.JOINED and not is_compound_adjective(value)


def _looks_told_with_digit(value: str) -> bool:
    return looks_mixed(value) and any(map(str.isdigit, value))


def _looks_chosen_or_odd(value: str) -> bool:
    """Accept a word with a digit within it or two capitalised words: a product or a place has a number after its name."""
    is_leet = compiled(r".*[a-z][0-9][a-z].*|[A-Z][a-z]{2,}[_.!#$%&+~-][A-Z][a-z]{2,}").fullmatch(value)
    return (is_leet is not None and looks_mixed(value)) or looks_signed(value)


def _looks_like_master(value: str) -> bool:
    value = compiled(r"[ ](?:and|und|et|y|e|&)(?=[ ])").sub("", value.rstrip())
    return is_phrase(value) or looks_mixed(value)


# A device or a service, perhaps its host, and a user: one that is usual or dotted, or any.
_DEVICE = (
    r"(?i:login|zugang|access|account|wi-?fi|wlan|router|nas|server|portal|creds?|credentials|konto|compte|cuenta|accès|acceso|"
    r"switch|printer|drucker|bmc|ipmi|idrac|ilo|esxi|proxmox|jenkins|grafana|gitlab|nextcloud|unifi|camera|kamera|vpn|ftp|mail|smtp|admin)[\w -]{0,30}(?>[:：]|[ ](?:is|ist|as|mit|with|est|es))[ \t]{1,4}+(?:[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}(?::[0-9]{2,5})?[ \t]?/[ \t]?)?"
)
_USUAL_USER = r"(?>(?i:admin(?:istrator)?|root|guest|gast|pi|ubuntu|sa|postgres|deploy|service|user)|[\w@-]{0,30}+(?:\.[\w@-]{0,30}+){1,4}+)\Z"
_ANY_USER = r"[\w.@-]{2,40}\Z"
_TOLD = r"[^\s\"'/]{6,60}+(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;.(]))"
_WIDEST = 160


def _after_device(text: str, found: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the value after a slash, if a device or a service and a user stand before it."""
    value = compiled(_TOLD).match(text, found.end())
    if value and looks_told(value.group()):
        first = line_start(text, found.start(), _WIDEST)
        # With any other user the value must look like a password; in small letters it may be a branch or a program.
        least = Strength.CHOSEN if value.group() == value.group().lower() else Strength.WORDY
        user = _ANY_USER if strength(value.group()) >= least else _USUAL_USER
        if compiled(_DEVICE + user).search(text, first, found.start()):
            yield value.span()


LOGIN_PAIRS: tuple[SecretRule, ...] = (
    SecretRule(
        # A mail address and a password, side by side.
        "login-password",
        ("@",),
        r"@(?<=[A-Za-z0-9._+-]@)[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,40}+){1,4}+(?:[ \t]{1,4}+|[ \t]{0,4}+[,;|/–-][ \t]{0,4}+)(?P<value>[^\s\"',;|<>()]{8,60}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;|]))",
        looks_signed,
    ),
    SecretRule(
        "login-password",
        ("@",),
        r"@(?<=[A-Za-z0-9._+-]@)[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,40}+){1,4}+[\"'][ \t]{0,4}+[,:][ \t]{0,4}+[\"'](?P<value>[^\s\"']{6,60}+)[\"']",
        looks_mixed,
    ),
    SecretRule(
        # A user and a password after the word for both: credentials are lea:…
        "login-password",
        ("creds", "credentials", "zugangsdaten", "identifiants", "credenciales", "credenziali"),
        r"(?<![\w./-])(?i:creds|credentials|zugangsdaten|identifiants|credenciales|credenziali)(?>[ \t]?[:：=]|[ \t](?:are|is|sind|lauten|sont|son|sono))[ \t]{1,4}+"
        r"[\w.@+-]{2,60}+(?:[ \t]/[ \t]|[:/|])(?P<value>[^\s\"'/:]{6,60}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;.()]))",
        _looks_told_to_a_person,
    ),
    SecretRule(
        # A wireless network and its password: Wi-Fi: Blue Door / …
        "wifi-password",
        ("wifi", "wi-fi", "wlan", "ssid", "hotspot"),
        r"(?<![\w-])(?i:wi-?fi|wlan|ssid|hotspot)(?:[ \t][A-Za-z]{1,20}+)?+[ \t]?[:：][ \t]{1,4}+(?=[^\r\n/]{0,40}?[A-Za-z])[\w -]{2,40}?[ \t]?[/,|][ \t]{1,2}+(?P<value>[^\s\"'/,]{8,63}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;.()]))",
        _looks_told_to_a_person,
    ),
    *(
        SecretRule(
            # A user and a password in a sentence: log in as lea with …
            "login-password",
            (word,),
            in_any_case(word)
            + r"[ \t](?:(?!(?i:as|with|using|als|mit)[ \t])\w{1,12}+[ \t]){0,3}+(?i:as|with|using|als|mit)[ \t][\"'`]?[\w.@+-]{2,60}+[\"'`]?"
            r"[ \t](?i:and|with|using|und|mit|/)[ \t][\"'`]?(?P<value>(?:[^\s\"'`,;().]|\.(?=[^\s])){6,60}+)(?=[\s\"'`,;.)]|\Z)",
            _looks_told_with_digit,
        )
        for word in (
            "log in",
            "login",
            "log on",
            "logon",
            "sign in",
            "connect",
            "anmelden",
            "einloggen",
            "melde dich",
            "logg dich",
        )
    ),
    SecretRule(
        # The same with a place, and the password alone: wifi at the cabin: …
        "wifi-password",
        ("wifi", "wi-fi", "wlan"),
        r"(?<![\w-])(?i:wi-?fi|wlan)(?:[ \t][^\W\d_]{1,20}+){1,5}+[ \t]?[:：][ \t]{1,2}+(?P<value>[^\s\"'/,]{8,63}+)(?=[ \t]{0,8}+(?:\r?\n|\Z))",
        _looks_joined,
    ),
    *(
        SecretRule(
            # What somebody tried to get in: tried root with …
            "login-password",
            (word,),
            in_any_case(word, r"(?<![^\W\d_].)")
            + r"[ \t](?:(?i:as|with|als|mit|comme|avec|como|con|come)[ ])?[\"'`]?[\w.@+-]{2,60}+[\"'`]?[ ](?i:with|and|using|mit|und|avec|et|con|y|e|/)[ ][\"'`]?"
            r"(?P<value>(?:[^\s\"'`,;().]|\.(?=[^\s])){7,60}+)(?=[\s\"'`,;.)]|\Z)",
            _looks_chosen_or_odd,
        )
        for word in (
            "tried",
            "try",
            "logged in",
            "signed in",
            "probiert",
            "versucht",
            "angemeldet",
            "essayé",
            "connecté",
            "probé",
            "intenté",
            "entré",
            "provato",
            "entrato",
            "inlogad",
            "zalogowałem",
            "вошёл",
            "вошел",
        )
    ),
    SecretRule(
        # A device or a service, a user and a password: NAS: root / …
        "login-password",
        (" / ", " // "),
        r" //? ",
        anything,
        values=_after_device,
    ),
    SecretRule(
        # A user that administers something, whatever its name begins with: telecomadmin / …
        "login-password",
        ("admin / ", "root / ", "user / "),
        r"[AaRrUu](?>(?<=[Aa])(?i:dmin)|(?<=[Rr])(?i:oot)|(?<=[Uu])(?i:ser))[ ]/[ ](?P<value>[^\s\"'/|<>(){}\[\],，;；]{6,60}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,，;；。.()]))",
        looks_signed,
        inside=True,
    ),
    SecretRule(
        # A well-known user and a password: root/…
        "login-password",
        tuple(user + sign for user in ("root", "admin", "administrator", "cisco", "ubnt", "sa") for sign in "/:"),
        r"(?<![\w./@-])(?i:root|admin(?:istrator)?|cisco|ubnt|sa)[/:](?P<value>[^\s\"'/:@|<>(){}\[\],;]{8,60}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;.()]))",
        looks_chosen,
    ),
    SecretRule(
        # A service, a mail address and a password: Films: lea@example.org / …
        "login-password",
        ("@",),
        r"[:→|–-][ \t]{1,3}+[\w.+-]{1,64}+@[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,40}+){1,4}+[ \t](?:[/|→]|->)[ \t](?P<value>[^\s\"',;|<>()/]{6,60}+)(?=[ \t]{0,8}+(?:\r?\n|\Z|[,;|.]))",
        _looks_joined,
    ),
    SecretRule(
        # What opens a store of passwords: Bitwarden master: …
        "master-password",
        ("master", "main password", "main pw"),
        r"(?>(?i:keepass(?:xc|dx)?|(?:bit|vault)warden|1password|lastpass|dashlane|enpass|nordpass|proton pass|keychain|passwor[dt][ -]?(?:manager|safe|store|vault)|vault))(?:['’]s)?+[ _-]"
        r"(?>(?i:master|main)(?:[ _-]?(?i:pw|password|passwort|pass|phrase|passphrase))?)(?>[ ]?(?:[:=：→]|->|–)[ ]{0,2}|[ ](?:is|ist|now|war|was)[ ])[\"'“]?+"
        r"(?P<value>(?:[^\s\"'“”,;().!]|[.!](?=\w))(?:[^\r\n\"'“”,;().!]|[.!](?=\w)){5,80}+)",
        _looks_like_master,
        inside=True,
    ),
    SecretRule(
        # A community of SNMP; that of the defaults is no secret.
        "config-password",
        ("community",),
        r"(?i:snmp[^\r\n]{0,8}?[ _-]community(?:[ _-]string)?|community[ _-]string)[ \t]{0,2}+(?:[:=]|is\b)?[ \t]{1,4}+[\"'`]?(?P<value>[^\s\"'`,;.]{5,60}+)(?=[\"'`.\s,;]|\Z)",
        _looks_told_to_a_person,
    ),
)
