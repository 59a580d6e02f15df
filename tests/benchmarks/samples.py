"""Small files of each public format, invented here."""

from typing import Any


def locomo() -> list[dict[str, Any]]:
    """Two conversations of two people each."""
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ida",
                "speaker_b": "Ben",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    {"speaker": "Ida", "dia_id": "D1:1", "text": "I adopted a parrot called Kiwi"},
                    {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a red canoe"},
                ],
                "session_2_date_time": "10:00 am on 9 June, 2023",
                "session_2": [
                    {"speaker": "Ida", "dia_id": "D2:1", "text": "Kiwi learned to whistle"},
                    {"speaker": "Ben", "dia_id": "D2:2", "text": "We paddled the whole river"},
                ],
                "session_3_date_time": "10:00 am on 10 June, 2023",
            },
            "qa": [
                {"question": "Which parrot did Ida adopt?", "answer": "Kiwi", "evidence": ["D1:1"], "category": 4},
                {"question": "What about Kiwi?", "answer": "-", "evidence": ["D1:1; D2:01", "D9:9"], "category": 1},
                {"question": "Who has a red canoe?", "adversarial_answer": "Ida", "evidence": ["D:1:2"], "category": 5},
                {"question": "Unknown?", "answer": "-", "evidence": [], "category": 3},
            ],
            "event_summary": {"x": "secretly a summary"},
            "observation": {},
            "session_summary": {},
        },
        {
            "sample_id": "conv-2",
            "conversation": {
                "session_1_date_time": "1:00 pm on 1 July, 2023",
                "session_1": [{"speaker": "Noor", "dia_id": "D1:1", "text": "The kiln reached twelve hundred degrees"}],
            },
            "qa": [{"question": "How hot was the kiln?", "answer": "1200", "evidence": ["D1:1"], "category": 2}],
        },
    ]


def longmemeval() -> list[dict[str, Any]]:
    """Three questions over a pool of two sessions."""
    bread = [
        {"role": "user", "content": "My sourdough starter is called Bubbles", "has_answer": True},
        {"role": "assistant", "content": "Feed it every morning", "has_answer": False},
    ]
    train = [
        {"role": "user", "content": "I missed the train to Turin"},
        {"role": "assistant", "content": "The next one leaves at noon", "has_answer": True},
    ]
    return [
        _asked("q1", "What is the name of my sourdough starter?", [("answer_b", bread)], ["answer_b"]),
        _asked("q2", "When does the train leave?", [("s_train", train), ("answer_b", bread)], ["s_train"]),
        _asked("q3_abs", "What is my cat called?", [("s_train", train)], ["s_train"]),
    ]


def _asked(id: str, question: str, sessions: list[tuple[str, Any]], answers: list[str]) -> dict[str, Any]:
    return {
        "question_id": id,
        "question_type": "single-session-user",
        "question": question,
        "answer": 7,
        "question_date": "2023/06/28 (Wed) 20:07",
        "haystack_dates": ["2023/06/27 (Tue) 01:51"] * len(sessions),
        "haystack_session_ids": [name for name, _ in sessions],
        "haystack_sessions": [turns for _, turns in sessions],
        "answer_session_ids": answers,
    }


def beam() -> list[dict[str, Any]]:
    """One chat over two periods."""
    return [
        {
            "chat_id": "100K-1",
            "messages": [
                {"id": 0, "role": "user", "content": "The greenhouse needs a fan", "time_anchor": "March-15-2024"},
                {"id": 1, "role": "assistant", "content": "A solar fan would do"},
                {"id": 2, "role": "user", "content": "I bought tomato seeds", "time_anchor": "April-02-2024"},
            ],
            "probing_questions": [
                {"type": "abstention", "question": "What is the dog called?", "source_chat_ids": []},
                {"type": "information_extraction", "question": "Which seeds were bought?", "source_chat_ids": [2, 99]},
                {"type": "summarization", "question": "Tell me about the fan", "source_chat_ids": [0, 1]},
            ],
        }
    ]


def cosqa() -> dict[str, Any]:
    """Three functions."""
    return {
        "queries": [
            {"idx": "q-7", "query": "python reverse a string", "gold": 1},
            {"idx": "q-9", "query": "count lines of a file", "gold": 2},
        ],
        "corpus": [
            "def add(a, b):\n    return a + b",
            "def reverse_string(text):\n    return text[::-1]",
            "def count_lines(path):\n    return sum(1 for _ in open(path))",
        ],
    }


def chats() -> list[dict[str, Any]]:
    """Two people in two sessions."""
    return [
        {
            "kind": "people",
            "units": ["Ann: I play the cello.", "Ben: Lovely!", "Ann: And I play the oboe. [image: a photo of a reed]"],
            "sessions": [0, 2],
            "qa": [{"q": "What does Ann play?", "pos": [0, 2]}, {"q": "What is lovely?", "pos": [1]}],
        }
    ]


FILES = {"locomo": locomo, "longmemeval": longmemeval, "beam": beam, "cosqa": cosqa, "chats": chats}
