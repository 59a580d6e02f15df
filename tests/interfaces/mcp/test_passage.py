import asyncio
import threading
from collections.abc import Callable

from satchel.interfaces.mcp.passage import MAX_LINES_UNDERWAY, Passage

PATIENCE = 60


def _started(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_lines_arrive_in_order_until_the_end() -> None:
    sent = [f"line {number}".encode() for number in range(10 * MAX_LINES_UNDERWAY)]

    async def receive() -> list[bytes]:
        with Passage() as passage:

            def put_all() -> None:
                for line in (*sent, None):
                    passage.put(line)

            _started(put_all)
            return [line async for line in passage.lines()]

    assert asyncio.run(receive()) == sent


def test_the_thread_waits_while_nobody_takes_a_line() -> None:
    put = list[bool]()

    async def leave_without_taking_any() -> threading.Thread:
        with Passage() as passage:
            thread = _started(lambda: put.extend(passage.put(b"line") for _ in range(100)))
            while len(put) < MAX_LINES_UNDERWAY:
                await asyncio.sleep(0)
            return thread

    asyncio.run(leave_without_taking_any()).join(PATIENCE)

    assert put == [True] * MAX_LINES_UNDERWAY + [False] * (100 - MAX_LINES_UNDERWAY)


def test_a_loop_that_ends_with_lines_under_way_frees_the_thread_and_reports_nothing() -> None:
    refused = threading.Event()
    reported = list[object]()

    async def take_one() -> threading.Thread:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        passage = Passage()

        def put_until_refused() -> None:
            while passage.put(b"line"):
                pass
            refused.set()

        thread = _started(put_until_refused)
        with passage:
            async for _ in passage.lines():
                break
        return thread

    asyncio.run(take_one()).join(PATIENCE)

    assert (refused.is_set(), reported) == (True, [])


def test_a_closed_loop_takes_nothing() -> None:
    async def open_and_abandon() -> Passage:
        return Passage()

    abandoned = asyncio.run(open_and_abandon())

    assert [abandoned.put(line) for line in (b"line", None)] == [False, False]
    with abandoned:
        pass
