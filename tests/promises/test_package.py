"""The public names, the wheel, the requirements, and what quick commands import."""

import json
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import satchel
from satchel.adapters.embedders.model_files import MODEL_FILES, NETWORK_FILES
from satchel.domain.embedding import BUNDLED_MODEL, JUDGE_MODEL, READER_MODEL

ROOT = Path(__file__).parents[2]


def test_the_public_names() -> None:
    assert sorted(satchel.__all__) == ["Ok", "Satchel", "SatchelError", "Settings", "__version__"]
    assert all(getattr(satchel, name) is not None for name in satchel.__all__)
    assert dir(satchel) == sorted(satchel.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError):
        _ = satchel.nonsense


def test_the_changelog_begins_with_this_version() -> None:
    headings = [
        line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("## ")
    ]

    assert headings[0] == f"## {satchel.__version__}"


def test_requirements_are_pinned_with_hashes_and_name_no_index() -> None:
    for path in (ROOT / "requirements").iterdir():
        text = path.read_text(encoding="utf-8")
        assert "://" not in text
        pins = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
        assert all("==" in pin for pin in pins), path.name
        assert text.count("--hash=sha256:") >= len(pins)
        assert not {"torch", "pandas"} & {pin.split("==")[0] for pin in pins}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout without a network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_contains_the_package_its_model_and_their_licences(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    assert modules <= set(names)
    assert {name.partition("/")[0] for name in names} == {"satchel", f"satchel_memory-{satchel.__version__}.dist-info"}
    assert {"satchel/py.typed", "satchel/interfaces/evaluation/golden.jsonl"} <= set(names)
    assert {name.rpartition("/")[2] for name in names if "dist-info/licenses/" in name} == {"LICENSE", "NOTICE"}
    model = {f"satchel/models/{BUNDLED_MODEL}/{name}" for name in (*MODEL_FILES, "manifest.json", "LICENSE", "NOTICE")}
    assert model <= set(names)
    for other in (READER_MODEL, JUDGE_MODEL):
        files = (*NETWORK_FILES, "manifest.json", "LICENSE", "NOTICE")
        assert {f"satchel/models/{other}/{name}" for name in files} <= set(names)
    pages = [
        path
        for path in (ROOT / "src/satchel/interfaces/inspector").rglob("*")
        if path.suffix in (".html", ".css", ".js", ".svg")
    ]
    assert pages
    assert {str(path.relative_to(ROOT / "src")) for path in pages} <= set(names)
    plugin = {
        f"satchel/{path.relative_to(ROOT)}" for path in (ROOT / "plugins" / "openclaw").rglob("*") if path.is_file()
    }
    assert plugin <= set(names) and "satchel/plugins/openclaw/openclaw.plugin.json" in plugin


def test_the_wheel_needs_the_packages_of_an_extra_only_with_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        metadata = opened.read(f"satchel_memory-{satchel.__version__}.dist-info/METADATA").decode()
    fields = [line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist: ")]
    extra = {one.partition(">=")[0]: one.partition("extra == ")[2].strip("'") for one in fields}

    assert {name: of for name, of in extra.items() if of} == {
        "pylance": "index",
        "pyrage": "backup",
        "psycopg[binary,pool]": "postgres",
        "onnx": "minilm",
        "safetensors": "minilm",
    }
    assert {"apsw", "numpy", "onnxruntime", "tokenizers"} <= extra.keys()


def test_the_wheel_works_outside_the_checkout_in_an_empty_home(wheel: Path, tmp_path: Path) -> None:
    environment, person = tmp_path / "venv", tmp_path / "person"
    person.mkdir()
    # Its own Python and the installed wheel; the dependencies are those of this environment.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    packages = next((environment / "lib").glob("python*/site-packages"))
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")

    def run(*words: str) -> str:
        variables = {"HOME": str(person), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        done = subprocess.run(
            [environment / "bin" / "satchel", *words],
            cwd=person,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    where = subprocess.run([python, "-c", "import satchel; print(satchel.__file__)"], cwd=person, env={}, stdout=-1)
    assert where.stdout.decode().startswith(str(packages))
    assert run("--version") == f"satchel {satchel.__version__}\n"
    assert run("demo")
    run("store", "the boiler was serviced in March")
    assert "the boiler was serviced in March" in run("recall", "when did somebody maintain the heating?")
    findings = json.loads(run("--json", "doctor"))["result"]["findings"]
    assert {one["status"] for one in findings} == {"ok"}
    assert (person / ".local" / "share" / "satchel" / "ledger.sqlite3").exists()


@pytest.mark.parametrize(
    ("command", "forbidden"),
    [
        (
            ["--version"],
            {"lance", "onnxruntime", "numpy", "pyarrow", "tokenizers", "rich", "mcp", "tomlkit", "tomllib"},
        ),
        (
            ["store", "a memory"],
            {"lance", "onnxruntime", "numpy", "pyarrow", "tokenizers", "rich", "mcp", "tomlkit", "tomllib"},
        ),
        (
            ["recall", "memory", "--mode", "lexical"],
            {"lance", "onnxruntime", "numpy", "pyarrow", "tokenizers", "rich", "mcp", "tomlkit", "tomllib"},
        ),
        (
            ["attention", "route", "--goal", "a memory"],
            {"lance", "onnxruntime", "numpy", "pyarrow", "tokenizers", "rich", "mcp"},
        ),
    ],
)
def test_a_quick_command_imports_nothing_heavy(command: list[str], forbidden: set[str], home: Path) -> None:
    script = (
        "import sys; from satchel.interfaces.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--home", str(home), *command], capture_output=True, text=True, check=True
    )

    assert not forbidden & set(done.stderr.split())


def test_capture_imports_only_what_it_needs(home: Path) -> None:
    script = (
        "import sys, atexit; sys.argv = ['satchel', 'capture', '--home', sys.argv[1], '{\"text\": \"an event\"}']\n"
        "atexit.register(lambda: sys.stderr.write(' '.join(sorted(sys.modules))))\n"
        "from satchel.__main__ import run; run()"
    )
    done = subprocess.run([sys.executable, "-c", script, str(home)], capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())

    assert (
        not {"argparse", "apsw", "asyncio", "logging", "rich", "dataclasses", "msgspec", "subprocess", "satchel.config"}
        & loaded
    )
    assert not {name for name in loaded if name.startswith(("satchel.ports", "satchel.store", "satchel.recall"))}
    assert (home / "spool" / "00000001.jsonl").exists() and not (home / "ledger.sqlite3").exists()


def test_a_server_loads_the_templates_of_the_inspector_when_a_page_is_asked_for() -> None:
    check = "import sys, satchel.interfaces.http.server\nsys.exit(bool({'jinja2', 'markupsafe'} & set(sys.modules)))"

    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
