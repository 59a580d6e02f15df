"""The error tree, sorted by what the caller can do about it.

    SatchelError
    ├── InvalidRequest      change the request
    ├── NotFound            name something else
    ├── Refused             policy says no
    │   └── ReadOnlyMode        the operator has switched writing off
    ├── Conflict            somebody else was first: read again, then decide
    ├── Unavailable         try again later, or mend the surroundings
    │   ├── EmbeddingFailed     one text or batch got no vector
    │   ├── RerankFailed        the candidates got no second opinion
    │   ├── PreflightFailed     a write could not be checked
    │   └── BackendFailed       a backend of the router gave no answer
    └── Corrupt             the store is damaged
        └── NewerStore          … or made by a newer Satchel

Each error carries a stable ``code`` for programs, a message for people, and a hint that says what to do next.
The core knows no exit code and no HTTP status: the edges find those by walking the class tree.
"""


class SatchelError(Exception):
    """Anything Satchel reports on purpose."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class InvalidRequest(SatchelError):
    """The request itself is wrong; nothing was changed."""

    code = "invalid_request"


class NotFound(SatchelError):
    """What was named does not exist, or not where the caller may see it."""

    code = "not_found"


class Refused(SatchelError):
    """A rule forbids it, however the request is worded."""

    code = "refused"


class ReadOnlyMode(Refused):
    """The setting read_only is on: nothing may be written."""

    code = "readonly_mode"


class Conflict(SatchelError):
    """The state changed underneath the request."""

    code = "conflict"


class Unavailable(SatchelError):
    """Something needed is not there right now: disk, lock, network, model."""

    code = "unavailable"


class EmbeddingFailed(Unavailable):
    """No vector could be made; the text itself is safe."""

    code = "embedding_failed"


class RerankFailed(Unavailable):
    """No reranking could be had; the order there was still stands."""

    code = "rerank_failed"


class PreflightFailed(Unavailable):
    """The check before a write could not be made."""

    code = "preflight_failed"


class BackendFailed(Unavailable):
    """A backend of the router could not answer; the next one is asked."""

    code = "BACKEND_ERROR"


class Corrupt(SatchelError):
    """The store is damaged and needs repair before it can be trusted."""

    code = "store_damaged"


class NewerStore(Corrupt):
    """The store was written by a newer version than this one."""

    code = "store_newer"
