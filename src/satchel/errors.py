"""The error tree, by what the caller can do about an error.

    SatchelError
    ├── InvalidRequest      change the request
    ├── NotFound            use another name or id
    ├── Refused             not allowed by policy
    │   └── ReadOnlyMode        the setting read_only is on
    ├── Conflict            the state has changed: read it again
    ├── Unavailable         try again later, or fix the environment
    │   ├── EmbeddingFailed     a text or batch could not be embedded
    │   ├── RerankFailed        the candidates could not be reranked
    │   ├── PreflightFailed     a write could not be checked
    │   ├── BackendFailed       a backend of the router failed
    │   └── LimitReached        a user asked for too much: wait
    └── Corrupt             the store is damaged
        └── NewerStore          the store was written by a newer version

Each error has a stable ``code`` for programs, a message, and a hint what to do next. Exit codes and HTTP statuses are
assigned at the edges, by class.
"""


class SatchelError(Exception):
    """Base class of all errors that Satchel reports."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class InvalidRequest(SatchelError):
    """The request is invalid; nothing was changed."""

    code = "invalid_request"


class NotFound(SatchelError):
    """The object does not exist, or the caller may not see it."""

    code = "not_found"


class Refused(SatchelError):
    """A policy forbids the request."""

    code = "refused"


class ReadOnlyMode(Refused):
    """The setting read_only is on, so nothing can be written."""

    code = "readonly_mode"


class Conflict(SatchelError):
    """The state has changed since the caller read it."""

    code = "conflict"


class Unavailable(SatchelError):
    """A resource is not available now: disk, lock, network, model."""

    code = "unavailable"


class EmbeddingFailed(Unavailable):
    """A text could not be embedded; the text itself is stored."""

    code = "embedding_failed"


class RerankFailed(Unavailable):
    """Reranking failed; the original order stays."""

    code = "rerank_failed"


class PreflightFailed(Unavailable):
    """The check before a write failed to run."""

    code = "preflight_failed"


class BackendFailed(Unavailable):
    """A backend of the router failed; the next one is tried."""

    code = "BACKEND_ERROR"


class LimitReached(Unavailable):
    """A user or a program asked for more than a limit allows."""

    code = "limit_reached"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "", retry_after: int = 0) -> None:
        super().__init__(message, code=code, hint=hint)
        self.retry_after = retry_after
        """Seconds after which it may be tried again."""


class Corrupt(SatchelError):
    """The store is damaged and must be repaired."""

    code = "store_damaged"


class NewerStore(Corrupt):
    """The store was written by a newer version of Satchel."""

    code = "store_newer"
