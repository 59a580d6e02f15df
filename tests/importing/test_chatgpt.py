"""Importing a ChatGPT export."""

import json
import zipfile
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from tests.importing.imports import counts, import_all, preview, texts

AT = 1_714_000_000.5


def message(id: str, role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "id": id,
        "author": {"role": role},
        "create_time": AT,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
        **more,
    }


def conversation(id: str, *messages: dict[str, Any], title: str = "Release plan") -> dict[str, Any]:
    """Return a conversation with one branch, and an earlier answer that was made again."""
    ids = [f"{id}-n{number}" for number in range(len(messages))]
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ids[:1]}}
    for number, (node, one) in enumerate(zip(ids, messages, strict=True)):
        mapping[node] = {
            "id": node,
            "message": one,
            "parent": ids[number - 1] if number else "root",
            "children": ids[number + 1 : number + 2],
        }
    mapping["again"] = {"id": "again", "message": message("old", "assistant", "A dropped answer"), "parent": ids[0]}
    return {"title": title, "conversation_id": id, "create_time": AT, "mapping": mapping, "current_node": ids[-1]}


def export() -> list[dict[str, Any]]:
    bio = message("m4", "assistant", "User ships on Thursdays", recipient="bio")
    context = message("m5", "assistant", "")
    context["content"] = {
        "content_type": "model_editable_context",
        "model_set_context": "1. [2024-05-01]. Lives in Oslo\n2. Likes tea",
    }
    own = message("m6", "user", "")
    own["content"] = {"content_type": "user_editable_context", "user_instructions": "Answer in short sentences"}
    hidden = message("m7", "user", "hidden", metadata={"is_visually_hidden_from_conversation": True})
    first = conversation(
        "c1",
        message("m1", "system", ""),
        message("m2", "user", "When do we ship?"),
        message("m3", "assistant", "On Thursdays. \ue200cite\ue202turn0search1\ue201"),
        bio,
        context,
        own,
        hidden,
        message("m8", "tool", "raw tool output"),
    )
    return [first, conversation("c2", message("m9", "user", "Where is Oslo?"), title="Places")]


def write_zip(path: Path, **files: Any) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(f"{name}.json", json.dumps(value))
        archive.writestr("chat.html", "<html>")
    return path


def test_conversations_become_turns_and_stated_memories_become_memories(memory: Satchel, tmp_path: Path) -> None:
    done = import_all(memory, write_zip(tmp_path / "export.zip", conversations=export(), user={"id": "u"}))

    assert (done.kind, counts(done)) == ("chatgpt", {"memories": (4, 4, 0), "turns": (3, 3, 0)})
    assert texts(memory) == [
        "Answer in short sentences",
        "Likes tea",
        "Lives in Oslo",
        "User ships on Thursdays",
    ]
    said = memory.episodes.list(session="chatgpt:c1").result.episodes
    assert [(one.text, one.kind, one.at, one.trust) for one in sorted(said, key=lambda one: one.position)] == [
        ("When do we ship?", "conversation.user", int(AT * 1000), "untrusted"),
        ("On Thursdays.", "conversation.assistant", int(AT * 1000), "untrusted"),
    ]


def test_a_file_a_folder_and_a_split_export_are_the_same(memory: Satchel, tmp_path: Path) -> None:
    both = export()
    (tmp_path / "conversations.json").write_text(json.dumps(both), encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for number, one in enumerate(both):
        (tmp_path / "folder" / f"conversations-00{number}.json").write_text(json.dumps([one]), encoding="utf-8")
    first = import_all(memory, tmp_path / "conversations.json")
    again = import_all(memory, tmp_path / "folder")

    assert (first.new, again.new, again.kind) == (7, 0, "chatgpt")


def test_only_the_persons_own_words_can_be_vouched_for(memory: Satchel, tmp_path: Path) -> None:
    import_all(memory, write_zip(tmp_path / "export.zip", conversations=export()), trust="trusted")

    said = memory.episodes.list(session="chatgpt:c1").result.episodes
    assert {one.kind: one.trust for one in said} == {
        "conversation.user": "trusted",
        "conversation.assistant": "untrusted",
    }


def test_a_grown_export_brings_only_the_new_messages(memory: Satchel, tmp_path: Path) -> None:
    import_all(memory, write_zip(tmp_path / "one.zip", conversations=export()))
    grown = [*export(), conversation("c3", message("m10", "user", "A new question"))]
    done = import_all(memory, write_zip(tmp_path / "two.zip", conversations=grown))

    assert counts(done)["turns"] == (4, 1, 0)


def test_a_conversation_whose_parents_form_a_circle_ends(memory: Satchel, tmp_path: Path) -> None:
    circle = conversation("c1", message("m1", "user", "one"), message("m2", "user", "two"))
    circle["mapping"]["c1-n0"]["parent"] = "c1-n1"
    done = preview(memory, write_zip(tmp_path / "export.zip", conversations=[circle]))

    assert counts(done)["turns"] == (2, 2, 0)


def test_a_conversation_that_is_none_is_refused_alone(memory: Satchel, tmp_path: Path) -> None:
    given = [export()[0], {"mapping": 3}, "text", {"mapping": {}}, export()[1]]
    done = import_all(memory, write_zip(tmp_path / "export.zip", conversations=given))

    assert [(one.place, one.reason) for one in done.refusals] == [
        ("conversations.json item 2", "missing_messages"),
        ("conversations.json item 3", "not_an_object"),
    ]
    assert counts(done)["turns"] == (3, 3, 0)
