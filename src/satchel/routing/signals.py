"""Signals in the wording of a query: phrases, identifiers and paths.

A phrase is a case-insensitive regular expression; text that matches its `unless` is removed first. Identifiers and paths
are recognized by form.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

# The gap in a phrase: short, and within a sentence.
GAP = r"[^.?!。？！\n]{0,60}?"
# Only the beginning of a query is analysed; the rest is usually pasted material.
MAX_CHARS = 4_000

# Anchored at word starts and bounded, so that long runs of letters are not tried at every position.
_URL = re.compile(
    r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]{0,30}://\S*|\bwww\.\S+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,200}"
)
_APOSTROPHES = str.maketrans("\u2018\u2019\u201b\u02bc\u2032\uff07", "''''''")
_CONTRACTED_IS = re.compile(r"\b(what|who|where|when|how|why|which|that|it|there|here)'s\b", re.IGNORECASE | re.ASCII)

# Not \b: there is none between a Chinese character and a Latin letter.
_TOKEN = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_])")
_CALL = re.compile(r"(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*\(\)")
_QUALIFIED = re.compile(r"(?<![\w.:])[A-Za-z_]\w*(?:(?:::|\.)[A-Za-z_]\w*)+", re.ASCII)
_QUALIFIER = re.compile(r"::|\.")
_SNAKE = re.compile(r"_*[A-Za-z0-9]+(?:_+[A-Za-z0-9]+)+_*|__[A-Za-z0-9]+__")
_CAMEL = re.compile(
    r"[a-z]{2}[a-z0-9]*[A-Z][A-Za-z0-9]*"  # parseAuthToken
    r"|[A-Z][a-z0-9]+[A-Z][A-Za-z0-9]*"  # UserService
    r"|[A-Z]{2,}[a-z]{2,}[A-Za-z0-9]*"  # HTTPServer, but no APIs
)

_PATH_RUN = re.compile(r"[A-Za-z0-9_@~.*+\-/\\:]+")
_GLOB = re.compile(r"\*\.\w|/\*|\*/")
_DRIVE = re.compile(r"[A-Za-z]:/")
_ENDS = ".:?!,"
# A folder or file name: no acronym, no number, no single letter.
_PATH_WORD = re.compile(r"[@_.]?[a-z][a-z0-9_.-]+|[A-Z][a-z][A-Za-z0-9_.-]*")
_WORDS = (
    "and or not nor he she him her his hers they them we you i it its this that these those who which what when where "
    "yes no none any all some both either neither true false on off if else then than with without for from to in out "
    "up down by at of a an the is are was were be has have had do does did can will would should may might"
)
_FUNCTION_WORDS = frozenset(_WORDS.split())
_PAIRS = (
    "read/write input/output client/server web/mobile web/app test/prod dev/prod dev/test dev/staging staging/prod "
    "build/test test/deploy build/deploy lint/test start/stop pause/resume open/close open/closed push/pull get/set "
    "get/put get/post add/remove add/delete insert/update update/delete create/delete create/update encode/decode "
    "encrypt/decrypt sign/verify request/response req/res key/value name/value left/right top/bottom before/after "
    "start/end begin/end first/last min/max old/new pro/con pros/cons public/private internal/external local/remote "
    "sync/async async/await train/test upload/download import/export login/logout signin/signout login/signup "
    "enable/disable enabled/disabled show/hide light/dark mobile/desktop front/back frontend/backend user/admin "
    "male/female pass/fail success/failure success/error error/warning high/low hot/cold buy/sell import/require "
    "publish/subscribe pub/sub producer/consumer source/target source/destination parent/child buyer/seller doc/docs "
    "file/folder files/folders file/directory and/or either/or day/night online/offline lead/lag win/loss read/only "
    "day/week week/month month/year hour/day per/day design/dev product/design design/engineering trial/error "
    "hardware/software bug/feature unit/integration horizontal/vertical master/slave primary/replica leader/follower "
    "human/machine question/answer supply/demand cost/benefit risk/reward owner/group tcp/ip"
)
_CHOICES = frozenset(frozenset(pair.split("/")) for pair in _PAIRS.split())


_EXTENSIONS = (
    "ts tsx js jsx mjs cjs py pyi ipynb rs go java kt kts swift rb php c h cc cpp cxx hpp hh cs mm scala clj ex exs erl "
    "hs lua pl pm jl dart vue svelte sh bash zsh fish ps1 bat sql md mdx rst txt adoc json jsonl json5 yaml yml toml ini "
    "cfg conf lock xml html htm css scss sass less csv tsv proto graphql gql tf hcl gradle cmake mk log pdf doc docx xls "
    "xlsx ppt pptx png jpg jpeg gif svg webp ico zip tar gz parquet db sqlite sqlite3 wasm"
)
EXTENSIONS = frozenset(_EXTENSIONS.split())
_NAMES = (
    "javascript typescript coffeescript github gitlab bitbucket postgresql mysql sqlite mariadb mongodb dynamodb couchdb "
    "influxdb clickhouse graphql openapi oauth oauth2 macos ios ipados tvos watchos iphone ipad youtube linkedin whatsapp "
    "facebook paypal ebay wordpress latex devops devsecops gitops mlops finops saas paas iaas openai chatgpt deepseek "
    "deepmind huggingface pytorch tensorflow numpy scipy cuda opengl webgl webgpu webrtc websocket websockets websites "
    "vscode intellij pycharm webstorm airbnb opensuse fedora redhat vmware virtualbox powershell powerpoint onedrive "
    "sharepoint hubspot salesforce quickbooks mailchimp rabbitmq activemq zeromq elasticsearch opensearch kubernetes "
    "openshift openstack cloudflare cloudformation terraform jenkins teamcity circleci sonarqube bigquery redshift "
    "snowflake phd mcdonald macbook airpods openclaw lancedb chromadb pgvector mhz ghz khz gbps mbps kbps"
)
NAMES = frozenset(_NAMES.split())
"""Products, units and degrees that look like identifiers, in lower case."""
_FILE_LIKE_NAMES = (
    "node.js vue.js next.js nuxt.js react.js express.js d3.js three.js ember.js backbone.js chart.js moment.js "
    "discord.js angular.js require.js polymer.js alpine.js solid.js p5.js tensorflow.js asp.net socket.io docs.rs "
    "bun.sh get.sh v8.h"
)
FILE_LIKE_NAMES = frozenset(_FILE_LIKE_NAMES.split())
"""Names that look like files, in lower case."""


class RoutingSignal(Struct, frozen=True):
    """A phrase that selects a rule."""

    name: str
    pattern: str
    unless: str = ""
    """Phrases that do not count."""
    names: int = 0
    """How many identifiers the query has to name besides: "uses" alone is a word like any other."""


def plain(query: str) -> str:
    """Return the analysed part of a query, with plain apostrophes and "what's" as "what is"."""
    return _CONTRACTED_IS.sub(r"\1 is", query[:MAX_CHARS].translate(_APOSTROPHES))


def matches(signal: RoutingSignal, text: str) -> bool:
    """Return whether a text contains the phrase of a signal, other than in its exceptions."""
    if signal.unless:
        text = _compiled(signal.unless).sub(" ¦ ", text)
    return _compiled(signal.pattern).search(text) is not None


def without_addresses(text: str) -> str:
    """Return a text without URLs and mail addresses, which contain no paths or identifiers."""
    return _URL.sub(" ", text)


def identifiers(text: str, names: frozenset[str] = NAMES) -> tuple[str, ...]:
    """Return the identifiers of a text in order: CamelCase, snake_case, calls and qualified names."""
    text = without_addresses(text)
    files = {word for run in _runs(text) if _file_or_glob(run) for word in _TOKEN.findall(run)}
    qualified = [one for one in _QUALIFIED.findall(text) if _is_qualified(one, names, files)]
    rest = _QUALIFIED.sub(lambda hit: " " if hit.group() in qualified else hit.group(), text)
    found = [*qualified, *_CALL.findall(rest)]
    found += [word for word in _TOKEN.findall(rest) if is_identifier(word, names) and word not in files]
    return tuple(dict.fromkeys(found))


def components(identifier: str) -> tuple[str, ...]:
    """Return the names that a qualified name consists of: BookingService and cancel of BookingService.cancel."""
    return tuple(_QUALIFIER.split(identifier))


def _is_qualified(name: str, names: frozenset[str], files: set[str]) -> bool:
    """Return whether a name with separators is one of code: with a dot, a part of it has to look like an identifier."""
    own = components(name)
    return "::" in name or (files.isdisjoint(own) and any(is_identifier(one, names) for one in own))


def is_identifier(word: str, names: frozenset[str] = NAMES) -> bool:
    """Return whether a word has the form of an identifier and is not a known name."""
    if _SNAKE.fullmatch(word):
        return not word.replace("_", "").isdigit()
    return _CAMEL.fullmatch(word) is not None and _singular(word.lower()) not in names


def paths(text: str) -> tuple[str, ...]:
    """Return the paths, globs, file names and extensions of a text in order."""
    return tuple(dict.fromkeys(run for run in _runs(without_addresses(text)) if _file_or_glob(run) or _is_path(run)))


def _runs(text: str) -> Iterator[str]:
    for run in _PATH_RUN.findall(text):
        ended = run.rstrip(_ENDS)
        if ended:
            yield ended


def _file_or_glob(run: str) -> bool:
    return _is_glob(run) or _has_extension(run)


def _is_glob(run: str) -> bool:
    # Stars around a word are emphasis.
    emphasis = run.startswith("*") and run.endswith("*") and "/" not in run
    return not emphasis and _GLOB.search(run) is not None


def _has_extension(run: str) -> bool:
    name, dot, ending = run.replace("\\", "/").rpartition("/")[2].rpartition(".")
    if not dot or ending.lower() not in EXTENSIONS or run.lower() in FILE_LIKE_NAMES:
        return False
    # A single letter after the dot is more often an abbreviation than an extension.
    return len(ending) > 1 or len(name) > 1


def _is_path(run: str) -> bool:
    run = run.replace("\\", "/")
    if "/" not in run or not any(letter.isalpha() for letter in run):
        return False
    if run.startswith(("/", "./", "../", "~/")) or _DRIVE.match(run):
        return True
    parts = run.rstrip("/").split("/")
    if run.endswith("/"):
        return len(parts[-1]) > 1 and all(parts)
    if not all(parts) or all(part.isdigit() for part in parts):
        return False
    if len(parts) == 2:
        return all(_PATH_WORD.fullmatch(part) for part in parts) and not _alternatives(parts)
    # TCP/UDP/ICMP is a list, not a path.
    return not all(part.isupper() for part in parts)


def _alternatives(parts: list[str]) -> bool:
    """Return whether two words with a slash are alternatives, such as client/server, rather than a folder and a file."""
    words = [part.lower() for part in parts]
    return not _FUNCTION_WORDS.isdisjoint(words) or frozenset(words) in _CHOICES or words[0] == words[1]


def _singular(word: str) -> str:
    return word if word in NAMES else word.removesuffix("s")


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    # ASCII, so that a word boundary exists next to Chinese.
    return re.compile(pattern, re.IGNORECASE | re.ASCII)
