"""The table of rules that recognise secrets.

A rule is tried only if the text contains one of its keywords. Patterns begin at a boundary and do not backtrack
(possessive or short repeats), so that they run in linear time. A check in `secret_checks` accepts or rejects each match.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from satchel.domain.safety.secret_checks import (
    anything,
    bare_password,
    credential,
    key_block,
    marked,
    password,
    random_looking,
    spoken_password,
    strong_credential,
    url_password,
    varied_capitals,
)

# Where a token may begin: not inside a word, but after an escaped line break, a percent escape or a colour code.
_EDGE = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m))"
_END = r"(?![A-Za-z0-9])"


class SecretRule(NamedTuple):
    """One kind of secret. The named group, or else the whole match, is masked."""

    kind: str
    keywords: tuple[str, ...]
    """In lower case; the pattern is tried only if the text contains one of them."""
    pattern: str
    accepts: Callable[[str], bool]
    """Checks a match."""


def _prefixed(
    kind: str, body: str, *prefixes: str, end: str = _END, accepts: Callable[[str], bool] = random_looking
) -> SecretRule:
    """Return the rule for keys with a known prefix."""
    starts = "|".join(re.escape(prefix) for prefix in prefixes)
    return SecretRule(kind, tuple(prefix.lower() for prefix in prefixes), f"{_EDGE}(?:{starts}){body}{end}", accepts)


_WORD = r"[A-Za-z0-9]"
_URLSAFE = r"[A-Za-z0-9_-]"
_BASE64 = r"[A-Za-z0-9+/_=-]"

# Between a name and its value, in JSON, YAML, shell, INI, XML, code and logs; quotes may be escaped.
_BETWEEN = (
    r"(?:\\?[\"'`\])]|&quot;){0,3}+(?:[ \t]{0,4}+:?[ \t]{0,4}+(?:str|String|string|bytes|Text)(?=[ \t]{0,4}=))?"
    r"(?:[ \t]{0,20}+(?:::?=|=>|[!=]?={1,2}|:(?!:)|：|\?=)|%3D|<[^<>]{0,40}+>|>)[ \t]{0,20}+(?:&quot;)?"
)
# An unquoted value ends at the next blank or closing mark, a quoted one at its quote.
_QUOTED = (
    r"(?:[bru]?\\?\"(?P<double>(?:[^\"\\\r\n]|\\[^\"'rnt\r\n]){4,400}+)\\?\"|[bru]?\\?'(?P<single>(?:[^'\\\r\n]|\\[^\"'rnt\r\n]){4,400}+)\\?'"
    r"|[bru]?(?:\"{3}|'{3})(?P<triple>[^\"'\s]{4,400}+)"
    r"|`(?P<tick>[^`\r\n]{4,400}+)`)"
)
_BARE = r"(?P<bare>[^\s\"'`,;<>(){}\[\]\\|&]{4,400}+)(?![(\[])"
_VALUE = f"(?:{_QUOTED}|{_BARE})"
# After the name: nothing, or a qualifier. Anything else makes it another word (tokenizer, secretary).
_REST = r"(?:[_.-]?(?:value|val|string|text|plain|base64|b64|hex|prod|production|dev|test|staging|live|master|root|admin|default|[0-9]{1,3})(?![A-Za-z])){0,2}+"

_KEY_NAMES = (
    r"(?:api|access|auth|secret|signing|signature|encryption|encrypt|private|account|master|shared|storage|service|"
    r"session|license|licence|client|consumer|deploy|webhook|bot|app|application|integration|personal|rest|admin|"
    r"subscription|security|crypto|hmac|jwt|aes|rsa|ssh|gpg|pgp|db|database|redis|project|developer|dev|prod|user)"
    r"[ _.-]?keys?(?:[_.-]?id(?![a-z]))?"
)
_SECRET_NAMES = r"(?=[acst])(?:secret(?:[ _.-]?(?:access[ _.-]?)?key)?|token|credentials?|creds?(?![a-z])|auth(?:entication)?(?![a-z]))"
_PASSWORD_WORDS = ("pass", "pwd", "pw", "psw", "swd", "swor", "swrd")
_PASSWORD_NAMES = (
    r"(?i:(?<![a-z])(?:pass(?:word|wd|phrase|code|wrd)|(?:db|user|root|admin|smtp|ftp|mysql|my|login|[_.])[_.-]?pass"
    r"|pass(?=[\"']?[ \t]{0,4}=)|p[as]{0,3}(?:wo?r?d|w))(?![a-z])|(?<=[a-z])pass(?:word|wd|phrase)(?![a-z]))"
)

RULES: tuple[SecretRule, ...] = (
    SecretRule(
        "private-key",
        ("private key",),
        # Complete or truncated: up to the next row of dashes.
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){16,32768}+"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
        key_block,
    ),
    SecretRule(
        "putty-key",
        ("private-lines",),
        r"Private-Lines: [0-9]{1,4}\r?\n(?P<value>(?:[A-Za-z0-9+/=]{4,80}+\r?\n){1,200}+)",
        anything,
    ),
    SecretRule(
        "jwt",
        ("eyj", "zxlk"),
        rf"{_EDGE}(?:eyJ|ZXlK)[A-Za-z0-9_/+-]{{10,4000}}+(?:=|%3D){{0,2}}\.(?:eyJ|ZXlK)?[A-Za-z0-9_/+-]{{6,16000}}+"
        rf"(?:=|%3D){{0,2}}(?:\.[A-Za-z0-9_/+-]{{0,4000}}+){{0,3}}+",
        random_looking,
    ),
    _prefixed("anthropic-key", rf"{_URLSAFE}{{16,200}}+", "sk-ant-"),
    _prefixed("openrouter-key", rf"{_WORD}{{20,100}}+", "sk-or-v1-"),
    _prefixed("openai-key", rf"(?:proj-|svcacct-|admin-|None-)?{_URLSAFE}{{20,220}}+", "sk-"),
    SecretRule(
        "aws-key-id",
        ("akia", "asia", "abia", "acca", "a3t"),
        rf"{_EDGE}(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{{16}}{_END}",
        random_looking,
    ),
    SecretRule(
        "aws-bedrock-key",
        ("absk", "bedrock-api-key-"),
        rf"{_EDGE}(?:ABSK{_BASE64}{{40,200}}+|bedrock-api-key-{_BASE64}{{12,200}}+)",
        random_looking,
    ),
    _prefixed("github-token", rf"{_WORD}{{36,255}}+", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", accepts=marked),
    _prefixed("github-token", r"[A-Za-z0-9_]{22,255}+", "github_pat_"),
    _prefixed(
        "gitlab-token",
        r"[A-Za-z0-9_.=-]{20,300}+",
        "glpat-",
        "glptt-",
        "gldt-",
        "glrt-",
        "glrtr-",
        "glcbt-",
        "glft-",
        "glsoat-",
        "glffct-",
        "glimt-",
        "glagent-",
        "gloas-",
        "glwt-",
        "GR1348941",
    ),
    SecretRule(
        "slack-token",
        ("xox", "xapp-", "xwfp-"),
        rf"(?i:{_EDGE}(?:xox[abceprs](?:\.xox[bp])?|xox[os](?=-[0-9])|xapp|xwfp)-[A-Za-z0-9%-]{{8,400}}+)",
        random_looking,
    ),
    SecretRule(
        "webhook",
        ("hooks.slack.com", "webhook.office.com", "discord.com/api/webhooks", "discordapp.com/api/webhooks"),
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)/|(?:discord|discordapp)\.com/api/webhooks/|"
        r"webhook\.office\.com/webhookb2/)(?P<value>[A-Za-z0-9_/+@-]{20,400}+)",
        random_looking,
    ),
    SecretRule(
        "stripe-key",
        ("_live_", "_test_", "_prod_", "whsec_"),
        rf"{_EDGE}(?:(?:sk|rk|pk)_(?:live|test|prod)_|whsec_){_WORD}{{10,250}}+",
        random_looking,
    ),
    _prefixed("google-key", rf"{_URLSAFE}{{35}}", "AIza", end=r"(?![A-Za-z0-9_-])"),
    _prefixed("google-token", r"[A-Za-z0-9_.-]{20,400}+", "ya29.", "GOCSPX-", "1//0"),
    _prefixed("npm-token", rf"{_WORD}{{36}}", "npm_"),
    _prefixed("pypi-token", rf"{_URLSAFE}{{50,400}}+", "pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZw"),
    _prefixed("huggingface-token", r"[A-Za-z0-9]{34}", "hf_", "api_org_"),
    SecretRule(
        "telegram-token", (":a",), rf"{_EDGE}[0-9]{{5,16}}:A[A-Za-z0-9_-]{{34}}(?![A-Za-z0-9_-])", random_looking
    ),
    SecretRule("twilio-key", ("sk", "ac"), rf"{_EDGE}(?:SK|AC)[0-9a-fA-F]{{32}}{_END}", random_looking),
    _prefixed("sendgrid-key", r"[A-Za-z0-9_=.-]{60,70}+", "SG."),
    _prefixed("sendinblue-key", r"[0-9a-f]{64}-[A-Za-z0-9]{16}", "xkeysib-"),
    _prefixed("mailgun-key", r"[0-9a-f]{32}", "key-", "pubkey-"),
    SecretRule("mailchimp-key", ("-us",), rf"{_EDGE}[0-9a-f]{{32}}-us[0-9]{{1,2}}{_END}", random_looking),
    _prefixed("digitalocean-token", r"[0-9a-f]{64}", "dop_v1_", "doo_v1_", "dor_v1_"),
    _prefixed("shopify-token", r"[0-9a-fA-F]{32}", "shpat_", "shpca_", "shppa_", "shpss_"),
    _prefixed("databricks-token", r"[0-9a-f]{32}(?:-[0-9])?", "dapi"),
    _prefixed("doppler-token", r"[A-Za-z0-9._-]{40,60}+", "dp.pt.", "dp.st.", "dp.ct.", "dp.sa."),
    _prefixed("dropbox-token", rf"{_URLSAFE}{{60,400}}+", "sl."),
    _prefixed("vault-token", rf"{_URLSAFE}{{24,300}}+", "hvs.", "hvb.", "hvr."),
    SecretRule(
        "terraform-token", (".atlasv1.",), rf"{_EDGE}[A-Za-z0-9]{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}+", marked
    ),
    _prefixed("grafana-token", r"[A-Za-z0-9+/_=]{32,400}+", "glc_", "glsa_"),
    _prefixed("newrelic-key", rf"{_URLSAFE}{{19,64}}+", "NRAK-", "NRII-", "NRJS-", "NRRA-", "NRAA-", "NRBR-"),
    _prefixed("sentry-token", r"[A-Za-z0-9+/=_]{40,500}+", "sntrys_", "sntryu_"),
    _prefixed("square-token", r"[A-Za-z0-9_\\-]{22,60}+", "sq0atp-", "sq0csp-", "sq0idp-", accepts=marked),
    _prefixed("square-token", rf"{_URLSAFE}{{56,64}}", "EAAA"),
    _prefixed("facebook-token", rf"{_WORD}{{90,300}}+", "EAA"),
    _prefixed("atlassian-token", r"[A-Za-z0-9_=-]{100,300}+", "ATATT3", "ATCTT3"),
    _prefixed("age-key", r"[0-9A-Z]{58}", "AGE-SECRET-KEY-1", accepts=anything),
    _prefixed("adobe-key", r"[0-9a-f]{32}", "p8e-"),
    _prefixed("nuget-key", r"[a-z0-9]{43}", "oy2"),
    _prefixed("instagram-token", rf"{_URLSAFE}{{100,300}}+", "IGQV"),
    _prefixed("wechat-id", r"[0-9a-f]{16}", "wx"),
    _prefixed("grafana-key", rf"{_BASE64}{{40,400}}+", "eyJrIjoi"),
    SecretRule("gitlab-session", ("_gitlab_session",), r"_gitlab_session=[0-9a-f]{32}", anything),
    SecretRule("newrelic-license", ("nral",), rf"{_EDGE}[0-9a-z]{{36}}NRAL{_END}", random_looking),
    SecretRule(
        "mailgun-key", ("-",), rf"{_EDGE}[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![0-9a-f-])", random_looking
    ),
    SecretRule(
        "facebook-app-token", ("|",), rf"{_EDGE}[0-9]{{12,18}}\|[A-Za-z0-9_-]{{27}}(?![A-Za-z0-9_-])", random_looking
    ),
    SecretRule(
        "salesforce-token", ("00d",), rf"{_EDGE}00D[A-Za-z0-9]{{12,15}}![A-Za-z0-9._]{{40,200}}+", random_looking
    ),
    SecretRule(
        "google-client-id",
        (".apps.googleusercontent.com",),
        rf"{_EDGE}[0-9]{{6,14}}-[a-z0-9]{{32}}\.apps\.googleusercontent\.com",
        anything,
    ),
    SecretRule(
        "alibaba-secret",
        ("ltai",),
        r"LTAI[A-Za-z0-9]{12,20}[\"'\s,:;=]{1,10}+(?P<value>[A-Za-z0-9]{30})(?![A-Za-z0-9])",
        random_looking,
    ),
    SecretRule(
        "private-key",
        ("mii",),
        # Without BEGIN and END lines a key is recognised by its first bytes.
        r"(?<![A-Za-z0-9+/])MII[A-Za-z0-9+/]{3}(?:IBAA|IBAD)[A-Za-z0-9+/]{16,4000}+(?:\s{1,20}+[A-Za-z0-9+/]{16,80}+={0,2}){0,80}+",
        key_block,
    ),
    # A shared secret for one-time codes has neither prefix nor name: 32 characters of the base32 alphabet.
    SecretRule("otp-secret", ("",), r"(?<![A-Za-z0-9+/=_-])[A-Z2-7]{32}(?![A-Za-z0-9+/=_-])", varied_capitals),
    SecretRule(
        "azure-secret",
        ("q~",),
        r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
        random_looking,
    ),
    _prefixed("1password-token", rf"{_BASE64}{{200,2000}}+", "ops_eyJ"),
    SecretRule(
        "1password-key",
        ("a3-",),
        rf"{_EDGE}A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})(?:-[A-Z0-9]{{5}}){{3}}{_END}",
        random_looking,
    ),
    _prefixed("rubygems-key", r"[0-9a-f]{48}", "rubygems_"),
    _prefixed("fly-token", r"[A-Za-z0-9+/=,_-]{40,600}+", "fo1_", "fm1_", "fm1r_", "fm1a_", "fm2_"),
    _prefixed("planetscale-token", r"[A-Za-z0-9=_.-]{32,64}+", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"),
    _prefixed("linear-key", rf"{_WORD}{{32,64}}+", "lin_api_", "lin_oauth_"),
    _prefixed("notion-token", rf"{_WORD}{{40,50}}+", "ntn_", "secret_"),
    _prefixed("postman-key", r"[0-9a-f]{24}-[0-9a-f]{34}", "PMAK-"),
    _prefixed("pulumi-token", r"[0-9a-f]{40}", "pul-"),
    _prefixed("dynatrace-token", r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}", "dt0c01."),
    _prefixed("airtable-token", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}", "pat"),
    _prefixed("alibaba-key", rf"{_WORD}{{12,20}}", "LTAI"),
    _prefixed("artifactory-token", rf"{_WORD}{{59,69}}+", "AKCp", "cmVmd"),
    _prefixed("adafruit-key", r"[A-Za-z0-9]{28}", "aio_"),
    _prefixed("perplexity-key", rf"{_WORD}{{40,60}}+", "pplx-"),
    _prefixed(
        "model-host-key",
        rf"{_URLSAFE}{{24,120}}+",
        "gsk_",
        "xai-",
        "r8_",
        "lsv2_pt_",
        "lsv2_sk_",
        "tvly-",
        "fw_",
        "nvapi-",
        "jina_",
        "tgp_v1_",
        "llx-",
    ),
    _prefixed("supabase-key", rf"{_URLSAFE}{{30,60}}+", "sbp_", "sb_secret_"),
    _prefixed("figma-token", rf"{_URLSAFE}{{36,60}}+", "figd_", "figu_", "figo_"),
    _prefixed("contentful-token", rf"{_URLSAFE}{{40,50}}+", "CFPAT-"),
    _prefixed("circleci-token", r"[A-Za-z0-9_-]{40,100}+", "CCIPAT_", "CCIPRJ_"),
    _prefixed("buildkite-token", r"[A-Za-z0-9_]{30,60}+", "bkua_", "bkaj_", "bkct_"),
    _prefixed("sourcegraph-token", r"(?:(?:local|[0-9a-fA-F]{16})_)?[0-9a-fA-F]{40}", "sgp_"),
    _prefixed("readme-key", r"[a-z0-9]{70}", "rdme_"),
    _prefixed("prefect-key", r"[A-Za-z0-9]{36}", "pnu_"),
    _prefixed("easypost-key", r"[A-Za-z0-9]{54}", "EZAK", "EZTK"),
    _prefixed("duffel-token", r"(?:test|live)_[A-Za-z0-9_=-]{43}", "duffel_"),
    _prefixed("shippo-token", r"(?:live|test)_[0-9a-fA-F]{40}", "shippo_"),
    _prefixed("typeform-token", r"[A-Za-z0-9_.=-]{59}", "tfp_"),
    _prefixed("frameio-token", r"[A-Za-z0-9=_-]{64}", "fio-u-"),
    _prefixed("flutterwave-key", r"[A-Za-z0-9_-]{12,64}+", "FLWSECK", "FLWPUBK"),
    _prefixed("clojars-token", r"[A-Za-z0-9]{60}", "CLOJARS_"),
    _prefixed("cloudflare-key", r"[0-9a-f]{24}-[0-9a-f]{146}", "v1.0-"),
    _prefixed("infracost-key", r"[A-Za-z0-9]{32}", "ico-"),
    _prefixed("heroku-key", rf"{_URLSAFE}{{36,80}}+", "HRKU-"),
    _prefixed("docker-token", rf"{_URLSAFE}{{27,90}}+", "dckr_pat_", "dckr_oat_", "SWMKEY-1-", "SWMTKN-1-"),
    _prefixed("cloudflare-token", rf"{_URLSAFE}{{40,60}}+", "cfat_", "cfut_"),
    _prefixed("netlify-token", rf"{_WORD}{{36,60}}+", "nfp_"),
    _prefixed("posthog-key", rf"{_WORD}{{40,80}}+", "phx_", "phr_", "phs_"),
    _prefixed("vercel-token", rf"{_WORD}{{24,80}}+", "vcp_", "vercel_blob_rw_"),
    _prefixed("sonar-token", rf"{_WORD}{{40}}", "squ_", "sqp_", "sqa_"),
    _prefixed("bitbucket-password", rf"{_WORD}{{32}}", "ATBB"),
    _prefixed("harness-token", r"[A-Za-z0-9_-]{22}\.[0-9A-Fa-f]{24}\.[A-Za-z0-9]{20}", "pat.", "sat."),
    _prefixed("openshift-token", r"[A-Za-z0-9_-]{43}", "sha256~"),
    _prefixed("intra42-secret", r"[0-9a-f]{64}", "s-s4t2ud-", "s-s4t2af-"),
    _prefixed("scalingo-token", r"[A-Za-z0-9_-]{48}", "tk-us-"),
    _prefixed("yandex-key", rf"{_URLSAFE}{{35,60}}+", "AQVN", "YCAJE"),
    _prefixed("settlemint-token", r"[A-Za-z0-9]{16}", "sm_pat_", "sm_aat_", "sm_sat_"),
    _prefixed("defined-token", r"[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}", "dnkey-"),
    _prefixed("looker-key", rf"{_WORD}{{24,40}}+", "looker_"),
    _prefixed("wandb-key", rf"{_WORD}{{40,100}}+", "wandb_v1_"),
    SecretRule(
        "yandex-token", ("t1.",), rf"{_EDGE}t1\.[A-Z0-9a-z_-]{{3,200}}+={{0,2}}\.[A-Za-z0-9_-]{{86}}={{0,2}}", anything
    ),
    SecretRule(
        "discord-token",
        (".",),
        r"(?<![A-Za-z0-9_.-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_.-])",
        random_looking,
    ),
    SecretRule(
        "url-password",
        ("://",),
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,24}://[^\s:/\"'<>`\[\]]{0,80}+:(?P<value>[^\s/@\"'<>`\[\]]{3,200}+)@",
        url_password,
    ),
    SecretRule(
        "authorization",
        ("bearer", "basic ", "authorization", "token "),
        r"(?i:(?<![A-Za-z0-9])(?:bearer|(?:authorization|auth)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:basic|token|apikey|bearer|digest|key|ntlm|negotiate)?)"
        r"[\s:=]{1,4}+[\"']?)(?P<value>[A-Za-z0-9._~+/=-]{12,4000}+)",
        credential,
    ),
    SecretRule(
        "basic-authorization",
        ("basic ",),
        r"(?i:(?<![A-Za-z0-9])basic )(?P<value>[A-Za-z0-9+/_-]{8,400}+={0,2})(?![A-Za-z0-9+/_=-])",
        credential,
    ),
    SecretRule(
        "sql-password",
        ("identified",),
        r"(?i:identified (?:by|with [\"']?\w{1,40}[\"']? (?:as|by)) )[\"']?(?P<value>[^\s\"';()]{4,100}+)",
        spoken_password,
    ),
    SecretRule(
        "curl-user",
        ("curl", "wget"),
        r"(?i:(?<![A-Za-z0-9])(?:-u|--user|--proxy-user)[ =]{0,2}+[\"']?)[^\s:\"']{1,80}+[\"']?:[\"']?(?P<value>[^\s\"']{4,200}+)",
        url_password,
    ),
    SecretRule(
        "curl-user",
        ("curl", "wget"),
        r"(?i:(?<![A-Za-z0-9])(?:-u|--user)[ =]{0,2}+[\"'])(?P<value>[^\s:\"']{8,200}+):[\"']",
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
        r"(?i:ConvertTo-SecureString)(?:\s{1,4}+-[A-Za-z]{2,20}+){0,4}+\s{1,4}+[\"']?(?P<value>[^\s\"'$(-][^\s\"']{5,200}+)",
        url_password,
    ),
    SecretRule(
        "license-key",
        ("activation", "licen", "product", "serial"),
        rf"(?i:(?:activation|licen[sc]e|product|serial)[ _-]?(?:key|code|number)){_BETWEEN}[\"']?"
        r"(?P<value>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}+){2,6}+)(?![A-Za-z0-9-])",
        anything,
    ),
    SecretRule(
        "contribsys-key",
        ("contribsys",),
        rf"BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM{_BETWEEN}[\"']?(?P<value>[0-9a-f]{{8}}:[0-9a-f]{{8}})(?![0-9a-f])",
        anything,
    ),
    SecretRule(
        "vendor-id",
        ("sumo", "sonar", "messagebird"),
        rf"(?i:(?:sumo(?:logic)?|sonar|messagebird)[a-z_.-]{{0,20}}(?:access[_.-]?id|client[_.-]?id|login)){_BETWEEN}{_VALUE}",
        random_looking,
    ),
    SecretRule(
        "byte-array",
        ("key", "secret", "salt", "nonce", "passw"),
        r"(?i:(?:key|secret|salt|nonce|passw(?:or)?d)[a-z0-9_]{0,12})[\"']?\s{0,4}+[:=]{0,2}+\s{0,4}+(?:\[\]byte|bytes\()?\s{0,2}+[{\[]"
        r"(?P<value>\s{0,4}+(?:(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3})\s{0,10}+,\s{0,10}+){7,200}+(?:0x[0-9a-fA-F]{1,2}|[0-9]{1,3}|\\))",
        anything,
    ),
    SecretRule(
        "password-option",
        ("--", "-pass", "-pwd"),
        r"(?i:(?<![A-Za-z0-9-])--?[a-z0-9_-]{0,24}(?:password|passwd|pass|pwd|token|secret|bearer|api-?key))\s{1,4}+[\"']?(?P<value>[^\s\"'`<>|&;-][^\s\"'`<>|&;]{3,200}+)",
        spoken_password,
    ),
    SecretRule("password", _PASSWORD_WORDS, f"{_PASSWORD_NAMES}{_REST}{_BETWEEN}{_QUOTED}", password),
    SecretRule("password", _PASSWORD_WORDS, f"{_PASSWORD_NAMES}{_REST}{_BETWEEN}{_BARE}", bare_password),
    SecretRule(
        "secret",
        ("secret", "token", "cred", "auth"),
        rf"(?i:{_SECRET_NAMES}(?![a-z])){_REST}{_BETWEEN}{_VALUE}",
        credential,
    ),
    SecretRule(
        "named-key",
        ("key",),
        # The lookahead for the word itself avoids trying the forty names at every position.
        rf"(?i:(?=[a-z]{{2,14}}[ _.-]?key){_KEY_NAMES}(?![a-z])){_REST}{_BETWEEN}{_VALUE}",
        credential,
    ),
    SecretRule(
        "key",
        ("key", "nonce", "salt"),
        rf"(?i:(?:key|nonce|salt)(?![a-z])){_REST}{_BETWEEN}{_VALUE}",
        strong_credential,
    ),
    SecretRule(
        "spoken-secret",
        ("token", "secret", "key"),
        r"(?i:(?<![a-z])(?:token|secret|api[ _-]?key|access[ _-]?key|secret[ _-]?key)\s{1,4}+(?:is|was))[ :]{1,4}+[\"'`]?(?P<value>[^\s\"'`<>,;&]{8,200}+)",
        credential,
    ),
    SecretRule(
        "spoken-password",
        ("pass", "pwd", "密码", "密碼", "口令", "パスワード", "비밀번호"),
        r"(?i:(?<![a-z])(?:password|passwd|passphrase|passcode|pass|pwd|密码|密碼|口令|パスワード|비밀번호)(?:\s{1,4}+for\s{1,4}+[^\s]{1,40}+)?"
        r"\s{0,4}+(?:is|was|=|:|：|是|为|為|は|[:：]?))\s{0,4}+[\"'`「“]?(?P<value>[^\s\"'`<>，。；、」”,;]{6,100}+)",
        spoken_password,
    ),
)
