"""Keys that are recognised by their structure rather than by a fixed prefix: blocks, tokens in parts, URLs with a key."""

from satchel.domain.safety.secret_checks import (
    anything,
    key_block,
    marked,
    not_a_hash,
    random_looking,
    varied_capitals,
)
from satchel.domain.safety.secret_rule import END, UUID, SecretRule, edge

_AFTER_ONE = edge(1)
_BASE64_LINE = r"[A-Za-z0-9+/]{16,80}+={0,2}"

KEY_SHAPES: tuple[SecretRule, ...] = (
    SecretRule(
        "private-key",
        ("private key",),
        # Complete or truncated: up to the next row of dashes.
        r"-----BEGIN (?:(?!PRIVATE)[A-Z0-9]{1,12} ){0,3}+PRIVATE KEY(?: BLOCK)?-----(?:[^-]{1,64}+|-(?!----)){1,2048}+"
        r"(?:-----END (?:(?!PRIVATE)[A-Z0-9]{1,12} ){0,3}+PRIVATE KEY(?: BLOCK)?-----)?",
        key_block,
        far=True,
    ),
    SecretRule(
        # Any other block that its name calls a key, but for public ones: OpenVPN Static key V1.
        "key-block",
        ("-----begin ",),
        r"-----BEGIN (?=[^\r\n]{0,60}?[Kk](?i:ey)(?![A-Za-z]))(?![^\r\n]{0,60}?(?i:public|PRIVATE KEY|certificate))[A-Za-z0-9 ._/-]{3,60}?-----\s{1,8}+"
        r"(?P<value>(?:[^-]{1,64}+|-(?!----)){1,2048}+)",
        key_block,
        far=True,
    ),
    SecretRule(
        "private-key",
        ("---- begin ssh2 encrypted",),
        r"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----(?:[^-]{1,64}+|-(?!---)){1,1024}+",
        key_block,
        far=True,
    ),
    SecretRule(
        "private-key",
        ("MII",),
        # Without BEGIN and END lines a key is recognised by its first bytes.
        rf"MII(?<![A-Za-z0-9+/]MII)[A-Za-z0-9+/]{{3}}(?:IBAA|IBAD)[A-Za-z0-9+/]{{16,4000}}+(?:\s{{1,20}}+{_BASE64_LINE}){{0,80}}+",
        key_block,
        far=True,
    ),
    SecretRule(
        "private-key",
        ("LS0tLS1CRUdJTi",),
        # A block in base64: "-----BEGIN", then "PRIVATE" in one of three alignments.
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{0,40}?(?:QUklWQVRF|UFJJVkFURS|BSSVZBVE)[A-Za-z0-9+/]{16,16000}+={0,2}"
        rf"(?:\s{{1,20}}+{_BASE64_LINE}){{0,80}}+",
        anything,
        far=True,
    ),
    SecretRule(
        "putty-key",
        ("private-lines",),
        r"Private-Lines: [0-9]{1,4}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{4,80}+\r?\n){1,200}+)",
        anything,
        far=True,
    ),
    *(
        SecretRule(
            "jwt",
            (start,),
            rf"{start}{edge(len(start), 'A-Za-z0-9_/+-')}[A-Za-z0-9_/+-]{{10,4000}}+(?:=|%3D){{0,2}}\.(?:eyJ|ZXlK)?[A-Za-z0-9_/+-]{{6,16000}}+"
            r"(?:=|%3D){0,2}(?:\.[A-Za-z0-9_/+-]{0,4000}+){0,3}+",
            random_looking,
        )
        for start in ("eyJ", "ZXlK")
    ),
    SecretRule(
        "jwk",
        ('"kty"', "'kty'", '\\"kty'),
        r"[dkpq](?<=[\"'].)\\?[\"']\s{0,4}+:\s{0,4}+\\?[\"'](?P<value>[A-Za-z0-9_-]{20,1000}+)",
        random_looking,
    ),
    SecretRule("grafana-key", ("eyJrIjoi",), rf"eyJrIjoi{edge(8)}[A-Za-z0-9+/_=-]{{40,400}}+", random_looking),
    SecretRule(
        "aws-key-id",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        rf"A(?:KIA|SIA|BIA|CCA|3T[A-Z0-9]){edge(4)}[A-Z0-9]{{16}}{END}",
        marked,
    ),
    SecretRule(
        "google-key",
        ("AIza",),
        rf"AIza{edge(4)}[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9_-])",
        random_looking,
    ),
    SecretRule(
        "google-token",
        (":APA91b",),
        r":APA91b[A-Za-z0-9_-]{100,200}+",
        random_looking,
    ),
    SecretRule(
        "slack-token",
        ("xox", "xapp-", "xwfp-"),
        rf"[Xx](?i:ox(?:[abcdeprs]|o(?=-[0-9]))|app|wfp){edge(4)}(?i:\.xox[bp])?-[A-Za-z0-9%+/-]{{8,400}}+",
        random_looking,
    ),
    SecretRule(
        "webhook",
        (
            "hooks.slack.com",
            "webhook.office.com",
            "discord.com/api/webhooks",
            "discordapp.com/api/webhooks",
            "/bot/v2/hook/",
            "hooks.zapier.com",
            "logic.azure.com",
            "chat.googleapis.com",
            "qyapi.weixin.qq.com",
        ),
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:discord|discordapp)\.com/api/(?:v[0-9]{1,2}/)?webhooks/|"
        r"webhook\.office\.com/webhookb2/|/open-apis/bot/v2/hook/|hooks\.zapier\.com/hooks/catch/|"
        r"logic\.azure\.com[^\s\"'?]{0,200}+\?|(?:chat\.googleapis\.com/v1/spaces|qyapi\.weixin\.qq\.com)/[^\s\"'?]{0,60}+\?)"
        r"(?P<value>[A-Za-z0-9_/+@&=%.-]{20,400}+)",
        random_looking,
    ),
    SecretRule(
        "telegram-token",
        (":a",),
        rf"[0-9](?:{_AFTER_ONE}|(?<=/bot.))[0-9]{{4,15}}:A[A-Za-z0-9_-]{{34}}(?![A-Za-z0-9_-])",
        random_looking,
        run=5,
    ),
    SecretRule(
        # What unlocks an encrypted disk of Windows.
        "recovery-key",
        ("-",),
        r"[0-9](?<![0-9-].)[0-9]{5}(?:-[0-9]{6}){7}(?![0-9-])",
        random_looking,
        digits=True,
    ),
    SecretRule("twilio-key", ("SK", "AC"), rf"(?:SK|AC){edge(2)}[0-9a-fA-F]{{32}}{END}", random_looking, run=34),
    SecretRule(
        "mailchimp-key", ("-us",), rf"[0-9a-f]{_AFTER_ONE}[0-9a-f]{{31}}-us[0-9]{{1,2}}{END}", random_looking, run=32
    ),
    SecretRule(
        "mailgun-key",
        ("-",),
        rf"[0-9a-f]{_AFTER_ONE}[0-9a-f]{{31}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![0-9a-f-])",
        random_looking,
        run=32,
    ),
    SecretRule("gitlab-session", ("_gitlab_session",), r"_gitlab_session=[0-9a-f]{32}", anything),
    SecretRule(
        "newrelic-license",
        ("nral",),
        rf"[0-9a-z]{_AFTER_ONE}[0-9a-z]{{35}}NRAL{END}",
        random_looking,
        run=40,
        inside=True,
    ),
    SecretRule("databricks-token", ("dapi",), rf"dapi{edge(4)}[0-9a-f]{{32}}-[0-9]{END}", random_looking),
    SecretRule(
        "terraform-token",
        (".atlasv1.",),
        rf"[A-Za-z0-9]{_AFTER_ONE}[A-Za-z0-9]{{13}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}+",
        marked,
        run=14,
    ),
    SecretRule(
        "doppler-token",
        ("dp.st.",),
        rf"dp\.st\.{edge(6)}(?:[a-z0-9_-]{{2,35}}\.)?[A-Za-z0-9]{{40,44}}{END}",
        random_looking,
    ),
    SecretRule(
        "kubernetes-token",
        ("kubeadm", "--discovery-token", "--token", "bootstrap"),
        rf"[a-z0-9]{_AFTER_ONE}[a-z0-9]{{5}}\.[a-z0-9]{{16}}{END}",
        random_looking,
    ),
    SecretRule(
        "facebook-app-token",
        ("|",),
        rf"[0-9]{_AFTER_ONE}[0-9]{{11,17}}\|[A-Za-z0-9_-]{{24,28}}(?![A-Za-z0-9_-])",
        random_looking,
        run=12,
    ),
    SecretRule(
        "twitter-token",
        ("AAAAAAAAAAAAAAAAAAAA",),
        rf"A{{20}}{edge(20)}[A-Za-z0-9]{{20,100}}+%[23][A-Za-z0-9%]{{20,100}}+",
        random_looking,
    ),
    SecretRule(
        "salesforce-token", ("00D",), rf"00D{edge(3)}[A-Za-z0-9]{{12,15}}![A-Za-z0-9._]{{40,200}}+", random_looking
    ),
    SecretRule(
        "alibaba-secret",
        ("LTAI",),
        r"LTAI[A-Za-z0-9]{12,20}[\"'\s,:;=]{1,10}+(?P<value>[A-Za-z0-9]{30})(?![A-Za-z0-9])",
        random_looking,
    ),
    SecretRule(
        "aws-secret",
        ("AKIA", "ASIA"),
        # The secret next to its id, as in a CSV file or a table.
        r"A[KS]IA[A-Z0-9]{16}[\"'\s,:;|/]{1,10}+(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
        random_looking,
    ),
    # A shared secret for one-time codes has neither prefix nor name: 32 characters of the base32 alphabet.
    SecretRule("otp-secret", ("",), r"(?<![A-Za-z0-9+/=_-])[A-Z2-7]{32}(?![A-Za-z0-9+/=_-])", varied_capitals, run=32),
    SecretRule(
        "otp-secret",
        ("otpauth://",),
        r"otpauth://[^\s\"'?]{1,200}+\?[^\s\"']{0,200}?secret=(?P<value>[A-Za-z2-7]{16,128}+)",
        anything,
    ),
    SecretRule(
        "nats-seed", ("SU", "SA", "SO", "SN", "SC"), rf"S[UAONCX]{edge(2)}[A-Z2-7]{{56}}{END}", varied_capitals, run=58
    ),
    SecretRule(
        "azure-secret",
        ("Q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        random_looking,
    ),
    SecretRule(
        "azure-key",
        ("JQQJ9", "AAAAAC"),
        rf"[A-Za-z0-9]{_AFTER_ONE}[A-Za-z0-9]{{51}}(?:JQQJ9[9DH]|AAAAAC)[A-Za-z0-9]{{24,30}}={{0,2}}",
        random_looking,
        run=20,
        inside=True,
    ),
    # Newer keys of Azure carry the name of the service: registry, storage, event grid, search, batch, IoT and others.
    SecretRule(
        "azure-key",
        (
            "+ACR",
            "+ASt",
            "AZEG",
            "AzSe",
            "+ABa",
            "AIoT",
            "+ASb",
            "+AEh",
            "+ARm",
            "AzCa",
            "AZFU",
            "+AMC",
            "APIM",
            "ACDb",
        ),
        r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{30,80}?(?:\+(?:ACR|ASt|ABa|ASb|AEh|ARm|AMC)|AZEG|AzSe|AIoT|AzCa|AzFu|AZFU|APIM|ACDb)"
        r"[A-Za-z0-9+/]{4,40}+={0,2}(?![A-Za-z0-9+/=])",
        random_looking,
        run=12,
        inside=True,
    ),
    SecretRule(
        "1password-key",
        ("A3-",),
        rf"A3-{edge(3)}[A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})(?:-[A-Z0-9]{{5}}){{3}}{END}",
        random_looking,
    ),
    SecretRule(
        "bitwarden-token",
        ("0.",),
        rf"0\.{edge(2)}{UUID}\.[A-Za-z0-9]{{30}}:[A-Za-z0-9+/]{{20,28}}={{0,2}}",
        anything,
        run=30,
    ),
    SecretRule(
        "asana-token",
        ("/",),
        rf"[012]/{edge(2)}(?:[0-9]{{14,16}}[:/]){{0,2}}+[0-9a-f]{{32}}{END}",
        random_looking,
        run=32,
    ),
    SecretRule(
        "yandex-token",
        ("t1.",),
        rf"t1\.{edge(3)}[A-Za-z0-9_-]{{3,400}}+={{0,2}}\.[A-Za-z0-9_-]{{86}}={{0,2}}",
        anything,
    ),
    SecretRule(
        "zhipu-key",
        (".",),
        rf"[0-9a-f]{_AFTER_ONE}[0-9a-f]{{31}}\.[A-Za-z0-9]{{16}}(?![A-Za-z0-9.])",
        not_a_hash,
        run=32,
    ),
    SecretRule(
        "docker-robot",
        ("+",),
        rf"[a-z0-9_]{_AFTER_ONE}[a-z0-9_]{{1,39}}\+[a-z0-9_]{{2,40}}:(?P<value>[A-Z0-9]{{64}}){END}",
        random_looking,
        run=64,
    ),
    SecretRule(
        "discord-token",
        (".",),
        rf"[MNO]{_AFTER_ONE}[A-Za-z0-9_-]{{23,27}}\.[A-Za-z0-9_-]{{6}}\.[A-Za-z0-9_-]{{27,40}}(?![A-Za-z0-9_.-])",
        random_looking,
        run=23,
    ),
    SecretRule("wechat-id", ("wx",), rf"wx{edge(2)}[0-9a-f]{{16}}{END}", random_looking, run=18),
    SecretRule("okta-token", ("ssws ",), r"SSWS (?P<value>00[A-Za-z0-9_-]{40})(?![A-Za-z0-9_-])", random_looking),
    SecretRule("splunk-token", ("splunk ",), rf"[Ss]plunk (?P<value>{UUID}){END}", random_looking),
    SecretRule("opsgenie-key", ("geniekey",), rf"[Gg]enieKey (?P<value>{UUID}){END}", random_looking),
    SecretRule(
        "password-hash",
        ("$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$apr1$", "$argon2", "$pbkdf2", "$scrypt$"),
        r"\$(?:[156y]|2[aby]|apr1|argon2(?:id?|d)|pbkdf2-sha(?:1|256|512)|scrypt)\$(?:[A-Za-z0-9,=./+-]{1,60}+\$){0,3}+[A-Za-z0-9./+=]{20,120}+",
        random_looking,
    ),
)
