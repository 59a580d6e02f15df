"""Secrets on command lines, in HTTP headers and in URLs."""

from satchel.domain.safety.named_secrets import QUOTE
from satchel.domain.safety.secret_checks import (
    anything,
    argument,
    assigned_password,
    credential,
    login_token,
    quoted_password,
    random_looking,
    spoken_password,
    strong_credential,
    url_password,
)
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.value_strength import looks_mixed, looks_signed

# The arguments between a program and one of its options.
_ARGUMENTS = r"(?:[ \t]{1,8}+[^\s|;&]{1,120}+){0,12}?"
# People paste an ampersand unquoted, which a shell would not take for a part of the word.
_WORD = r"(?:\"(?P<double>[^\"\r\n]{4,200}+)\"|'(?P<single>[^'\r\n]{4,200}+)'|(?P<word>(?=[^\s\"'`<>|;]{4})[^\s\"'`<>|&;]{1,200}+(?:&(?=\w)[^\s\"'`<>|&;]{1,100}+){0,3}+))"
# Programs that read a key, and a key in hexadecimal digits or base64.
_KEY_PROGRAMS = (
    r"(?<![\w.-])(?:cryptsetup|luks\w{3,12}+|veracrypt|zfs[ \t](?:load-key|create|change-key)|systemd-creds|dislocker|fscrypt|ecryptfs\S{0,20}+|"
    r"wg[ \t](?:set|pubkey)|r?age[ \t]-\w|gpg|openssl[ \t](?:enc|dgst|mac)|keyctl|dmsetup|bioctl|geli|bdeinfo|tpm2_\w{3,20}+)(?![\w])"
)
_KEY = r"[\"']?+(?P<value>[A-Za-z0-9+/_-]{32,128}+={0,2}+)(?![A-Za-z0-9+/=])"
_PRINTED = (
    r"(?:(?:echo|printf)(?:[ \t]{1,4}+-[a-z]{1,3}+|[ \t]{1,4}+[\"']?%s(?:\\n)?[\"']?){0,2}+[ \t]{1,4}+|<<<[ \t]{0,4}+)"
)
_HEADER_VALUE = r"(?P<value>[A-Za-z0-9._~+/=:-]{12,4000}+)"


def _option(programs: str, option: str, *keywords: str) -> SecretRule:
    """Return the rule for a password after an option of some programs."""
    heads = "|".join(f"[{name[0].upper()}{name[0]}](?i:{name[1:]})" for name in programs.split("|"))
    return SecretRule(
        "password-option",
        keywords or tuple(programs.split("|")),
        rf"(?:{heads})(?![A-Za-z0-9])(?:\.[Ee][Xx][Ee])?{_ARGUMENTS}{option}{_WORD}",
        argument,
    )


