"""Secrets that are recognised by their name: assignments in code, configuration, environments and sentences."""

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import (
    anything,
    argument,
    assigned_password,
    bare_password,
    continued,
    credential,
    maker_key,
    password,
    quoted_password,
    quoted_secret,
    random_looking,
    spoken_password,
    strong_credential,
    unnamed_key,
)
from satchel.domain.safety.secret_rule import SecretRule, in_any_case
from satchel.domain.safety.value_strength import looks_mixed

# A quote, perhaps escaped or an HTML entity.
QUOTE = r"(?:\\{0,3}+[\"'`]|&(?:quot|apos|#0?3[49]|#x2[27]);)"
# Functions around a literal.
_WRAPPED = (
    r"(?:new[ \t](?=[A-Z]))?(?:\((?:\s{0,20}+)|\[\]byte\(|(?:[A-Za-z_.:]{0,30}(?:fromhex|unhexlify|b64decode|base64_decode|decode|SecretStr|SecretString|Some|"
    r"String|bytes|str|Buffer\.from|encode|from_str|valueOf|Secret|Password|::new|::from)\(\s{0,4}+))?"
)
_TYPE = r"(?:[ \t]{0,4}+:?[ \t]{0,4}+&?(?:'static )?(?:str|String|string|bytes|Text|char\*?|Final|SecretStr)\??(?=[ \t]{0,4}=)|[ \t](?i:as)[ \t](?i:string|object)(?=[ \t]{0,4}=))?"
# A word, and another literal after it.
_NAME_IN_LIST = r"[\"'][A-Za-z_.?!/-]{1,60}[\"']\s{0,4},\s{0,40}[\"'][^\"'\r\n]{0,60}[\"']\s{0,4}[,\])}]"
_OPERATOR = (
    r"(?:[ \t]{0,20}+(?:::?=|=>|<-|\|\|=|[!=]?={1,3}|:(?!:)[-=]?|：|\?=)[ \t]{0,20}+(?:[|>][+-]?[ \t]{0,4}+\r?\n[ \t]{1,20}+)?"
    # A default after a look-up of the environment.
    rf"|[ \t]{{0,4}}+(?:\|\||\?\?|\?:|\bor\b)[ \t]{{0,4}}+(?=[@bruf]{{0,2}}{QUOTE})"
    rf"|\.(?:unwrap_or(?:_else)?|orElse|getOrElse|or_else|get_or)\((?:\|_?\|[ \t]?)?(?={QUOTE})"
    # The next literal of a call or a pair, not of a list of names.
    rf"|(?<=[\"'`])\s{{0,4}}+,\s{{0,10}}+(?!{_NAME_IN_LIST})(?:(?:default|defaultValue|fallback)[ \t]{{0,2}}+[=:][ \t]{{0,2}}+)?(?=@?[bruf]{{0,2}}{QUOTE})"
    # Clojure, C macros and the like: a blank and a literal.
    rf"|(?:[ \t]|\\t){{1,20}}+(?:to[ \t]{{1,4}}+)?(?=@?{QUOTE})"
    r"|%3[Dd]|&#(?:61|x3[Dd]);|<[^<>]{0,40}+>|>[ \t]{0,8}+)"
)
# Between a name and its value, in JSON, YAML, shell, INI, XML, code and logs.
BETWEEN = rf"(?>(?:{QUOTE}|[\])]){{0,3}}+{_TYPE}{_OPERATOR}{_WRAPPED})"
# A quote within a quoted value is escaped, as in code and JSON, or doubled, as in YAML and SQL.
_QUOTE_WITHIN = "".join(
    rf"(?<!\\){quote}(?P<{name}>[^{quote}\\\r\n]{{1,60}}+(?:(?:\\[^rnt\r\n]|{quote}{quote}(?=[^{quote}\s,;)}}\]]))[^{quote}\\\r\n]{{0,40}}+){{1,6}}+){quote}|"
    for quote, name in (('"', "double_within"), ("'", "single_within"))
)
# An unquoted value ends at the next blank or closing mark, a quoted one at its quote.
QUOTED = (
    rf"@?[bruf]{{0,2}}(?:{_QUOTE_WITHIN}"
    r"\\{0,3}+\"(?P<double>(?:[^\"\\\r\n]|\\[^\"'rnt\r\n]){4,400}+)\\{0,3}+\""
    r"|\\{0,3}+'(?P<single>(?:[^'\\\r\n]|\\[^\"'rnt\r\n]){4,400}+)\\{0,3}+'"
    r"|(?:\"{3}|'{3})(?P<triple>[^\"'\s]{4,400}+)"
    r"|`(?P<tick>[^`\r\n]{4,400}+)`"
    r"|&(?:quot|apos|#0?3[49]|#x2[27]);(?P<entity>(?:[^&\s]|&(?:amp|lt|gt|#[0-9]{2,3});){4,400}+))"
)
BARE = r"(?P<bare>[^\s\"'`,;<>(){}\[\]\\|&]{4,400}+)(?![(\[])"
VALUE = f"(?:{QUOTED}|{BARE})"
# After the name: nothing, or a qualifier. Anything else makes it another word (tokenizer, secretary).
REST = (
    r"(?i:[_.-]?(?:value|val|string|text|plain|plaintext|base64|b64|hex|prod|production|dev|test|staging|live|master|root|admin|"
    r"base|default|old|new|enc|[0-9]{1,3})(?![A-Za-z])){0,2}+"
)
# A name in one attribute, the value in the next: XML, Kubernetes, Terraform.
_NEXT_ATTRIBUTE = (
    rf"(?>{QUOTE}?[\s,;{{]{{0,24}}+(?:(?:type|description|sensitive)[ \t]{{0,8}}+=[^\r\n]{{0,80}}+\s{{0,20}}+){{0,3}}+"
    rf"{QUOTE}?(?i:value|default|content){QUOTE}?\s{{0,4}}+[:=]\s{{0,4}}+){VALUE}"
)

