"""The key of a store's own exports."""

from pathlib import Path

import pytest

from satchel.adapters.export_key import KEY_BYTES, ExportKeyFile
from satchel.errors import Corrupt
from tests.tables import each_case


def test_a_key_is_made_once_private_and_only_if_wanted(tmp_path: Path) -> None:
    path = tmp_path / "export-key"
    key = ExportKeyFile(path, read_only=False)
    assert key(create=False) is None and not path.exists()
    made = key(create=True)

    assert made is not None and len(made) == KEY_BYTES
    assert key(create=True) == key(create=False) == ExportKeyFile(path, read_only=True)(create=True) == made
    assert path.stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["export-key"]


def test_a_read_only_store_makes_no_key(tmp_path: Path) -> None:
    assert ExportKeyFile(tmp_path / "export-key", read_only=True)(create=True) is None
    assert not [*tmp_path.iterdir()]


@each_case("content", [b"", b"abc", b"00" * 31, b"00" * 33, b"\xff" * 64, b"zz" * 32])
def test_a_damaged_key_is_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "export-key"
    path.write_bytes(content)

    with pytest.raises(Corrupt):
        ExportKeyFile(path, read_only=False)(create=True)
