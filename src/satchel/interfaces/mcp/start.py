"""`satchel mcp`: greet the client at once, load the SDK meanwhile, and let it take over."""

import threading

from satchel.config import Settings
from satchel.interfaces.agents import Bounds
from satchel.interfaces.mcp import opening
from satchel.interfaces.mcp.listing import lists


def serve(settings: Settings, bounds: Bounds) -> int:
    """Serve the client that started this process until it disconnects; return the exit code."""
    conversation = opening.begin()
    conversation.know(lists(bounds))
    loaded = threading.Event()

    def load() -> None:
        try:
            from satchel.interfaces.mcp import server  # noqa: F401  the SDK takes a second to import
        finally:
            loaded.set()
            conversation.wake()

    # Another thread, so that the end of the input and signals are noticed meanwhile.
    threading.Thread(target=load, daemon=True, name="satchel-load").start()
    if not conversation.wait_until(loaded):
        opening.end()
    from satchel.interfaces.mcp.server import go_on

    return go_on(settings, bounds, conversation)
