"""Tables of another program on a disk that fails."""

from pathlib import Path
from typing import Any

import pytest
from lance.dataset import MergeInsertBuilder

from satchel.adapters.lance.foreign_table import open_foreign_table
from satchel.errors import Unavailable
from tests.writeback.foreign import TABLE, make_table, read_table, row


def test_a_write_that_was_cut_short_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lancedb"
    make_table(folder, [row("r0", "fact 0"), row("r1", "fact 1")])
    before = read_table(folder)
    table = open_foreign_table(str(folder), TABLE, tmp_path / "home")
    (found,) = table.rows(["r0"], ["scope"])
    execute = MergeInsertBuilder.execute

    def cut_short(self: MergeInsertBuilder, *arguments: Any) -> Any:
        known = set((folder / f"{TABLE}.lance" / "data").iterdir())
        done = execute(self, *arguments)
        for path in set((folder / f"{TABLE}.lance" / "data").iterdir()) - known:
            path.write_bytes(path.read_bytes()[:100])
        return done

    monkeypatch.setattr(MergeInsertBuilder, "execute", cut_short)
    with pytest.raises(Unavailable):
        table.update([type(found)(found.id, found.text, {"scope": "repo/api"})], ["scope"])

    assert read_table(folder) == before
