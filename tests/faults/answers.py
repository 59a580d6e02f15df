"""What the answer of a faulted command says: that it failed, why, or what it left out."""

import errno
from typing import Any

from satchel.interfaces.operations import OPERATIONS
from tests.faults.shim import Fault

# Failures beside the store: of a host's own files, and of a backend.
OTHER_CODES = {"host_config", "BACKEND_UNAVAILABLE"}


def has_failed(answer: Any) -> bool:
    """Return whether an answer, of a command or of a tool, is an error."""
    return not answer.get("ok", True) or bool(answer.get("isError"))


def admits_loss(answer: Any) -> bool:
    """Return whether an answer, of a command or of a tool, says that something was not done."""
    receipt = answer.get("receipt") or {}
    warnings = receipt.get("body", {}).get("warnings") or answer.get("details", {}).get("receipt", {}).get("warnings")
    return not receipt.get("kept", True) or bool(warnings)


def only_reads(case: str) -> bool:
    """Return whether the operation of a case changes no record: it only writes down what was asked and used."""
    return case in {one.name for one in OPERATIONS if not one.writes}


def wrong_errors(fault: Fault, answer: Any) -> list[str]:
    """Return what is wrong with how a failure was reported."""
    error = answer.get("error") or answer.get("details", {}).get("error")
    named = error.get("code") if isinstance(error, dict) else error
    is_full = fault.error == errno.ENOSPC
    if isinstance(named, str) and " " in named:
        # Attention commands answer with a sentence and no code.
        is_right = "the disk is full" in named if is_full else "internal error" not in named
    else:
        is_right = named in OTHER_CODES | ({"disk_full"} if is_full else {"io_error", "index_unusable"})
    return [] if is_right else [f"R5 reported as {named}"]
