"""ONNX Runtime is imported without telemetry and warnings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.embedders import runtime


def test_the_runtime_writes_no_device_id_and_no_upload_queue(tmp_path: Path) -> None:
    program = "from satchel.adapters.embedders.bundled import bundled_encoder; bundled_encoder().embed(['a text'])"
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)

    assert list(tmp_path.rglob("*")) == []


def test_only_this_module_imports_the_runtime() -> None:
    folder = Path(runtime.__file__).parent
    importing = [
        path.name
        for path in folder.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        # Imports under TYPE_CHECKING are never executed.
        if line.strip().startswith(("import onnxruntime", "from onnxruntime")) and "InferenceSession" not in line
    ]
    assert importing == []


def test_only_lines_of_the_runtime_are_dropped_from_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with runtime._filter_stderr():
        os.write(
            2, b"2026 [W:onnxruntime:Default, device_discovery.cc:164] GPU device discovery failed\nsomebody else\n"
        )
    os.write(2, b"afterwards\n")
    assert capfd.readouterr().err == "somebody else\nafterwards\n"
