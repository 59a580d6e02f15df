"""The file of tokens: private, without the tokens, and read anew at every question."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from satchel.adapters.token_file import TOKENS, TokenFile
from satchel.errors import Conflict, InvalidRequest, NotFound
from tests.tables import each_case

NOW = 1_794_800_000_000


def created(file: TokenFile, name: str) -> str:
    """Create a token and return its secret."""
    return file.create(name, NOW, scopes=("project/shop",), read_only=True, expires_at=NOW + 1)[1]


def test_a_token_is_found_by_its_secret_until_it_is_revoked(tmp_path: Path) -> None:
    file, other_process = TokenFile(tmp_path / "home"), TokenFile(tmp_path / "home")
    secret = created(file, "ci")

    found = other_process.find(secret)
    assert found is not None
    assert (found.name, found.scopes, found.read_only, found.expires_at) == ("ci", ("project/shop",), True, NOW + 1)
    assert other_process.find(secret + "x") is None
    assert other_process.find(secret[:-1]) is None
    assert other_process.find("") is None

    file.revoke("ci")
    assert other_process.find(secret) is None


def test_the_file_is_private_and_has_no_secret(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secret = created(TokenFile(tmp_path / "home"), "ci")
    finally:
        os.umask(before)
    path = tmp_path / "home" / TOKENS

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert secret not in path.read_text(encoding="utf-8")
    assert secret.removeprefix("satchel_") not in path.read_text(encoding="utf-8")
    assert [one.name for one in path.parent.iterdir()] == [TOKENS]


def test_tokens_are_listed_by_name_and_a_name_is_unique(tmp_path: Path) -> None:
    file = TokenFile(tmp_path)
    for name in ("b", "c", "a"):
        created(file, name)

    assert [one.name for one in file.tokens()] == ["a", "b", "c"]
    with pytest.raises(Conflict) as refused:
        created(file, "b")
    assert refused.value.code == "token_exists"


def test_a_token_that_does_not_exist_cannot_be_revoked(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as refused:
        TokenFile(tmp_path).revoke("nobody")
    assert refused.value.code == "no_token"


@each_case("content", [b"", b"{", b"{}", b"[1]", b"\xff", b'[{"name": "a"}]', b"[" * 100_000])
def test_a_damaged_file_admits_nobody_and_is_an_error(tmp_path: Path, content: bytes) -> None:
    file = TokenFile(tmp_path)
    (tmp_path / TOKENS).unlink(missing_ok=True)
    secret = created(file, "ci")
    (tmp_path / TOKENS).write_bytes(content)

    assert file.find(secret) is None
    with pytest.raises(InvalidRequest) as refused:
        created(file, "another")
    assert refused.value.code == "damaged_tokens"
    assert (tmp_path / TOKENS).read_bytes() == content


def test_a_pipe_or_a_folder_in_its_place_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    os.mkfifo(tmp_path / "a" / TOKENS)
    (tmp_path / "b" / TOKENS).mkdir(parents=True)
    for name in ("a", "b"):
        assert TokenFile(tmp_path / name).find("satchel_x") is None


def test_tokens_created_at_once_are_all_kept(tmp_path: Path) -> None:
    names = [f"token-{number:02}" for number in range(20)]
    threads = [threading.Thread(target=created, args=(TokenFile(tmp_path), name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [one["name"] for one in json.loads((tmp_path / TOKENS).read_bytes())] == names
