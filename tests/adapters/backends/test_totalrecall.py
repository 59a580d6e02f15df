"""Total Recall as Markdown files and as a git branch."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from satchel.adapters.backends.totalrecall_files import MarkdownTiers
from satchel.adapters.backends.totalrecall_git import GitBranch
from satchel.domain.periods import periods
from satchel.domain.routing import BackendEntry, RouteStatus
from tests.adapters.backends.asking import ask, entry, refusal
from tests.tables import each_case

TODAY = datetime.now(UTC)


def day(ago: int) -> str:
    return (TODAY - timedelta(days=ago)).date().isoformat()


@pytest.fixture
def tiers(tmp_path: Path) -> BackendEntry:
    files = {
        "CLAUDE.local.md": "# Working memory\n\n- Deploys happen from the release branch ^tr0123456789\n",
        "memory/registers/decisions.md": f"- {day(1)}: We chose PostgreSQL for orders [superseded: {day(0)}]\n- {day(0)}: We chose SQLite for orders\n",
        f"memory/daily/{day(3)}.md": "# Notes\n\nThe payment service got a retry of three.\n",
        f"memory/daily/{day(40)}.md": "- The payment service had no retry.\n",
        "memory/archive/2020.md": "- 2020-01-01: the old payment service\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return entry("totalrecall", "totalrecall-md", folder=str(tmp_path))


def test_every_tier_is_searched_with_decay_by_age(tiers: BackendEntry) -> None:
    answer = ask(tiers, "payment service retry")

    assert [(one.path, one.line) for one in answer.results] == [
        (f"memory/daily/{day(3)}.md", 3),
        (f"memory/daily/{day(40)}.md", 1),
        ("memory/archive/2020.md", 1),
    ]
    assert answer.results[0].relevance > 0.7
    assert answer.results[1].relevance == pytest.approx(answer.results[0].relevance / 0.871 * 0.2, abs=0.05)


def test_the_memory_of_an_openclaw_workspace_is_read(tmp_path: Path) -> None:
    files = {
        "MEMORY.md": "# Long-term\n\n- The owner prefers short answers about invoices\n",
        f"memory/{day(1)}.md": "- Sent the invoices to the accountant\n",
        f"memory/{day(2)}-notes.md": "- Invoices were late\n",
        "memory/heartbeat.md": "- invoices of the heartbeat\n",
    }
    (tmp_path / "memory").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    answer = ask(entry("totalrecall", "totalrecall-md", folder=str(tmp_path)), "invoices")

    assert {one.path: one.timestamp[:10] for one in answer.results} == {
        "MEMORY.md": day(0),
        f"memory/{day(1)}.md": day(1),
        f"memory/{day(2)}-notes.md": day(2),
    }


def test_superseded_entries_are_not_returned(tiers: BackendEntry) -> None:
    answer = ask(tiers, "what did we decide about orders")

    assert [one.content for one in answer.results] == [f"{day(0)}: We chose SQLite for orders"]


def test_a_query_without_content_words_lists_the_newest(tiers: BackendEntry) -> None:
    answer = ask(tiers, "what was the last thing we changed", limit=2)

    assert [one.timestamp[:10] for one in answer.results] == [day(0), day(0)]


@each_case("query", ["what happened three days ago", "what about the payment service three days ago"])
def test_only_notes_of_the_time_are_returned(tiers: BackendEntry, query: str) -> None:
    (period,) = periods(query, int(TODAY.timestamp() * 1000))
    answer = ask(tiers, query, period=period)

    assert [one.content for one in answer.results] == ["The payment service got a retry of three."]
    assert answer.results[0].relevance >= 0.4


def test_a_list_of_the_notes_of_a_time_does_not_say_what_was_decided(tiers: BackendEntry) -> None:
    query = "what did we decide three days ago"
    (period,) = periods(query, int(TODAY.timestamp() * 1000))

    assert ask(tiers, query, period=period).status is RouteStatus.PARTIAL


def test_without_a_note_of_the_time_the_others_are_returned(tiers: BackendEntry) -> None:
    query = "what about the payment service six days ago"
    (period,) = periods(query, int(TODAY.timestamp() * 1000))

    assert len(ask(tiers, query, period=period).results) == 3


def test_a_note_goes_into_the_daily_file_and_is_found(tiers: BackendEntry) -> None:
    tier = MarkdownTiers(tiers)
    at = int(TODAY.timestamp() * 1000)
    names = {tier.write("", text, at) for text in ("The cache holds\nten minutes", "second")}

    assert names == {f"memory/daily/{day(0)}.md"}
    assert [one.content[6:] for one in ask(tiers, "cache minutes").results] == ["The cache holds ten minutes"]


def test_a_link_to_outside_is_not_followed(tiers: BackendEntry, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("- a zebra secret\n", encoding="utf-8")
    (Path(str(tiers.options["folder"])) / "memory" / "registers" / "link.md").symlink_to(outside)

    assert ask(tiers, "zebra secret").status is RouteStatus.EMPTY


def test_a_missing_folder_is_unavailable(tmp_path: Path) -> None:
    for adapter in ("totalrecall-md", "totalrecall-git"):
        missing = entry("totalrecall", adapter, folder=str(tmp_path / "none"))
        assert refusal(missing).code == "BACKEND_UNAVAILABLE"


def test_files_with_invalid_utf8_are_read(tiers: BackendEntry) -> None:
    (Path(str(tiers.options["folder"])) / "memory" / "registers" / "odd.md").write_bytes(b"\xff\xfe\x00- payment\n")

    assert "memory/registers/odd.md" in [one.path for one in ask(tiers, "payment").results]


@pytest.fixture
def repository(tmp_path: Path) -> BackendEntry:
    folder = tmp_path / "repo"
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    (folder / "work.txt").write_text("half done", encoding="utf-8")
    return entry("totalrecall", "totalrecall-git", folder=str(folder))


def git(repository: BackendEntry, *arguments: str) -> str:
    command = ["git", "-C", str(repository.options["folder"]), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_a_memory_is_one_commit_on_the_branch(repository: BackendEntry) -> None:
    at = int(TODAY.timestamp() * 1000)
    before = git(repository, "status", "--porcelain")
    names = [
        GitBranch(repository).write(key, text, at, ["db"])
        for key, text in (("Orders DB!", "We use SQLite"), ("two", "Other"))
    ]

    assert names[0].startswith("_memory/") and names[0].endswith("_orders-db.md")
    assert git(repository, "status", "--porcelain") == before, "the working tree is left alone"
    assert git(repository, "log", "--format=%s", "openclaw-memory").splitlines() == [
        "memory: two — Other",
        "memory: Orders DB! — We use SQLite",
    ]
    assert git(repository, "show", f"openclaw-memory:{names[0]}").splitlines()[1] == "key: Orders DB!"


def test_memories_of_the_branch_are_found_with_their_time(repository: BackendEntry) -> None:
    at = int((TODAY - timedelta(days=3)).timestamp() * 1000)
    GitBranch(repository).write("orders", "We use SQLite for orders — für immer", at)
    answer = ask(repository, "orders SQLite")

    assert answer.results[0].content == "We use SQLite for orders — für immer"
    assert answer.results[0].timestamp[:10] == day(3)
    assert answer.results[0].relevance == pytest.approx(0.8 * 0.871, abs=0.01)


def test_only_memories_of_the_branch_of_the_time_are_returned(repository: BackendEntry) -> None:
    for ago in (3, 1):
        at = int((TODAY - timedelta(days=ago)).timestamp() * 1000)
        GitBranch(repository).write("orders", f"orders of {ago} days ago", at)
    (period,) = periods("orders three days ago", int(TODAY.timestamp() * 1000))

    answer = ask(repository, "orders three days ago", period=period)

    assert [one.content for one in answer.results] == ["orders of 3 days ago"]


def test_the_older_front_matter_is_parsed(repository: BackendEntry) -> None:
    folder = Path(str(repository.options["folder"]))
    text = f"---\nkey: k\ntimestamp: {day(2)}T10:00:00Z\ntags: []\n---\nAn older memory of tokens\n"
    stream = f"commit refs/heads/openclaw-memory\ncommitter a <a@b> 0 +0000\ndata 1\nx\nM 100644 inline _memory/a.md\ndata {len(text)}\n{text}\n"
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=stream, text=True, check=True)

    assert ask(repository, "older tokens").results[0].timestamp[:10] == day(2)


def test_a_repository_without_the_branch_is_empty(repository: BackendEntry) -> None:
    assert ask(repository, "anything").status is RouteStatus.EMPTY


@pytest.mark.parametrize("branch", ["--upload-pack=x", "", "a b", "-x"])
def test_a_branch_name_is_never_a_command_line_option(branch: str, repository: BackendEntry) -> None:
    other = entry("totalrecall", "totalrecall-git", folder=repository.options["folder"], branch=branch)

    assert refusal(other).code == "BACKEND_UNAVAILABLE"