_SECRET_NAMES = (
    ("secret", r"[Ss](?<!:.)(?<!checksum/.)(?i:ecret(?:[ _.-]?(?:access[ _.-]?)?key)?)(?![A-Za-z])"),
    ("token", r"[Tt](?<!(?i:publickey).)(?i:oken)(?![A-Za-z])"),
    ("cred", r"[Cc](?i:red(?:ential)?s?)(?![A-Za-z])"),
    ("auth", r"[Aa](?i:uth(?:entication)?)(?![A-Za-z])"),
)
PASSWORD_WORDS = ("pass", "pw", "psw", "swd", "swor", "swrd")
PASSWORD_NAMES = (
    r"[Pp](?:(?i:assw(?:ord|d|ort|rd)|assphrase|asskey)|(?:(?<![A-Za-z].)|(?<=[a-z]P))(?i:asscode|[as]{0,3}+(?:wo?r?d|w)))"
    r"(?![A-Za-z])"
)
# "pass" alone is an ordinary word: only as part of a name, or with an equals sign.
PASS = (
    r"[Pp](?i:ass)(?<!(?i:com)....)(?<!(?i:sur)....)(?<!(?i:by)....)(?![A-Za-z])(?:(?<=[_.-]....)|(?<=[a-z]P...)|(?<=(?i:db|my)....)|(?<=(?i:user|root|smtp)....)|"
    r"(?<=(?i:admin|mysql|login)....)|(?=[\"']{0,2}[ \t]{0,4}(?:=|:[ \t]{0,2}[\"'])))"
)
# Both begin with the same letter, which the regex engine finds much faster outside the group.
ANY_PASSWORD_NAME = f"[Pp](?>{PASSWORD_NAMES.removeprefix('[Pp]')}|{PASS.removeprefix('[Pp]')})"
_KEY_QUALIFIERS = [
    "api", "access", "auth", "secret", "signing", "signature", "encryption", "encrypt", "private", "account",
    "master", "shared", "storage", "service", "session", "license", "licence", "client", "consumer", "deploy",
    "webhook", "bot", "app", "application", "integration", "personal", "rest", "admin", "subscription", "security",
    "crypto", "hmac", "jwt", "aes", "rsa", "ssh", "gpg", "pgp", "db", "database", "redis", "project", "developer",
    "dev", "prod", "user", "cipher", "symmetric", "preshared", "base", "root", "write", "read", "server", "publish",
    "management", "ingest", "host", "cookie", "routing",
    "sign", "merchant", "push", "sms", "decryption", "decrypt",
]  # fmt: skip
_QUALIFIED = "|".join(rf"(?<=(?i:{word})[Kk]..)|(?<=(?i:{word})[ _.-][Kk]..)" for word in _KEY_QUALIFIERS)
_KEY = r"[Kk](?i:ey)s?(?![A-Za-z])"
_NOT_SECRET_KEYS = [
    "public", "pub", "primary", "foreign", "cache", "partition", "sort", "object", "idempotency", "index",
    "idx", "row", "column", "natural", "schema", "sequence", "composite", "surrogate", "unique", "group", "order",
    "site", "publishable", "map", "dict", "json", "config", "registry", "answer", "hot", "turn", "tur", "mon", "don",
]  # fmt: skip
_HARMLESS_KEY = "".join(rf"(?<!(?i:{word})[Kk]..)(?<!(?i:{word})[ _.-][Kk]..)" for word in _NOT_SECRET_KEYS)
# Makers whose keys have no form of their own: a variable with the name and a random value is enough.
_MAKERS = [
    "adafruit", "adobe", "airtable", "algolia", "asana", "beamer", "bittrex", "cohere", "coinbase", "confluent",
    "datadog", "droneci", "dropbox", "etsy", "fastly", "finicity", "finnhub", "flickr", "freshbooks", "gitter",
    "gocardless", "hubspot", "intercom", "jfrog", "kraken", "kucoin", "launchdarkly", "linkedin", "looker",
    "mailchimp", "mailgun", "mapbox", "mattermost", "maxmind", "meraki", "messagebird", "nytimes", "okta", "plaid",
    "rapidapi", "sendbird", "snyk", "squarespace", "sumologic", "travisci", "trello", "twilio", "twitch", "vercel",
    "zendesk", "mistral", "deepgram", "assemblyai", "pagerduty", "opsgenie", "rollbar", "bugsnag", "cloudflare",
    "linode", "vultr", "hetzner", "scaleway", "sonar", "linear", "facebook", "discord", "telegram",
    "stripe", "square", "netlify", "heroku", "sendgrid", "spotify", "reddit", "codecov", "contentful", "newrelic", "sentry",
    "shopify", "yandex",
]  # fmt: skip
_FOREIGN_WORDS = [
    "密碼", "密码", "口令", "金鑰", "密钥", "密鑰", "秘钥", "秘鑰", "令牌", "權杖", "通行碼", "通行码", "パスワード", "暗証番号", "비밀번호", "암호", "пароль",
    "contraseña", "contrasena", "clave", "senha", "passwort", "kennwort", "wachtwoord", "parola", "hasło", "heslo",
    "lösenord", "şifre", "salasana",
]  # fmt: skip


