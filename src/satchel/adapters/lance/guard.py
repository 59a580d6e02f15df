"""One error type for whatever Lance raises."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from satchel.adapters.lance.folder import unusable


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn whatever Lance raises into Unavailable: the index cannot be used, but the ledger can."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        raise unusable(error) from error
    except BaseException as error:
        # A damaged file can make the Rust code panic, which is not an Exception in Python.
        if type(error).__name__ == "PanicException":
            raise unusable(error) from error
        raise
