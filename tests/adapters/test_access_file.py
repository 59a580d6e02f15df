"""The file of users and tokens: private, without the tokens, and read again at every question."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from satchel.adapters.access_file import FILE, AccessFile
from satchel.domain.access import Role, User, token_digest
from satchel.domain.access_list import add_user, revoke_token
from satchel.errors import InvalidRequest
from satchel.interfaces.tokens import issue_token
from tests.tables import each_case

NOW = 1_794_800_000_000


def created(file: AccessFile, name: str) -> str:
    """Create a token and return its secret."""
    return issue_token(file, name, NOW, scopes=("project/shop",), read_only=True, expires_at=NOW + 1)[1]


def test_another_process_sees_a_change_at_once(tmp_path: Path) -> None:
    file, other_process = AccessFile(tmp_path / "home"), AccessFile(tmp_path / "home")
    secret = created(file, "ci")

    found = other_process.find(token_digest(secret))
    assert found is not None
    assert (found[0].name, found[0].scopes, found[0].expires_at) == ("ci", ("project/shop",), NOW + 1)

    file.change(lambda access: revoke_token(access, "ci"))
    assert other_process.find(token_digest(secret)) is None


def test_the_file_is_private_and_has_no_secret(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secret = created(AccessFile(tmp_path / "home"), "ci")
    finally:
        os.umask(before)
    path = tmp_path / "home" / FILE

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert secret not in path.read_text(encoding="utf-8")
    assert secret.removeprefix("satchel_") not in path.read_text(encoding="utf-8")
    assert [one.name for one in path.parent.iterdir()] == [FILE]


def test_a_file_of_tokens_alone_is_read_and_completed(tmp_path: Path) -> None:
    file, digest = AccessFile(tmp_path), token_digest("satchel_x")
    (tmp_path / FILE).write_text(
        json.dumps([{"name": "ci", "digest": digest, "created_at": NOW, "scopes": ["project/shop"]}]), encoding="utf-8"
    )
    file.change(lambda access: add_user(access, User("anna", Role.WRITE, NOW)))

    found = file.find(digest)
    assert found is not None and found[0].name == "ci" and found[1] is None
    assert [one.name for one in file.read().users] == ["anna"]


@each_case(
    "content", [b"", b"{", b"{}", b"[1]", b"\xff", b'[{"name": "a"}]', b'{"users": [], "tokens": 1}', b"[" * 100_000]
)
def test_a_damaged_file_admits_nobody_and_is_an_error(tmp_path: Path, content: bytes) -> None:
    file = AccessFile(tmp_path)
    (tmp_path / FILE).unlink(missing_ok=True)
    secret = created(file, "ci")
    (tmp_path / FILE).write_bytes(content)

    assert file.find(token_digest(secret)) is None
    with pytest.raises(InvalidRequest) as refused:
        created(file, "another")
    assert refused.value.code == "damaged_tokens"
    assert (tmp_path / FILE).read_bytes() == content


def test_a_pipe_or_a_folder_in_its_place_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / FILE)
    (tmp_path / "b" / FILE).mkdir(parents=True)
    for name in ("a", "b"):
        assert AccessFile(tmp_path / name).find(token_digest("satchel_x")) is None


def test_tokens_created_at_once_are_all_kept(tmp_path: Path) -> None:
    names = [f"token-{number:02}" for number in range(20)]
    threads = [threading.Thread(target=created, args=(AccessFile(tmp_path), name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [one["name"] for one in json.loads((tmp_path / FILE).read_bytes())["tokens"]] == names
