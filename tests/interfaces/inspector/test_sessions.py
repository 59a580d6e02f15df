"""One-time tokens and sessions, with a clock of our own."""

from satchel.interfaces.inspector.sessions import IDLE_SECONDS, MAX_KEPT, TOKEN_SECONDS, BrowserSessions


class _Clock:
    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_token_begins_one_session() -> None:
    sessions = BrowserSessions(_Clock())
    token = sessions.make_token()

    id = sessions.begin(token)

    assert id is not None
    assert sessions.find(id) is not None
    assert sessions.begin(token) is None


def test_a_token_ends_after_a_minute() -> None:
    clock = _Clock()
    sessions = BrowserSessions(clock)
    token = sessions.make_token()
    clock.seconds += TOKEN_SECONDS + 0.1

    assert sessions.begin(token) is None


def test_an_unknown_token_or_session_is_none() -> None:
    sessions = BrowserSessions(_Clock())

    assert sessions.begin("") is None
    assert sessions.find("") is None


def test_a_session_lasts_while_it_is_used_and_ends_when_idle() -> None:
    clock = _Clock()
    sessions = BrowserSessions(clock)
    id = sessions.begin(sessions.make_token()) or ""
    for _ in range(3):
        clock.seconds += IDLE_SECONDS
        assert sessions.find(id) is not None
    clock.seconds += IDLE_SECONDS + 0.1

    assert sessions.find(id) is None
    clock.seconds = 0
    assert sessions.find(id) is None


def test_the_number_of_tokens_and_sessions_is_bounded() -> None:
    sessions = BrowserSessions(_Clock())
    first = sessions.make_token()
    ids = [sessions.begin(sessions.make_token()) or "" for _ in range(MAX_KEPT + 1)]
    tokens = [sessions.make_token() for _ in range(MAX_KEPT)]

    assert sessions.find(ids[0]) is None
    assert sessions.find(ids[-1]) is not None
    assert sessions.begin(first) is None
    assert sessions.begin(tokens[-1]) is not None
