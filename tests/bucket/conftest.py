"""One local S3 server for the tests of a run, moto's, and a bucket for each test."""

import http.client
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from itertools import count

import pytest

KEY = "key-of-a-test"
SECRET = "secret-of-a-test"
START_SECONDS = 60.0
_numbers = count(1)


class ObjectStorage:
    """A server that can be stopped and started again at the same address, then without objects."""

    def __init__(self) -> None:
        program = shutil.which("moto_server")
        assert program is not None, "moto is not installed: run make test-postgres"
        self._program = program
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        self.start()

    def start(self) -> None:
        command = [self._program, "-H", "127.0.0.1", "-p", str(self._port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None and time.monotonic() < deadline, "moto did not start"
            time.sleep(0.05)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def make_bucket(self, name: str) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=10)
        connection.request("PUT", f"/{name}")
        assert connection.getresponse().status == 200
        connection.close()

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._port), timeout=1).close()
        except OSError:
            return False
        return True


@pytest.fixture(scope="session")
def storage() -> Iterator[ObjectStorage]:
    started = ObjectStorage()
    yield started
    started.stop()


@pytest.fixture
def bucket(storage: ObjectStorage, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty bucket, with the environment that reaches it."""
    name = f"memories-{next(_numbers)}"
    storage.make_bucket(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", storage.endpoint)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    return f"s3://{name}/team"
