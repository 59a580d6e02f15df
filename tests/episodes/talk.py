"""A conversation shared by the episode tests."""

from typing import Any

TALK: list[dict[str, Any]] = [
    {"id": "a1", "session": "spring", "speaker": "Ann", "at": "2023-05-08", "text": "Where did you go on holiday?"},
    {"id": "a2", "session": "spring", "speaker": "Ben", "at": "2023-05-08", "text": "To Lisbon, with my sister."},
    {
        "id": "a3",
        "session": "spring",
        "speaker": "Ann",
        "at": "2023-05-08",
        "text": "I stayed home and painted a boat.",
    },
    {"id": "b1", "session": "autumn", "speaker": "Ben", "at": "2023-10-02", "text": "The kiln broke again."},
    {"id": "b2", "session": "autumn", "speaker": "Ann", "at": "2023-10-02", "text": "Mine too; pottery is on hold."},
    {"id": "c1", "session": "中文", "speaker": "小明", "at": "2024-01-05", "text": "我上个月搬到了里斯本。"},
]
