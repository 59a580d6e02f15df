"""Take the README's screenshots of the inspector, on the store that `satchel demo` makes: `make pictures`.

Needs Chromium, and Playwright of the group `browser`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
SIZE: Any = {"width": 1080, "height": 720}
QUESTION = "Where do we keep the orders of the shop?"


def home(page: Page) -> None:
    """Stay on Home."""


def turn(page: Page) -> None:
    """Go from Home to the newest turn."""
    page.get_by_role("link", name="Added to prompts").click()


def memory(page: Page) -> None:
    """Go on from the turn to the first memory in the prompt."""
    turn(page)
    page.get_by_role("table", name="In the prompt").get_by_role("link").first.click()


def recall(page: Page) -> None:
    """Ask a question on the page Recall."""
    page.get_by_role("link", name="Recall", exact=True).click()
    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_label("Scope").select_option("project/shop")
    page.get_by_role("button", name="Recall").click()


PICTURES: Mapping[str, Callable[[Page], None]] = {"home": home, "turn": turn, "recall": recall, "memory": memory}


def satchel(*arguments: str) -> Any:
    """Run a command, and return its result."""
    command = [sys.executable, "-m", "satchel", *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["result"]


def take(folder: str) -> None:
    """Take every picture, in the light theme."""
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=flags)
        for name, go in PICTURES.items():
            page = browser.new_context(viewport=SIZE, color_scheme="light").new_page()
            page.goto(satchel("open", "--no-browser", "--home", folder)["address"])
            # The temporary folder of the demo has another name each time.
            page.get_by_text(folder).evaluate("shown => { shown.textContent = '~/.satchel' }")
            go(page)
            page.wait_for_load_state()
            page.screenshot(path=HERE / f"inspector-{name}.png")
        browser.close()


def main() -> None:
    """Make a store, take the pictures, and remove it."""
    with tempfile.TemporaryDirectory() as person:
        os.environ |= {"HOME": person, "XDG_DATA_HOME": person}
        folder = satchel("demo")["folder"]
        try:
            take(folder)
        finally:
            satchel("serve", "--stop", "--home", folder)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