COMMAND_SECRETS: tuple[SecretRule, ...] = (
    SecretRule(
        "url-password",
        ("://",),
        r"://(?<=[A-Za-z0-9+.-]://)(?!(guest|postgres|root|admin|user|test):\1@)[^\s:/\"'<>`\[\]@]{0,80}+(?:@[^\s:/\"'<>`\[\]@]{1,60}+)?:(?P<value>[^\s/@\"'<>`\[\]]{3,200}+)@",
        url_password,
    ),
    SecretRule(
        "url-token",
        ("://",),
        r"://(?P<value>[A-Za-z0-9_.~-]{16,200}+)(?::x-oauth-basic|:)?@",
        strong_credential,
    ),
    SecretRule(
        "url-password", ("jdbc:oracle",), r"jdbc:oracle:thin:[^/\s@]{1,80}+/(?P<value>[^@\s\"']{3,80}+)@", url_password
    ),
    SecretRule(
        "connection-password",
        ("@",),
        # Without a scheme: user:…@tcp(host), user/…@host:1521/service.
        r"[:/](?<=[A-Za-z0-9_][:/])(?P<value>@?[^\s\"'@/]{3,100}+)@(?:(?:tcp|unix)\(|//|[A-Za-z0-9.-]{1,60}+:[0-9]{2,5}/)",
        looks_mixed,
    ),
    SecretRule(
        "login-password",
        ("@",),
        # A mail address and what it logs in with: lea@example.org:…
        r"@(?<=[A-Za-z0-9._+-]@)[A-Za-z0-9.-]{1,80}+:(?P<value>[^\s\"'@/:|<>]{6,100}+)(?![@/:])",
        looks_signed,
    ),
    SecretRule(
        "connection-password",
        ("uid", "user"),
        r"[Uu](?i:id|ser(?:name|[ _]?id)?)[ \t]{0,4}+=[ \t]{0,4}+[^;\s\"']{1,100}+;(?:[ \t]{0,4}+[A-Za-z ]{1,40}+=[^;\r\n]{0,100}+;){0,4}?"
        r"(?>\s{0,4}+[\"']?[\s&+]{0,6}+[\"']?)[Pp](?i:assword|wd)[ \t]{0,4}+=[ \t]{0,4}+(?P<value>[^;\s\"'{}$<]{3,100}+)",
        url_password,
    ),
    SecretRule(
        "url-parameter",
        ("?", "&"),
        r"[?&;](?i:(?:x-)?sig|code|(?:x-(?:amz|goog)-)?signature|x-amz-security-token|[a-z_-]{0,20}token|[a-z_-]{0,20}key|auth|app[_-]?(?:id|code|secret))="
        r"(?P<value>[A-Za-z0-9%+/_.~-]{16,2000}+)",
        strong_credential,
    ),
    SecretRule(
        # A link that lets whoever has it in, whatever its parameter is called.
        "login-link",
        ("://",),
        r"://[^\s/?#]{1,80}+(?=[^\s]{0,60}?(?i:reset|verif|confirm|invit|magic|activat|log-?in|sign-?in|auth|share|download|token))[^\s\"'<>]{0,120}"
        r"[/?&=](?P<value>[A-Za-z0-9_%.~-]{20,400}+)(?![A-Za-z0-9/])",
        login_token,
    ),
    SecretRule(
        # A wireless network as a square code holds it.
        "wifi-password",
        ("wifi:",),
        r"WIFI:(?:[A-Z]:(?:[^;\\\r\n]|\\.){0,80}+;){0,4}?P:(?P<value>(?:[^;\\\r\n]|\\.){4,80}+);",
        anything,
    ),
    SecretRule(
        # A plain word after the option, if the line has other options: -u lea --password …
        "password-option",
        ("-pass",),
        r"[ \t]--?[A-Za-z][A-Za-z-]{0,20}+[^\r\n]{0,80}?[ \t]--?(?:password|passwd|passphrase)[ \t]{1,4}+(?P<value>[^\s\"'`<>|&;$-][^\s\"'`<>|&;]{5,100}+)(?=[ \t]{1,4}(?:-|[a-z]{2,8}://|[^\s]{0,40}[./])|[ \t]{0,8}+(?:\r?\n|\Z))",
        assigned_password,
    ),
    SecretRule(
        # The word after a user or before one: user lea using …, … /user:lea.
        "password-option",
        (" using ", " /user:"),
        r"[ \t]user[ \t][\w.-]{1,40}+[ \t]using[ \t](?P<value>[^\s\"';]{4,100}+)"
        r"|net[ \t]use[^\r\n]{0,80}?[ \t](?P<before>[^\s\"':\\/]{6,100}+)[ \t]/user:",
        looks_mixed,
    ),
    SecretRule(
        "password-option",
        ("obscure", "unlock ", "kv put", "write secret", "sqlplus"),
        r"(?:rclone[ \t]obscure|(?:bw|rbw|lpass|op)[ \t]unlock|(?:kv[ \t]put|vault[ \t]write)[ \t][^\s]{1,80}+[ \t][\w-]{1,40}+=|sqlplus[ \t](?:-[A-Z][ \t])?[\w.]{1,40}+/)[ \t]?"
        r"[\"']?(?P<value>[^\s\"'@$<-][^\s\"'@]{4,100}+)",
        argument,
    ),
    SecretRule(
        # A phrase that a program reads: echo '…' | cryptsetup
        "password-option",
        ("echo ", "printf "),
        r"(?:echo|printf)(?:[ \t]{1,4}+-[a-z]{1,3}+){0,2}+[ \t]{1,4}+[\"'](?P<value>[^\"'|$\r\n]{6,100}+)[\"'][ \t]{0,4}+\|[ \t]{0,4}+"
        r"(?:sudo[ \t])?(?:cryptsetup|gpg2?|openssl[ \t](?:enc|aes|rsa|pkcs)|age|restic|borg|kinit|passwd|chpasswd|zfs|veracrypt|keepassxc-cli|su|sudo|ssh-add|docker[ \t]login|smbpasswd)(?![a-z])",
        anything,
    ),
    SecretRule(
        # A key that such a program reads: cryptsetup --key-file <(echo …)
        "key-option",
        ("echo ", "printf ", "<<<"),
        rf"{_KEY_PROGRAMS}[^\r\n]{{0,120}}?{_PRINTED}{_KEY}",
        random_looking,
        run=12,
    ),
    SecretRule(
        # The same before the program: echo … | xxd -r -p | cryptsetup
        "key-option",
        ("echo ", "printf ", "<<<"),
        rf"(?>{_PRINTED}{_KEY}[\"']?+\)?+[ \t]{{0,4}}+\|)[^\r\n]{{0,80}}?(?:{_KEY_PROGRAMS}|xxd[ \t]{{1,4}}+-r)",
        random_looking,
        run=12,
    ),
    SecretRule(
        # A key after an option of that name: -encryption_key …
        "key-option",
        ("key", "crypt "),
        r"(?>(?<![\w-])--?+[\w-]{1,32}+(?<=[Kk]ey)(?<!public.key)(?<!pub.key)(?<!cache.key)(?<!host.key)(?<!sort.key)(?<!object.key)"
        r"(?<!idempotency.key)(?:[ \t]{1,4}+|=)(?:[\w-]{1,12}+:)?+|crypt[ \t][\w:-]{3,30}+[ \t])(?P<value>[0-9a-fA-F]{32,128}+)(?![A-Za-z0-9+/=])",
        random_looking,
        inside=True,
        run=12,
    ),
    SecretRule(
        # Arguments in a list: ["--password", "…"]
        "password-option",
        ("pass", "-p"),
        r"[\"'](?:--?[\w-]{0,24}?(?i:password|passwd|passphrase|pass|requirepass)|(?<=sshpass., .)-p|(?<=sshpass.,.)-p)[\"']\s{0,2}+,\s{0,8}+[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']"
        r"|[\"'](?:mysql|mariadb)[\w-]{0,10}+[\"'](?:\s{0,2}+,\s{0,2}+[\"'][^\"'\r\n]{1,60}+[\"']){0,8}?\s{0,2}+,\s{0,2}+[\"']-p(?P<joined>[^\"'\r\n]{4,100}+)[\"']",
        argument,
        inside=True,
    ),
    SecretRule(
        # Short labels on one line: u: mara p: …
        "login-password",
        ("p:", "pw:", "pass:", "p=", 'p":', "p':"),
        r"(?<![A-Za-z0-9])(?i:u|usr|user|login)[\"']?+[ \t]?[:=][ \t]?[^\s:=]{2,60}+[ \t,;|/]{1,4}+(?:(?i:p|pw|pwd|pass)[ \t]?[:=][ \t]?|[\"'][Pp][\"'][ \t]?:[ \t]?[\"'])(?P<value>[^\s\"',;|]{5,60}+)",
        argument,
    ),
    SecretRule(
        # Services of a chat that one logs in to.
        "login-password",
        ("identify", "auth ", "/oper"),
        r"(?:IDENTIFY|identify|AUTH|/login|/register|/oper)[ \t]{1,4}+(?:[\w.@-]{1,40}+[ \t]{1,4}+)?(?P<value>[^\s\"']{6,100}+)(?=[ \t]{0,4}+(?:\r?\n|\Z))",
        looks_mixed,
    ),
    SecretRule(
        # A host, a user and a password, whatever is called with them.
        "constructor-password",
        ("(",),
        r"\((?<=[A-Za-z0-9_!]\()\s{0,8}+[\"'](?:[A-Za-z0-9-]{1,60}+(?:\.[A-Za-z0-9-]{1,60}+){1,6}+|localhost)(?::[0-9]{2,5})?[\"']\s{0,2}+,\s{0,20}+(?:[0-9]{2,5}\s{0,2}+,\s{0,20}+)?"
        r"[\"'][\w.@+-]{1,60}+[\"']\s{0,2}+,\s{0,20}+[\"'](?P<value>[^\"'\s]{8,100}+)[\"']",
        looks_mixed,
    ),
    SecretRule(
        "authorization",
        ("bearer", "authorization"),
        rf"(?:[Bb](?i:earer)(?<![A-Za-z0-9]......)|[Aa](?i:uthorization){QUOTE}?\s{{0,4}}+[:=,]\s{{0,4}}+{QUOTE}?"
        r"(?:[A-Za-z][A-Za-z0-9_-]{1,24}+(?=[ ]))?(?:[ ]token=)?)"
        rf"[\s:=]{{1,4}}+{QUOTE}?{_HEADER_VALUE}",
        credential,
    ),
    SecretRule(
        "authorization",
        ("authorization",),
        rf"[Aa](?i:uthorization){QUOTE}?\s{{0,4}}+[:=,]\s{{0,4}}+{QUOTE}?{_HEADER_VALUE}",
        credential,
    ),
    SecretRule(
        "basic-authorization",
        ("basic ",),
        r"[Bb](?<![A-Za-z0-9].)(?i:asic) (?P<value>[A-Za-z0-9+/_-]{8,400}+={0,2})(?![A-Za-z0-9+/_=-])",
        credential,
    ),
    SecretRule(
        "session-cookie",
        ("cookie", "jsessionid", "phpsessid", "sessionid="),
        r"[A-Za-z_](?<![A-Za-z0-9_.].)[A-Za-z0-9_.]{2,40}+"
        r"(?:(?<=(?i:session))|(?<=(?i:sessionid))|(?<=(?i:session_id))|(?<=(?i:sessid))|(?<=(?i:sid))|(?<=(?i:auth))|(?<=(?i:remember_me))|(?<=(?i:remember)))="
        r"(?P<value>[A-Za-z0-9%._~+/-]{16,2000}+)",
        strong_credential,
    ),
    SecretRule(
        "header-key",
        ("x-", "-key:", "-token:"),
        r"[Xx]-(?<![A-Za-z0-9-]..)[A-Za-z-]{2,40}+(?:(?<=(?i:key))|(?<=(?i:token))|(?<=(?i:secret))|(?<=(?i:auth)))"
        rf"{QUOTE}?\s{{0,4}}+[:=,]\s{{0,4}}+{QUOTE}?{_HEADER_VALUE}",
        credential,
    ),
    SecretRule(
        "sql-password",
        ("identified",),
        r"[Ii](?i:dentified (?:by|with [\"']?\w{1,40}[\"']? (?:as|by)) )[\"']?(?P<value>[^\s\"';()]{4,100}+)",
        spoken_password,
    ),
    SecretRule(
        "sql-password",
        ("identified", "password("),
        r"(?:[Ii](?i:dentified (?:by|with [\"']?\w{1,40}[\"']? (?:as|by)) )|PASSWORD\()[\"'](?P<value>[^\"'\r\n]{4,100}+)[\"']",
        quoted_password,
    ),
    SecretRule(
        "curl-user",
        ("curl", "wget", "http "),
        r"-(?<![A-Za-z0-9].)(?:u|-user|-proxy-user|U|a|-auth)[ =]{0,2}+[\"']?[^\s:\"']{1,80}+[\"']?:[\"']?(?P<value>[^\s\"']{4,200}+)",
        url_password,
    ),
    SecretRule(
        "curl-user",
        ("curl", "wget"),
        r"-(?<![A-Za-z0-9].)(?:u|-user)[ =]{0,2}+[\"'](?P<value>[^\s:\"']{8,200}+):[\"']",
        credential,
    ),
    SecretRule(
        "curl-option",
        ("curlopt_",),
        r"CURLOPT_(?:PROXY)?(?:PASSWORD|USERPWD|KEYPASSWD|XOAUTH2_BEARER)[\"']?\s{0,4}+(?:,|=>|=)\s{0,4}+"
        r"[\"'](?P<value>[^\"'\r\n]{4,400}+)",
        url_password,
    ),
    SecretRule(
        "secure-string",
        ("securestring",),
        r"[Cc](?i:onvertTo-SecureString)(?:\s{1,4}+-[A-Za-z]{2,20}+){0,4}+\s{1,4}+[\"']?(?P<value>[^\s\"'$(-][^\s\"']{5,200}+)",
        url_password,
    ),
    SecretRule(
        "password-option",
        ("--", "pass:"),
        # Joined to the option, it need not look like a password.
        r"(?:-(?<![A-Za-z0-9_-].)-[A-Za-z0-9_-]{0,24}?(?i:password|passwd|passphrase)=|(?<=[ \t])pass:)"
        r"(?:[\"'](?P<quoted>[^\"'\r\n]{4,200}+)[\"']|(?P<word>[^\s\"'`<>|&;$]{4,200}+))",
        argument,
    ),
    SecretRule(
        "password-option",
        ("--", "-pass", "-pwd", "pass:"),
        r"-(?<![A-Za-z0-9_-].)-?[A-Za-z0-9_-]{0,24}?(?i:password|passwd|passphrase|pass|passin|passout|pwd|token|secret|bearer|api-?key)"
        r"(?:[ \t]{1,4}+|=)(?:pass:)?(?:[\"'](?P<quoted>[^\"'\r\n]{4,200}+)[\"']|(?P<word>[^\s\"'`<>|&;-][^\s\"'`<>|&;]{3,200}+))",
        spoken_password,
    ),
    # The password is joined to the option.
    _option("mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump", r"[ \t]-p(?=[^\s-])"),
    SecretRule(
        "password-option",
        ("mysql", "mariadb"),
        rf"(?:mysql|mariadb)[a-z-]{{0,10}}+{_ARGUMENTS}[ \t][\"']-p(?P<value>[^\"'\r\n]{{4,100}}+)[\"']",
        argument,
    ),
    _option("7z|7za|7zz|rar|unrar", r"[ \t]-h?p(?=[^\s-])"),
    _option("qpdf", r"[ \t](?:--encrypt|--(?:user|owner)-password=)[ \t]{0,4}+"),
    _option("qpdf", r"[ \t]--encrypt[ \t]{1,4}+[^\s]{1,60}+[ \t]{1,4}+"),
    _option("pdftk", r"[ \t](?:user_pw|owner_pw|input_pw)[ \t]{1,4}+(?:\w=)?", "_pw "),
    # The password is the next word.
    _option("sshpass", r"[ \t]-p[ \t]{0,4}+"),
    _option("login", r"[ \t](?:-p|--password)[ \t=]{1,4}+", "login "),
    _option("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|rabbitmqadmin", r"[ \t]-p[ \t]{1,4}+"),
    _option("twine|lftp|plink|pscp|psftp|psexec|evil-winrm|crackmapexec|netexec", r"[ \t]-(?:pw?)[ \t]{1,4}+"),
    _option("redis-cli", r"[ \t](?:-a|--pass)[ \t]{1,4}+"),
    _option("ldapsearch|ldapadd|ldapmodify|ldapdelete|ldappasswd|ldapwhoami", r"[ \t]-w[ \t]{0,4}+"),
    _option("zip|unzip|sqlcmd|bcp|isql|osql", r"[ \t]-P[ \t]{0,4}+"),
    _option("smbclient|rpcclient|winexe|smbmap", r"[ \t]-U[ \t]{0,4}+[\"']?[^\s%\"']{1,60}+%"),
    SecretRule(
        # Whatever program logs in, and whatever signs the password has: -U 'OFFICE\\lea%…'
        "password-option",
        (" -u", " --user"),
        r"[ \t](?:-[uU]|--user)[ \t=]{0,4}+(?P<quote>[\"'])[^\"'%:\s]{1,60}+[%:](?P<value>[^\"'\r\n]{4,100}+)[\"']",
        argument,
    ),
    _option("snmpget|snmpwalk|snmpset|snmpbulkwalk|snmptrap", r"[ \t]-c[ \t]{0,4}+"),
    _option("wpa_passphrase", r"[ \t]{1,4}+(?:[\"'][^\"'\r\n]{1,40}+[\"']|[^\s\"']{1,40}+)[ \t]{1,4}+"),
    _option("xfreerdp|rdesktop|wfreerdp", r"[ \t](?:/p:|-p[ \t]{1,4}+)"),
    _option("signtool", r"[ \t]/p[ \t]{1,4}+"),
    _option("openssl", r"[ \t]-(?:k|K)[ \t]{1,4}+"),
    _option(
        "keytool|jarsigner|apksigner",
        r"[ \t]-(?:-?ks-pass|storepass|keypass|srcstorepass|deststorepass|new)[ \t]{1,4}+(?:pass:)?",
    ),
    SecretRule(
        "password-option",
        ("htpasswd",),
        r"htpasswd(?=[^\r\n]{0,40}?[ \t]-[a-zA-Z]{0,5}b)(?:[ \t]{1,4}+-[A-Za-z0-9]{1,6}+){1,5}+[ \t]{1,4}+[^\s]{1,120}+[ \t]{1,4}+"
        rf"[^\s]{{1,60}}+[ \t]{{1,4}}+{_WORD}",
        argument,
    ),
    _option("htpasswd", r"[ \t]-(?:nb|bn)[a-zA-Z]{0,4}+[ \t]{1,4}+[^\s]{1,60}+[ \t]{1,4}+"),
    _option("rabbitmqctl", r"[ \t](?:add_user|change_password)[ \t]{1,4}+[^\s]{1,60}+[ \t]{1,4}+"),
    _option("net", r"[ \t]user[ \t]{1,4}+(?!/)[^\s]{1,60}+[ \t]{1,4}+(?![/*])", "net user"),
    _option("schtasks", r"[ \t]/[Rr][Pp][ \t]{1,4}+"),
    _option("nmcli", r"[ \t](?:password|(?:802-11-wireless-security|wifi-sec)\.psk)[ \t]{1,4}+"),
    _option("iwctl", r"[ \t]--passphrase[ \t=]{1,4}+"),
    _option("composer", r"[ \t]http-basic\.[^\s]{1,80}+[ \t]{1,4}+[^\s]{1,60}+[ \t]{1,4}+"),
    _option("cmdkey", r"[ \t]/pass:"),
    _option("net", r"[ \t](?i:/user:)[^\s]{1,60}+[ \t]{1,4}+", "/user:"),
    _option("dotnet|nuget", r"[ \t]-(?:-api-key|k|ApiKey)[ \t]{1,4}+"),
    _option("cargo|vault|snyk|heroku|npm", r"[ \t](?:login|auth)[ \t]{1,4}+(?=[A-Za-z0-9._-]{20})", "login ", "auth "),
    SecretRule(
        "password-option",
        ("config", "setx"),
        r"(?:config(?:ure)?[ \t]{1,4}+(?:set|create)[ \t]{1,4}+(?:[^\s]{1,80}+[ \t]{1,4}+){0,3}?|[Ss](?i:etx)[ \t]{1,4}+)[^\s\"']{1,80}+"
        r"(?:(?<=(?i:secret))|(?<=(?i:token))|(?<=(?i:password))|(?<=(?i:passwd))|(?<=(?i:key))|(?<=(?i:pwd)))[\"']?[ \t]{1,4}+"
        rf"{_WORD}",
        credential,
    ),
    SecretRule(
        "password-option",
        ("echo ", "printf ", "<<<"),
        r"(?>(?:echo|printf)(?:[ \t]{1,4}+-[a-z]{1,3}+){0,2}+[ \t]{1,4}+[\"']?(?:[a-z_][a-z0-9_-]{0,30}:)?(?P<value>[^\s\"'|$<>]{6,400}+)[\"']?[ \t]{0,4}+\|)"
        r"[^\r\n|]{0,120}?(?:--password-stdin|--with-token|sudo[ \t]{1,4}+-S|chpasswd|passwd[ \t]{1,4}+--stdin|--passphrase-fd|--token-stdin|login)",
        argument,
    ),
    SecretRule(
        "password-option",
        ("<<<",),
        r"(?:--with-token|--password-stdin|-S|--stdin|login)[ \t]{0,4}+<<<[ \t]{0,4}+[\"']?(?P<value>[^\s\"'$]{6,400}+)",
        argument,
    ),
    SecretRule(
        # Whatever program reads it.
        "password-option",
        ("<<<",),
        r"<<<[ \t]{0,4}+[\"'](?P<value>[^\s\"'$]{6,400}+)[\"']",
        looks_signed,
    ),
    SecretRule(
        "stream-key",
        ("rtmp",),
        r"rtmps?://[^\s/]{1,80}+/[^\s/]{1,40}+/(?P<value>[^\s\"'?]{8,200}+)",
        looks_mixed,
    ),
)
