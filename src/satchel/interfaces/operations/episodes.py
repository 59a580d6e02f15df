"""What one does with episodes: turns of conversations, kept word for word."""

from satchel.domain.answers import Forgotten
from satchel.domain.episode import (
    KINDS,
    EpisodeList,
    EpisodesAdded,
    EpisodesEmbedded,
    EpisodesFound,
    EpisodeShown,
    EpisodesPruned,
    SessionList,
)
from satchel.domain.record import SourceKind
from satchel.episodes.service import LEVELS, MAX_LIMIT, MAX_NEIGHBOURS
from satchel.interfaces.operations.operation import (
    ALL_SCOPES,
    QUARANTINED,
    SCOPE,
    Operation,
    Parameter,
    flag,
    json_list,
    words,
)
from satchel.recall.question import Mode

SESSION = Parameter("session", "only turns of this session")
AFTER = Parameter("after", "go on after this mark, the 'next' of a page")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "episodes add",
        "keep what was said, word for word",
        lambda session, given: session.memory.episodes.add(progress=session.progress, **given),
        result=EpisodesAdded,
        writes=True,
        idempotent=True,
        long=True,
        parameters=(
            Parameter("text", "one turn", positional=True, from_stdin=True),
            Parameter(
                "lines", "many turns, a JSON object to a line: text, session, speaker, role, at, id", from_stdin=True
            ),
            Parameter("turns", "many turns, as a list of such objects", type=json_list, default=()),
            Parameter("session", "session the turns belong to, where they do not say"),
            Parameter("speaker", "who says it, by name"),
            Parameter("role", "user, assistant, tool or system"),
            Parameter("at", "when it was said; now if left out"),
            Parameter("kind", "what sort of turn it is, where the role does not tell", choices=KINDS),
            Parameter("id", "what its source calls it"),
            SCOPE,
            Parameter(
                "source_kind",
                "channel it came through",
                default=SourceKind.OPERATOR.value,
                choices=words(SourceKind),
                operator_only=True,
            ),
        ),
        details="Secrets are masked before anything is written; turns marked private are left out. A turn with an id, or "
        "with a time, is kept once however often it is given. Nothing that was said becomes a memory by being kept.",
        examples=(
            'satchel episodes add "We ship on Fridays." --session standup --speaker Ann',
            "cat turns.jsonl | satchel episodes add --lines -",
        ),
    ),
    Operation(
        "episodes search",
        "find what was said",
        lambda session, given: session.memory.episodes.search(**given),
        result=EpisodesFound,
        writes=False,
        served=True,
        parameters=(
            Parameter("query", "what to look for", required=True, positional=True, from_stdin=True),
            SCOPE,
            ALL_SCOPES,
            Parameter("mode", "by words, by meaning, or both", default=Mode.HYBRID.value, choices=words(Mode)),
            Parameter("limit", f"how many to return, 1 to {MAX_LIMIT}", type=int, default=10),
            Parameter("level", "turns, or the best turn of each session", default="turn", choices=LEVELS),
            Parameter("now", "date from which 'yesterday' or 'last March' is seen; today if left out"),
            SESSION,
            Parameter("kinds", "only turns of this sort", flag="kind", repeated=True, default=(), choices=KINDS),
            Parameter("since", "only what was said at this date or later"),
            Parameter("until", "only what was said before this date"),
            Parameter(
                "neighbours", f"how many turns around each hit to show, 0 to {MAX_NEIGHBOURS}", type=int, default=0
            ),
            Parameter("explain", "show how each hit came by its score", type=bool, default=False, only_shown=True),
        ),
        details="A short answer is found by the question before it, and a turn by its date and by who said it.",
        examples=(
            'satchel episodes search "what did Ann say about the release" --neighbours 2',
            'satchel episodes search "where did we go last March" --now 2026-05-01 --level session',
        ),
    ),
    Operation(
        "episodes list",
        "list turns, newest first",
        lambda session, given: session.memory.episodes.list(**given),
        result=EpisodeList,
        writes=False,
        parameters=(
            SCOPE,
            ALL_SCOPES,
            SESSION,
            Parameter("limit", "how many to return, 1 to 5000", type=int, default=20),
            AFTER,
            QUARANTINED,
        ),
    ),
    Operation(
        "episodes sessions",
        "list sessions, the latest first",
        lambda session, given: session.memory.episodes.sessions(**given),
        result=SessionList,
        writes=False,
        parameters=(
            SCOPE,
            ALL_SCOPES,
            Parameter("limit", "how many to return, 1 to 5000", type=int, default=20),
            AFTER,
        ),
    ),
    Operation(
        "episodes show",
        "show one turn whole, and those around it",
        lambda session, given: session.memory.episodes.show(**given),
        result=EpisodeShown,
        writes=False,
        parameters=(
            Parameter("id", "id of the turn", required=True, positional=True),
            SCOPE,
            ALL_SCOPES,
            Parameter("neighbours", f"how many turns on each side, 0 to {MAX_NEIGHBOURS}", type=int, default=2),
            QUARANTINED,
        ),
    ),
    Operation(
        "episodes embed",
        "give the turns that wait their vectors, and bring the index up to date",
        lambda session, given: session.memory.episodes.embed(progress=session.progress, **given),
        result=EpisodesEmbedded,
        writes=True,
        idempotent=True,
        operator_only=True,
        long=True,
        parameters=(Parameter("seconds", "stop after so many seconds; the rest waits", type=float),),
        details="A search does this for what is new within a small time limit. What waits is found by its words.",
    ),
    Operation(
        "episodes forget",
        "erase a turn or a whole session everywhere",
        lambda session, given: session.memory.episodes.forget(**given),
        result=Forgotten,
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        parameters=(
            Parameter("id", "id of the turn", positional=True),
            Parameter("session", "forget every turn of this session instead"),
            SCOPE,
            ALL_SCOPES,
            flag("verify", "search every file for the text, before and after"),
        ),
    ),
    Operation(
        "episodes prune",
        "drop turns that were kept as long as their type is to be kept",
        lambda session, given: session.memory.episodes.prune(**given),
        result=EpisodesPruned,
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        parameters=(SCOPE, ALL_SCOPES, flag("dry_run", "write nothing, and say what would be done")),
        details="Counted from the day a turn was added; the settings 'episodes' say how many days each type is kept.",
    ),
)