def _is_app_key(value: str) -> bool:
    """Accept an id that is made like a key: 32 hexadecimal digits, or random letters of both cases."""
    is_key = compiled(r"[0-9a-f]{32}|[A-Za-z0-9_-]{20,64}").fullmatch(value) is not None
    return is_key and strong_credential(value)


NAMED_SECRETS: tuple[SecretRule, ...] = (
    SecretRule("password", PASSWORD_WORDS, f"{PASSWORD_NAMES}{REST}{BETWEEN}{QUOTED}", quoted_password, inside=True),
    SecretRule("password", PASSWORD_WORDS, f"{PASSWORD_NAMES}{REST}{BETWEEN}{BARE}", bare_password, inside=True),
    SecretRule("password", ("pass",), f"{PASS}{REST}{BETWEEN}{QUOTED}", quoted_password, inside=True),
    SecretRule("password", ("pass",), f"{PASS}{REST}{BETWEEN}{BARE}", bare_password, inside=True),
    SecretRule("password", PASSWORD_WORDS, f"{ANY_PASSWORD_NAME}{_NEXT_ATTRIBUTE}", quoted_password, inside=True),
    SecretRule(
        # What an agent or a test types into a field: {"selector": "#pw", "text": "…"}.
        "password",
        PASSWORD_WORDS,
        rf"{ANY_PASSWORD_NAME}(?>{QUOTE}?[\s,;)\]}}{{]{{0,24}}+{QUOTE}?(?i:text|keys|input|typed?|string|data|fill|val){QUOTE}?\s{{0,4}}+[:=]\s{{0,4}}+){QUOTED}",
        looks_mixed,
        inside=True,
    ),
    SecretRule("password", ("psk", "rpcpass"), rf"(?:[Pp](?i:sk)|rpcpassword){BETWEEN}{VALUE}", password),
    SecretRule("secret", ("secret",), f"{_SECRET_NAMES[0][1]}{REST}{BETWEEN}{QUOTED}", quoted_secret, inside=True),
    *(
        SecretRule("secret", (word,), f"{name}{REST}{BETWEEN}{VALUE}", credential, inside=True)
        for word, name in _SECRET_NAMES
    ),
    *(
        SecretRule("secret", (word,), f"{name}{_NEXT_ATTRIBUTE}", quoted_secret, inside=True)
        for word, name in _SECRET_NAMES
    ),
    SecretRule("named-key", ("key",), f"{_KEY}(?>{_QUALIFIED}){REST}{BETWEEN}{QUOTED}", quoted_secret, inside=True),
    SecretRule("named-key", ("key",), f"{_KEY}(?>{_QUALIFIED}){REST}{BETWEEN}{VALUE}", credential, inside=True),
    SecretRule("named-key", ("key",), f"{_KEY}(?>{_QUALIFIED}){_NEXT_ATTRIBUTE}", credential, inside=True),
    SecretRule("key", ("key",), f"{_KEY}{_HARMLESS_KEY}{REST}{BETWEEN}{VALUE}", unnamed_key, inside=True),
    SecretRule(
        "key",
        ("nonce", "salt"),
        # A page's own scripts carry a nonce, which is not secret: nonce="…"
        rf"(?![Nn]once=\")[NnSs](?i:once|alt)(?![A-Za-z]){REST}{BETWEEN}{VALUE}",
        strong_credential,
        inside=True,
    ),
    # What a service calls the key of whoever calls it: params: {appid: "…"}
    SecretRule(
        "app-id",
        ("appid", "app_id", "app-id"),
        rf"[Aa](?i:pp[_-]?id)(?![A-Za-z]){BETWEEN}{VALUE}",
        _is_app_key,
        inside=True,
    ),
    SecretRule(
        # The pair of keys of a cloud: ak=…, sk=…
        "named-key",
        ("ak=", "sk=", "ak:", "sk:", 'ak"', 'sk"', "ak'", "sk'"),
        rf"[AaSs](?<![A-Za-z0-9_-].)[Kk](?![A-Za-z]){BETWEEN}{VALUE}",
        strong_credential,
        inside=True,
    ),
    SecretRule("access-token", ("pat",), rf"[Pp](?i:at)(?<=[_.-]...)(?![A-Za-z]){BETWEEN}{VALUE}", strong_credential),
    *(
        SecretRule(
            "maker-key",
            (maker,),
            rf"[{maker[0].upper()}{maker[0]}](?<![A-Za-z].)(?i:{maker[1:]})[A-Za-z_.-]{{0,20}}+(?<!(?i:id))(?<!(?i:url))(?<!(?i:host)){BETWEEN}{VALUE}",
            maker_key,
        )
        for maker in _MAKERS
    ),
    SecretRule(
        "vendor-id",
        ("sumo", "sonar", "messagebird"),
        rf"[SsMm](?>(?i:umo(?:logic)?|onar|essagebird))[A-Za-z_.-]{{0,20}}(?i:access[_.-]?id|client[_.-]?id|login){BETWEEN}{VALUE}",
        random_looking,
    ),
    SecretRule(
        "license-key",
        ("activation", "licen", "product", "serial"),
        rf"[AaLlPpSs](?i:ctivation|icen[sc]e|roduct|erial)[ _-]?(?i:key|code|number){BETWEEN}[\"']?"
        r"(?P<value>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}+){2,6}+)(?![A-Za-z0-9-])",
        anything,
    ),
    SecretRule(
        "contribsys-key",
        ("contribsys",),
        rf"BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM{BETWEEN}[\"']?(?P<value>[0-9a-f]{{8}}:[0-9a-f]{{8}})(?![0-9a-f])",
        anything,
    ),
    SecretRule(
        "byte-array",
        ("key", "secret", "salt", "nonce", "passw"),
        r"[KkSsNnPp](?i:ey|ecret|alt|once|assw(?:or)?d)[A-Za-z0-9_]{0,12}(?:\[[0-9]{0,4}+\])?+[\"']?\s{0,4}+[:=]{0,2}+\s{0,4}+(?:\[\]byte|bytes\()?\s{0,2}+[{\[]"
        r"(?P<value>\s{0,4}+(?:(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})\s{0,10}+,\s{0,10}+){7,200}+(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3}|\\))",
        anything,
        inside=True,
    ),
    SecretRule(
        "signing-key",
        ("jwt.", "hmac", "fernet("),
        r"(?:jwt\.(?:sign|encode|verify|decode)\([^,\r\n]{1,80}+,|hmac\.new\(|createHmac\([^,\r\n]{1,40}+,|Fernet\()\s{0,8}+"
        r"b?[\"'`](?P<value>[^\"'`\r\n]{8,200}+)[\"'`]",
        argument,
        inside=True,
    ),
    SecretRule(
        "constructor-password",
        (
            "networkcredential",
            "directoryentry",
            "httpbasicauth",
            "httpdigestauth",
            "ftp(",
            "ftp_tls(",
            "sequelize",
            "basicauth",
            "setbasicauth",
            "getconnection",
            "pdo(",
            "credentials(",
            "withcredentials(",
            "setcredentials(",
            "mysqli",
            "mysql_connect",
            "mysqli_connect",
            "mysql_pconnect",
            "dbi",
            "usernamepassword",
            "basicawscredentials",
            "auth=",
            "auth =",
            "login(",
            'login "',
            "login '",
            "basic_auth",
            "pscredential",
        ),
        # A user and a password as arguments, perhaps after a host.
        r"(?i:NetworkCredential|DirectoryEntry|(?:HTTP)?(?:Basic|Digest)_?Auth(?:entication)?|getConnection|PDO|(?:With|Set)?Credentials|mysqli|mysqli?_p?connect|DBI(?:->|\.)connect|UsernamePassword[A-Za-z]{0,16}|"
        r"BasicAWSCredentials|FTP(?:_TLS)?|Sequelize|auth ?= ?|login|PSCredential)(?:\(\s{0,8}+|[ \t]{1,4}+(?=[\"']))(?:\$?[\w.]{1,40}+,\s{0,20}+(?=[\"']))?+(?:[\"'][^\"'\r\n]{1,100}+[\"']\s{0,8}+,\s{0,20}+){1,2}+"
        r"[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']",
        quoted_password,
    ),
    SecretRule(
        # A user and a password: Authenticate("lea", "…"), new Credentials("lea", "…").
        "constructor-password",
        (
            "authenticate",
            "credential(",
            "credentials(",
            "logon",
            "log_on",
            "signin",
            "sign_in",
            "simple_bind",
            "basic(",
        ),
        r"(?i:authenticate(?:d|_user|user|async)?|credentials?|log_?on(?:async)?|sign_?in(?:_with_password|withpassword|user)?|simple_bind(?:_s)?|basic)"
        r"\(\s{0,8}+(?:[\"'][^\"'\r\n]{1,100}+[\"']\s{0,8}+,\s{0,20}+){1,2}+[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']\s{0,8}+[,)]",
        looks_mixed,
        inside=True,
    ),
    SecretRule(
        # A user and a password in a list: auth: ['lea', '…']
        "constructor-password",
        ("auth:", "auth=", "auth =", 'auth"', "auth'"),
        r"(?<![\w.-])(?i:auth|basic_auth)[\"']?\s{0,2}+[:=]\s{0,2}+[\[(]\s{0,4}+[\"'][^\"'\r\n]{1,60}+[\"']\s{0,2}+,\s{0,4}+[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']\s{0,4}+[\])]",
        looks_mixed,
    ),
    SecretRule(
        # What a variable stands for if it is not set: ${DB_PASS:-…}, ${db.password:…}
        "password",
        ("${",),
        r"\$\{[\w.-]{0,60}?(?i:password|passwd|passphrase|pass|pwd|pw|secret|token)(?::-|:|-)(?P<value>[^\s{}$\"']{4,200}+)\}",
        assigned_password,
    ),
    SecretRule(
        # What is typed into a field: find("password").send_keys("…"), fill("#password", "…").
        "password",
        PASSWORD_WORDS,
        rf"{ANY_PASSWORD_NAME}[\"'\])]{{1,4}}+\.(?i:send_?keys|type|fill|set(?:_?value)?|val|input|enter)\([bruf]?[\"'](?P<value>[^\"'\r\n]{{4,100}}+)[\"']",
        quoted_password,
        inside=True,
    ),
    SecretRule(
        # A call that sets it: setPassword("…"), with_password('…').
        "password",
        ("passw", "passphrase"),
        r"[Pp](?<=(?i:set)[Pp])(?i:assword|assphrase)\(\s{0,8}+b?[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']\s{0,8}+\)"
        r"|[Pp](?<=(?i:set|ith|use)_[Pp])(?i:assword|assphrase)\(\s{0,8}+b?[\"'](?P<other>[^\"'\r\n]{4,100}+)[\"']\s{0,8}+\)",
        quoted_password,
        inside=True,
    ),
    SecretRule(
        # With a domain after the password.
        "constructor-password",
        ("networkcredential",),
        r"NetworkCredential\(\s{0,8}+[\"'][^\"'\r\n]{1,100}+[\"']\s{0,8}+,\s{0,20}+[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']",
        quoted_password,
    ),
    SecretRule(
        # In Java passwords are arrays of characters.
        "password",
        ("tochararray",),
        r"\"(?P<value>[^\"\r\n]{4,100}+)\"\.toCharArray\(\)",
        quoted_password,
        inside=True,
    ),
    SecretRule(
        "continued",
        ("[redacted:",),
        # The next line of a literal that was masked: "…" "…", '…' + '…', or a backslash at the end of the line.
        r"\[redacted:[a-z0-9-]{1,40}\][\"'`](?:[ \t]{0,8}+(?:[+.&]|\\|\+[ \t]{0,4}\\)?[ \t]{0,8}+\r?\n[ \t]{0,40}+[+.]?[ \t]{0,4}+|[ \t]{0,8}+[+.][ \t]{0,8}+)"
        r"[bruf]?[\"'`](?P<value>[^\"'`\\\r\n]{4,400}+)[\"'`]",
        continued,
    ),
    *(
        SecretRule(
            "spoken-secret",
            (word,),
            rf"{name}\s{{1,4}}+(?:is|was)[ :]{{1,4}}+[\"'`]?(?P<value>[^\s\"'`<>,;&]{{8,200}}+)",
            credential,
        )
        for word, name in (
            ("token", r"[Tt](?<![A-Za-z].)(?i:oken)"),
            ("secret", r"[Ss](?<![A-Za-z].)(?i:ecret(?:[ _-]?key)?)"),
            ("api", r"[Aa](?<![A-Za-z].)(?i:pi[ _-]?key)"),
            ("access", r"[Aa](?<![A-Za-z].)(?i:ccess[ _-]?key)"),
            ("key", r"[Kk](?<![A-Za-z].)(?i:ey)"),
        )
    ),
    SecretRule(
        "spoken-password",
        ("pass", "pwd", "pw", "psk"),
        r"[Pp](?<![A-Za-z].)(?<!(?i:boarding ).)(?i:assword|asswd|assphrase|asscode|ass|wd|w|sk(?<!-...))(?![A-Za-z_])(?:[ \t]{0,2}+[.…·|]{1,60}+|[ \t]{5,40}+|</t[dh]>\s{0,8}+<t[dh][^<>]{0,60}+>|\s{1,4}+(?:for|of|to|on)(?:\s{1,4}+[^\s:]{1,40}+){1,5}?"
        r"\s{0,4}+(?:is|was|=|:|：)|\s{0,20}+(?:is|was|=|:|：|-{1,6}>?|→)|)\s{0,4}+[\"'`「“]?(?P<value>[^\s\"'`<>，。；、」”,;]{6,100}+)",
        spoken_password,
    ),
    SecretRule(
        "spoken-password",
        ("pass",),
        # In quotes it need not look like a password.
        r"[Pp](?<![A-Za-z].)(?i:assword|assphrase|asscode)(?:\s{1,4}+(?:for|of|to|on)(?:\s{1,4}+[^\s:]{1,40}+){1,5}?)?"
        r"\s{1,4}+(?:is|was)\s{1,4}+[\"'`“「](?P<value>[^\s\"'`“”「」]{4,60}+)[\"'`”」]",
        password,
    ),
    SecretRule(
        "spoken-password",
        ("as the pass", "as pass", "as your pass", "as my pass", "as a pass"),
        r"[^\s\"'`<>]{6,100}+(?=[\"'`]?\s{1,4}+as\s{1,4}+(?:(?:the|your|my|our|a)\s{1,4}+)?(?:\w{1,20}\s{1,4}+)?pass(?:word|phrase|code))",
        spoken_password,
    ),
    SecretRule(
        "spoken-password",
        ("login", "credential", "creds"),
        r"[LlCc](?<![A-Za-z/.@-].)(?i:ogins?|redentials?|reds)(?!\.)[ \t]{0,4}+[:：]?[ \t]{0,4}+[^\s:/|\"']{1,60}+[ \t]{0,4}+[:/|][ \t]{0,4}+(?P<value>[^\s\"'`<>，。,;]{6,100}+)",
        spoken_password,
    ),
    # One rule for each word: a text has few of them.
    *(
        SecretRule(
            "spoken-password",
            (word,),
            rf"{in_any_case(word)}(?:\s{{0,4}}+(?:is|ist|est|es|é|это|=|:|：|是|为|為|は|는|은|[:：]?))\s{{0,4}}+[\"'`「“]?"
            r"(?P<value>[^\s\"'`<>，。；、」”,;\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{6,100}+)",
            spoken_password,
        )
        for word in (*_FOREIGN_WORDS, "mot de passe")
    ),
)
