"""Backends: listed, probed, installed."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import Settings
from satchel.errors import InvalidRequest, ReadOnlyMode
from satchel.routing.values import BackendList
from tests.routing.conftest import State
from tests.routing.test_routing import EMPTY, FAILING


def standing(listed: BackendList) -> dict[str, str]:
    return {one.name: one.status for one in listed.backends}


def test_without_a_file_the_native_backends_are_listed(memory: Satchel, state: State) -> None:
    listed = memory.backends.list().result

    assert (listed.found, listed.tier) == (False, None)
    assert {"qmd": "ready", "totalrecall": "ready"}.items() <= standing(listed).items()
    assert not state.folder.exists()


def test_installing_writes_the_file_that_the_router_reads(memory: Satchel, state: State) -> None:
    listed = memory.backends.install(tier="starter").result
    said = json.loads((state.folder / "backends.json").read_bytes())

    assert listed.written
    assert (said["version"], said["tier"]) == ("2.0", "starter")
    assert said["backends"]["qmd"]["status"] == "ready"
    assert said["backends"]["qmd"]["setup_exit_code"] == 0
    assert said["backends"]["qmd"]["adapter"] == "native"
    assert memory.routing.route("anything at all").result.fallback_chain == ("qmd", "totalrecall")


def test_installing_one_backend_keeps_the_others(memory: Satchel, state: State) -> None:
    memory.backends.install()
    program: dict[str, Any] = state.program(EMPTY)["options"]
    version = "import sys; print('qmd 2.8.3' if sys.argv[-1] == '--version' else '[]')"
    memory.backends.install(
        "qmd", adapter="qmd-cli", options={**program, "command": [*program["command"][:2], version]}
    )
    reports = {one.name: one for one in memory.backends.list().result.backends}

    assert (reports["qmd"].adapter, reports["qmd"].status) == ("qmd-cli", "ready")
    assert (reports["totalrecall"].adapter, reports["totalrecall"].status) == ("native", "ready")


def test_a_failing_backend_is_written_with_its_state(memory: Satchel, state: State) -> None:
    options: dict[str, Any] = state.program(FAILING)["options"]
    listed = memory.backends.install("qmd", adapter="qmd-cli", options=options).result
    said = json.loads((state.folder / "backends.json").read_bytes())["backends"]["qmd"]

    assert standing(listed) == {"qmd": "unavailable"}
    assert said["setup_exit_code"] == 2
    assert said["message"]


def test_probing_writes_nothing(memory: Satchel, state: State) -> None:
    probes = memory.backends.probe().result.probes

    assert {"qmd", "totalrecall"} <= {one.backend for one in probes if one.status == "ready"}
    assert not state.folder.exists()


def test_a_probe_reports_the_reason(memory: Satchel, state: State) -> None:
    state.write({"cognee": {"status": "ready", "adapter": "cognee-http", "options": {"url": "http://127.0.0.1:9"}}})
    probe = memory.backends.probe("cognee").result.probes[0]

    assert probe.status == "unavailable"
    assert "127.0.0.1:9" in probe.reason


def test_a_failing_mode_is_reported(settings: Settings, state: State) -> None:
    from satchel.config import load

    with Satchel.open(settings=load(home=str(settings.home_folder), embedding={"provider": "none"})) as memory:
        memory.backends.install("qmd")
        said = json.loads((state.folder / "backends.json").read_bytes())["backends"]["qmd"]

    assert said["modes"] == {"vsearch": "installed"}


@pytest.mark.parametrize("given", [{"name": "nonsense"}, {"tier": "gold"}, {"adapter": "qmd-cli"}, {"name": "../x"}])
def test_invalid_arguments_are_rejected(given: dict[str, Any], memory: Satchel, state: State) -> None:
    with pytest.raises(InvalidRequest):
        memory.backends.install(**given)
    assert not state.folder.exists()


def test_nothing_is_written_in_read_only_mode(settings: Settings, memory: Satchel, state: State) -> None:
    from satchel.config import load

    memory.store("make the store exist")
    with (
        Satchel.open(settings=load(home=str(settings.home_folder), read_only=True)) as reader,
        pytest.raises(ReadOnlyMode),
    ):
        reader.backends.install()
    assert not state.folder.exists()


def test_the_native_totalrecall_also_reads_and_writes_markdown(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "tiers").mkdir()
    memory.store("The release train leaves every second Tuesday")
    memory.backends.install()
    memory.backends.install("totalrecall", options={"folder": str(tmp_path / "tiers")})
    written = memory.backends.write(
        "The release train now leaves on Monday, key ghp_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xYz"
    ).result
    daily = (tmp_path / "tiers" / written.file).read_text(encoding="utf-8")
    envelope = memory.routing.route("release train", hint="totalrecall").result

    assert written.file.startswith("memory/daily/")
    assert "ghp_" not in daily
    assert {one.path for one in envelope.results} == {None, written.file}


def test_missing_files_do_not_affect_the_native_totalrecall(memory: Satchel, tmp_path: Path, state: State) -> None:
    memory.store("The release train leaves every second Tuesday")
    state.write({"totalrecall": {"status": "ready", "options": {"folder": str(tmp_path / "gone")}}})
    envelope = memory.routing.route("release train", trace=True).result

    assert envelope.status == "success"
    assert envelope.trace is not None
    assert "no such folder" in str(envelope.trace.attempts[0].note)


def test_writing_to_a_branch_makes_a_commit(memory: Satchel, tmp_path: Path, state: State) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    state.write(
        {
            "totalrecall": {
                "status": "ready",
                "adapter": "totalrecall-git",
                "options": {"folder": str(tmp_path / "repo")},
            }
        }
    )
    written = memory.backends.write("We use SQLite for orders", key="orders").result

    assert written.file.endswith("_orders.md")
    assert memory.routing.route("orders SQLite").result.results[0].content == "We use SQLite for orders"


def test_writing_without_files_is_rejected(memory: Satchel) -> None:
    with pytest.raises(InvalidRequest) as caught:
        memory.backends.write("text")

    assert caught.value.code == "no_folder"
