"""ONNX Runtime is loaded quietly, and tells nobody."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.embedders import runtime
from satchel.adapters.embedders.minilm import NAME


def test_the_runtime_leaves_no_device_id_and_no_upload_queue_behind(tmp_path: Path) -> None:
    program = (
        "import os; from pathlib import Path; from satchel.adapters.embedders.minilm import MiniLm\n"
        f"MiniLm(Path(os.environ['SATCHEL_MODELS']) / {NAME!r}).embed(['a text'])"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    environment |= {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)

    assert list(tmp_path.rglob("*")) == []


def test_no_module_but_this_one_imports_the_runtime() -> None:
    folder = Path(runtime.__file__).parent
    importing = [
        path.name
        for path in folder.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        # Indented under TYPE_CHECKING it is never run.
        if line.strip().startswith(("import onnxruntime", "from onnxruntime")) and "InferenceSession" not in line
    ]
    assert importing == []


def test_only_the_noise_of_the_runtime_is_swallowed(capfd: pytest.CaptureFixture[str]) -> None:
    with runtime._without_noise():
        os.write(
            2, b"2026 [W:onnxruntime:Default, device_discovery.cc:164] GPU device discovery failed\nsomebody else\n"
        )
    os.write(2, b"afterwards\n")
    assert capfd.readouterr().err == "somebody else\nafterwards\n"
