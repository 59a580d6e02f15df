"""Parsing events: fields, masking, artifacts, rejected events."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.errors import InvalidRequest
from satchel.observations.event import (
    HEAD_CHARS,
    MAX_INLINE_BYTES,
    MAX_SUMMARY_CHARS,
    SCHEMA,
    CaptureContext,
    CapturedEvent,
    parse_event,
    payload_name,
    read_object,
    spool_line,
)
from tests.domain.safety.test_redact import WORD, made_up
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)
NOW = 1_700_000_000_000
HERE = CaptureContext(NOW, "global", nonce="7")
AGAIN = CaptureContext(NOW + 1, "global")


def seen(around: CaptureContext = HERE, **event: Any) -> CapturedEvent:
    found = parse_event(event, around)
    assert found is not None
    return found


class TestFields:
    def test_a_tool_outcome_keeps_the_specified_fields(self) -> None:
        one = seen(
            ts="2026-11-15T08:00:00Z", kind="tool", tool_name="bash", tool_call_id="c1", session_key="s", agent_id="a",
            is_synthetic=True, summary="ran tests", message="12 passed", detail={"exit_code": 0},
        )  # fmt: skip

        assert (one.kind, one.tool_name, one.tool_call_id) == ("tool", "bash", "c1")
        assert (one.session_key, one.agent_id, one.is_synthetic) == ("s", "a", True)
        assert (one.summary, one.text, one.detail) == ("ran tests", "12 passed", '{"exit_code":0}')
        assert (one.ts, one.captured_at) == (1_794_729_600_000, NOW)

    def test_unknown_fields_are_kept_as_detail(self) -> None:
        one = seen(hook_event_name="PostToolUse", tool_name="Read", tool_input={"file": "a"}, cwd="/x")

        assert json.loads(one.detail or "") == {
            "hook_event_name": "PostToolUse",
            "tool_input": {"file": "a"},
            "cwd": "/x",
        }
        assert one.summary == "Read called"

    def test_two_text_fields_are_both_kept(self) -> None:
        one = seen(text="the text", message="the message")

        assert (one.text, one.detail) == ("the text", '{"message":"the message"}')

    def test_the_summary_defaults_to_the_text(self) -> None:
        assert seen(text="one\n two  three").summary == "one two three"
        assert len(seen(text="word " * 500).summary) <= MAX_SUMMARY_CHARS

    @each_case(
        ("ts", "expected"),
        [
            (1_700_000_000, 1_700_000_000_000),
            (1_700_000_000_000, 1_700_000_000_000),
            ("2023-11-14T22:13:20Z", 1_700_000_000_000),
        ],
    )
    def test_timestamps_are_read_in_seconds_milliseconds_and_iso_format(self, ts: object, expected: int) -> None:
        assert seen(text="x", ts=ts).ts == expected

    @each_case("ts", ["yesterday", -1, 10**30, True, [], {}, "9999-99-99"])
    def test_an_invalid_timestamp_is_rejected(self, ts: object) -> None:
        with pytest.raises(InvalidRequest) as refused:
            seen(text="x", ts=ts)
        assert refused.value.code == "invalid_date"

    @each_case("event", [{}, {"kind": "tool"}, {"text": ""}, {"text": None}, {"ts": 1}])
    def test_an_empty_event_is_rejected(self, event: dict[str, Any]) -> None:
        with pytest.raises(InvalidRequest) as refused:
            parse_event(event, HERE)
        assert refused.value.code == "empty_event"

    @each_case("kind", ["TOOL", "ops.alert", "a" * 41, "with blank", 7, None, "工具"])
    def test_an_invalid_kind_falls_back_to_a_valid_one(self, kind: object) -> None:
        assert seen(text="x", kind=kind).kind in ("tool", "ops.alert", "event")


class TestScopeAndTrust:
    def test_the_event_names_its_scope_unless_the_operator_fixed_one(self) -> None:
        assert seen(text="x").scope == "global"
        assert seen(text="x", scope="project/a").scope == "project/a"
        assert seen(CaptureContext(NOW, "global", "project/b"), text="x", scope="project/a").scope == "project/b"

    @each_case("scope", ["../etc", "A", "a" * 65, "*", ["a"], {"a": 1}, True])
    def test_an_event_with_an_invalid_scope_goes_to_the_default_scope(self, scope: object) -> None:
        found = seen(text="x", scope=scope)
        assert (found.scope, found.misplaced) == ("global", True)
        assert not seen(text="x", scope="project/a").misplaced

    @each_case("claimed", ["trusted", "operator", None, 1, ["trusted"]])
    def test_an_event_cannot_raise_its_trust(self, claimed: object) -> None:
        assert seen(text="x", trust=claimed).trust == "untrusted"

    def test_an_event_can_lower_its_trust(self) -> None:
        assert seen(text="x", trust="quarantined").trust == "quarantined"


class TestPrivacy:
    @each_case("mark", ["<private>", "[PRIVATE]", "[NOEXPORT]", "[NoMem]"])
    @each_case("field", ["text", "message", "summary"])
    def test_private_events_are_dropped(self, mark: str, field: str) -> None:
        assert parse_event({"summary": "x", field: f"between us {mark}"}, HERE) is None

    def test_injected_blocks_are_removed_from_the_text(self) -> None:
        text = "before <relevant-memories>old news</relevant-memories> between <system-reminder x='1'>secretly</system-reminder> after"

        assert seen(text=text).text == "before  between  after"
        assert seen(text="kept <system-reminder>never closed").text == "kept "

    def test_secrets_are_masked_in_text_summary_names_and_detail(self) -> None:
        key = "sk-" + "ant-api03-" + made_up(WORD, 60, 1)
        plain = made_up(WORD, 24, 2)
        one = seen(
            text=f"use {key} now", summary=f"key {key}", session_key=key,
            detail={"api_key": plain, "nested": [{"password": "hunter2!x"}], key: 1, "note": f"--token {plain}"},
        )  # fmt: skip

        line = spool_line(one).decode()
        assert key not in line and plain not in line and "hunter2" not in line
        assert dict(one.redacted).keys() >= {"anthropic-key"}

    @each_case("value", [12345678, "p4ss word", 'quo"te4you', "back\\slash9", "tab\tbed7", 0.25])
    def test_a_secret_is_masked_by_its_field_name_whatever_its_value(self, value: object) -> None:
        one = seen(text="x", detail={"password": value})

        assert str(value) not in json.dumps(json.loads(one.detail or ""), ensure_ascii=False)

    def test_a_secret_at_the_cut_is_masked_before_the_text_is_truncated(self) -> None:
        key = "gh" + "p_" + made_up(WORD, 36, 3)
        for size in range(HEAD_CHARS - 50, HEAD_CHARS + 10, 7):
            one = seen(text="a " * (size // 2) + key + " b" * MAX_INLINE_BYTES)
            assert key[:12] not in spool_line(one).decode()
            assert key not in one.overflow

    def test_a_secret_is_found_among_colour_codes_and_control_characters(self) -> None:
        key = "gh" + "p_" + made_up(WORD, 36, 4)

        assert seen(text=f"\x1b[93m{key}\x1b[0m\x00").text == "[redacted:github-token]\ufffd"


class TestBounds:
    def test_a_short_event_stays_in_the_line(self) -> None:
        one = seen(text="x" * 1000, detail={"a": 1})

        assert (one.payload, one.overflow, one.payload_bytes) == (None, "", len('{"detail":{"a":1},"text":""}') + 1000)

    def test_a_long_event_becomes_an_artifact_with_size_and_digest(self) -> None:
        one = seen(text="字" * 10_000, detail={"a": 1})

        assert (one.text, one.detail) == ("字" * HEAD_CHARS, None)
        assert one.payload == payload_name(one.overflow)
        assert one.payload_bytes == len(one.overflow.encode())
        assert json.loads(one.overflow) == {"text": "字" * 10_000, "detail": {"a": 1}}
        assert len(spool_line(one)) < 3 * MAX_INLINE_BYTES


class TestLines:
    def test_a_line_round_trips(self) -> None:
        for event in (
            {
                "text": "ran",
                "tool_name": "bash",
                "detail": {"b": [1, None, "x"]},
                "importance": "86%",
                "ts": 1_699_999_999_999,
            },
            {"text": "long " * 5000, "scope": "project/a", "trust": "quarantined"},
            {"summary": "only this", "is_synthetic": True, "lang": "zh"},
        ):
            one = seen(**event)
            again = parse_event(read_object(spool_line(one)), AGAIN)
            assert again is not None
            assert spool_line(again) == spool_line(one)

    def test_a_line_has_the_fields_of_its_schema_in_order(self) -> None:
        line = json.loads(spool_line(seen(text="x")))

        assert line["schema"] == SCHEMA == "satchel.observation.v1"
        assert list(line) == [
            "schema", "id", "ts", "captured_at", "kind", "scope", "tool_name", "tool_call_id", "session_key", "agent_id",
            "is_synthetic", "language", "trust", "importance", "summary", "text", "detail", "payload", "payload_bytes",
            "redacted",
        ]  # fmt: skip

    def test_a_capture_time_in_the_future_becomes_now(self) -> None:
        line = json.loads(spool_line(seen(text="x"))) | {"captured_at": NOW * 2}

        assert seen(AGAIN, **line).captured_at == AGAIN.now

    def test_a_foreign_line_cannot_set_its_capture_time(self) -> None:
        assert seen(text="x", captured_at=5).captured_at == NOW

    @steady
    @given(
        st.dictionaries(
            st.text(max_size=8),
            st.recursive(
                st.one_of(
                    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
                ),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
                ),
                max_leaves=8,
            ),
            max_size=6,
        )
    )
    def test_any_event_with_a_text_becomes_one_line_that_round_trips(self, event: dict[str, Any]) -> None:
        others = {name: value for name, value in event.items() if name not in ("scope", "ts")}
        one = parse_event({"ts": 5, **others, "text": "t"}, HERE)
        if one is None:
            return
        line = spool_line(one)
        assert line.count(b"\n") == 1
        again = parse_event(read_object(line), AGAIN)
        assert again is not None
        assert spool_line(again) == line


class TestKeys:
    def test_the_source_id_is_the_key(self) -> None:
        assert seen(text="x", id="e-1").key == "e-1"
        assert seen(text="x", observationId=7).key == "7"

    def test_ids_that_cannot_be_kept_get_distinct_keys(self) -> None:
        secrets = ["gh" + "p_" + made_up(WORD, 36, seed) for seed in (1, 2)]
        long = ["x" * 500 + letter for letter in "ab"]
        keys = [seen(text="x", id=one).key for one in (*secrets, *long)]

        assert len({*keys}) == 4
        assert not {*keys} & {*secrets, *long}
        assert seen(text="x", id=secrets[0]).key == keys[0]

    def test_equal_events_with_equal_timestamps_have_the_same_key(self) -> None:
        assert seen(text="x", ts=5).key == seen(CaptureContext(NOW + 9, "global", nonce="8"), text="x", ts=5).key
        assert seen(text="x", ts=5).key != seen(text="x", ts=6).key != seen(text="y", ts=6).key

    def test_equal_events_without_a_timestamp_have_different_keys(self) -> None:
        assert seen(text="x").key != seen(CaptureContext(NOW, "global", nonce="8"), text="x").key

    def test_without_a_nonce_the_key_depends_on_content_only(self) -> None:
        assert seen(AGAIN, text="x").key == seen(CaptureContext(NOW + 99, "global"), text="x").key
