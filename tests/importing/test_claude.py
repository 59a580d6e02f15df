"""Importing a Claude export."""

import json
import zipfile
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from tests.importing.imports import counts, import_all, texts

CONVERSATIONS = [
    {
        "uuid": "c1",
        "name": "Release plan",
        "created_at": "2025-03-01T10:00:00.000000Z",
        "chat_messages": [
            {
                "uuid": "m1",
                "sender": "human",
                "text": "When do we ship?",
                "content": [{"type": "text", "text": "When do we ship?"}],
                "created_at": "2025-03-01T10:00:01.000000Z",
                "attachments": [{"file_name": "plan.txt", "extracted_content": "The plan says Thursday."}],
            },
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "hmm"},
                    {"type": "tool_use", "name": "search"},
                    {"type": "text", "text": "On Thursdays."},
                ],
                "created_at": "2025-03-01T10:00:02.000000Z",
            },
        ],
    }
]
PROJECTS = [
    {
        "uuid": "p1",
        "name": "Shop / Web",
        "prompt_template": "Answer in short sentences",
        "created_at": "2025-02-01T00:00:00Z",
        "docs": [
            {"uuid": "d1", "filename": "notes.md", "content": "# Notes\n\nTea at four.", "created_at": "2025-02-02"}
        ],
    }
]
MEMORIES = [
    {
        "conversations_memory": "**Work context**\n\nAnn runs a shop in Oslo.\n\n- Prefers tea",
        "project_memories": {"p1": "The shop ships on Thursdays."},
        "account_uuid": "a1",
    }
]


def write(path: Path, files: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, json.dumps(value))
    return path


def test_conversations_projects_and_memories_come_in(memory: Satchel, tmp_path: Path) -> None:
    given = {"conversations.json": CONVERSATIONS, "projects.json": PROJECTS, "memories.json": MEMORIES}
    done = import_all(memory, write(tmp_path / "data.zip", {**given, "users.json": [{"uuid": "a1"}]}))

    assert done.kind == "claude"
    assert counts(done) == {"memories": (4, 4, 0), "turns": (2, 2, 0), "documents": (1, 1, 0)}
    assert "Answer in short sentences" in texts(memory)
    assert {"Ann runs a shop in Oslo.", "Prefers tea", "The shop ships on Thursdays."} <= set(texts(memory))
    said = memory.episodes.list(session="claude:c1").result.episodes
    assert [one.text for one in sorted(said, key=lambda one: one.position)] == [
        "When do we ship?\n\nThe plan says Thursday.",
        "On Thursdays.",
    ]
    (hit,) = memory.documents.search("tea at four").result.hits
    assert (hit.path, hit.trust) == ("Shop-Web/notes.md", "untrusted")


def test_projects_in_files_of_their_own_are_read(memory: Satchel, tmp_path: Path) -> None:
    done = import_all(memory, write(tmp_path / "data.zip", {"projects/p1.json": PROJECTS[0], "projects/bad.json": []}))

    assert counts(done) == {"memories": (1, 1, 0), "documents": (1, 1, 0)}
    assert [(one.place, one.reason) for one in done.refusals] == [("projects/bad.json", "unknown_record")]


def test_each_file_can_be_imported_alone(memory: Satchel, tmp_path: Path) -> None:
    for name, value in {
        "conversations.json": CONVERSATIONS,
        "projects.json": PROJECTS,
        "memories.json": MEMORIES,
    }.items():
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
        assert import_all(memory, tmp_path / name).kind == "claude"
    assert import_all(memory, tmp_path / "conversations.json").new == 0


def test_bold_lines_are_titles_of_what_follows(memory: Satchel, tmp_path: Path) -> None:
    text = "**Personal**\n\nDrinks tea.\n\n- Lives in Oslo\n\n**Work:**\nRuns a shop.\n\n**Never shout**"
    (tmp_path / "memories.json").write_text(json.dumps([{"conversations_memory": text}]), encoding="utf-8")
    import_all(memory, tmp_path / "memories.json")

    assert {one.text: one.title for one in memory.memories.list().result.memories} == {
        "Drinks tea.": "Personal",
        "Lives in Oslo": "Personal",
        "Runs a shop.": "Work",
        "**Never shout**": None,
    }
