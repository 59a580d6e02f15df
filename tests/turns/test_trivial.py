"""Trivial prompts in English and Chinese, with any decoration, and prompts that only look trivial."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.turns.trivial import Triviality, triviality
from tests.tables import each_case

steady = settings(max_examples=300, deadline=None, derandomize=True)

GREETINGS = (
    "hi|hello|hey|yo|morning|evening|good morning|Good Afternoon|good evening|good night|GOODNIGHT|Hi there|hey, good morning|"
    "哈囉|哈喽|你好|您好|安安|早安|早上好|午安|晚安|大家好|hi 你好"
)
ACKNOWLEDGEMENTS = (
    "ok|okay|OK|k|kk|got it|roger|sure|thank|thanks|Thank you|thx|ty|nudge|yes|yep|no|okkkk|yesss|ok thanks|Got it, thanks a lot|"
    "great work|fine by me|okay then|ok then|sounds good|that's it|that’s fine|go ahead|never mind|you're welcome|收到|好|好的|嗯|嗯嗯|嗯嗯嗯嗯|了解|知道了|行|沒問題|没问题|"
    "謝謝|谢谢|謝謝你|谢谢您|感谢|好的謝謝|好的，谢谢啦|收到囉|明白了|哈哈哈哈|沒關係|没关系|不客气|辛苦了|太好了|好啊好啊|ok的，收到"
)
DECORATIONS = [
    "",
    "!",
    "!!",
    "~",
    "～",
    "…",
    "。",
    "！",
    "？",
    "，",
    "、",
    "；",
    ";",
    "👍",
    "👌🏽",
    "❤️",
    "🇹🇼",
    "👨‍👩‍👧",
    " 🙏🙏",
    "^_^",
    "1️⃣",
    ":)",
    "\n",
]


@each_case("decoration", DECORATIONS)
@each_case(("phrases", "reason"), [(GREETINGS, Triviality.GREETING), (ACKNOWLEDGEMENTS, Triviality.ACKNOWLEDGEMENT)])
def test_greetings_and_acknowledgements_are_trivial_with_any_decoration(
    phrases: str, reason: Triviality, decoration: str
) -> None:
    for phrase in phrases.split("|"):
        assert triviality(phrase + decoration, 2) is reason, phrase
        assert triviality(f"  {decoration} {phrase}{decoration}{decoration} ", 2) is reason, phrase


@each_case("prompt", ["", " ", "\n\t \u3000", "[SCOPE: team]", "\ufeff[ISO: a]\n"])
def test_an_empty_prompt_is_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is Triviality.EMPTY


@each_case("prompt", ["HEARTBEAT", "heartbeat_ok", "Heartbeat OK", "HEARTBEAT_OK 💓", "heartbeat."])
def test_a_heartbeat_is_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is Triviality.HEARTBEAT


@each_case(
    "prompt",
    [
        "/status",
        "/new topic",
        "/NEW a long topic, with more words than one would think of",
        "/plugin:command now",
        "／status",
        "/compact keep the database part\nand the rest",
        f"/ask {'why ' * 100}",
    ],
)
def test_a_slash_command_is_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is Triviality.COMMAND


@each_case("prompt", ["?", "???", "…", "。。。", "？", "！", "，", "～", "、", "；", "!?~", "—", "()", "_", "^_^"])
def test_punctuation_alone_is_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is Triviality.PUNCTUATION


@each_case(
    "prompt",
    ["👍", "❤️", "🇹🇼", "👨‍👩‍👧", "👋🏿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "1️⃣2️⃣", "✅ ✔️", "☀️!", "👨‍👩‍👧‍👦" * 300, "😀" * 5_000],
)
def test_emoji_alone_are_trivial_at_any_length(prompt: str) -> None:
    assert triviality(prompt, 8) is Triviality.EMOJI


@each_case(
    "prompt",
    [
        "Why does the heartbeat of the worker stop after an hour?",
        "heartbeat timeout in prod",
        "is either/or allowed in the config?",
        "/etc/hosts is broken, what did we put there?",
        "see src/main.py",
        "what did we decide about the database",
        "okay, now rename the table",
        "thanks, and what about the tests?",
        "hi, which port does the server use",
        "good morning, summarise yesterday",
        "yes, use the second one for staging",
        "好的，那資料庫用哪個？",
        "收到，接下来部署到哪里",
        "早餐吃什麼好呢",
        "好奇怎麼部署",
        "行程安排是什么",
        "部署流程",
        "谢谢，顺便查一下端口",
        "你好，帮我看看日志",
        "okra recipes",
        "nope_handler crashes",
        "[SCOPE: team] which database?",
        "```\nTraceback (most recent call last)\n```",
        "أين يوجد الخادم",
    ],
)
def test_a_prompt_with_content_is_not_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is None


SHORT_PROMPTS = [
    line.split("|", 2)
    for line in (Path(__file__).parents[1] / "data/turns/short_prompts.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@each_case(("half", "allowed"), [("development", 0), ("held", 2)])
def test_a_short_prompt_that_names_or_asks_something_is_not_trivial(half: str, allowed: int) -> None:
    own = [(meaning, prompt) for meaning, which, prompt in SHORT_PROMPTS if which == half]
    assert len(own) == 74
    wrong = [prompt for meaning, prompt in own if (triviality(prompt, 8) is None) != (meaning == "ask")]
    assert len(wrong) <= allowed, wrong


@each_case("prompt", ["commit", "Push!", "ship it", "merge pls", "提交", "合併吧", "部署", "重构"])
def test_a_short_prompt_that_gives_a_usual_task_is_not_trivial(prompt: str) -> None:
    assert triviality(prompt, 8) is None


def test_width_ignores_decoration_and_counts_wide_letters_twice() -> None:
    assert triviality("fix it!!!!!!!!", 8) is Triviality.SHORT
    assert triviality("fix a bug", 8) is Triviality.SHORT
    assert triviality("fix a bug", 7) is None
    assert triviality("端口號", 8) is Triviality.SHORT
    assert triviality("端口號呢", 8) is None


def test_a_scope_tag_does_not_count_as_length() -> None:
    assert triviality("[SCOPE: a-long-name] ok", 8) is Triviality.ACKNOWLEDGEMENT


@steady
@given(st.text(st.characters(exclude_categories=()), max_size=60), st.integers(2, 40))
def test_any_prompt_is_classified_and_a_long_one_is_not_trivial(prompt: str, min_chars: int) -> None:
    assert triviality(prompt, min_chars) in (None, *Triviality)
    assert triviality(f"what about {prompt} and the database of the project, please tell me more", 40) is None


@each_case(
    "prompt", ["嗯" * 100_000, "ok " * 50_000, "/" * 100_000, "'" * 100_000, "a\u0301" * 50_000, "a" + "?" * 100_000]
)
def test_hostile_prompts_match_in_one_pass(prompt: str) -> None:
    triviality(prompt, 8)
