"""Which Chinese words get a vector, and what the dictionary says of them."""

from pathlib import Path

from training.chinese import choose_words, read_dictionary, read_frequencies, read_pairs, write_pairs, write_words

DICTIONARY = """# CC-CEDICT
數據庫 数据库 [shu4 ju4 ku4] /database/
王 王 [Wang2] /surname Wang/
王 王 [wang2] /king or monarch/best or strongest of its type/grand/
面 面 [mian4] /face/side; surface; (bound form) aspect/
麵 面 [mian4] /flour; noodles (soft) (Tw)/
車 车 [che1] /car/vehicle/CL:輛|辆[liang4]/
A咖 A咖 [A ka1] /class "A"/
"""


def test_glosses_are_read_without_remarks_and_names_come_last(tmp_path: Path) -> None:
    (tmp_path / "dictionary.txt").write_text(DICTIONARY, encoding="utf-8")
    words = read_dictionary(tmp_path / "dictionary.txt")

    assert {word: entry.glosses for word, entry in words.items()} == {
        "数据库": ["database"],
        "王": ["king or monarch", "best or strongest of its type", "grand"],
        "面": ["face", "side", "surface", "aspect", "flour", "noodles"],
        "车": ["car", "vehicle"],
    }
    assert words["面"].forms == ["面", "麵"]

    write_pairs(words, tmp_path / "pairs.jsonl.gz")
    assert dict(read_pairs(tmp_path / "pairs.jsonl.gz"))["车"] == ["car", "vehicle"]


def test_common_characters_come_first_then_frequent_words_and_those_of_our_notes(tmp_path: Path) -> None:
    (tmp_path / "dictionary.txt").write_text(
        DICTIONARY + "平 平 [ping2] /flat/\n早飯 早饭 [zao3 fan4] /breakfast/\n", encoding="utf-8"
    )
    (tmp_path / "frequencies.txt").write_text("王 900 n\n面 90 n\n数据库 80 n\n平 2 a\n早饭 100 n\n", encoding="utf-8")
    words, frequencies = read_dictionary(tmp_path / "dictionary.txt"), read_frequencies(tmp_path / "frequencies.txt")

    chosen = choose_words(words, frequencies, ["今天開車"], rows=5)
    assert [word.simplified for word in chosen] == ["王", "面", "车", "数据库", "早饭"]

    write_words(chosen, tmp_path / "chinese.txt")
    assert (tmp_path / "chinese.txt").read_text(encoding="utf-8").splitlines() == [
        "王",
        "面 麵",
        "车 車",
        "数据库 數據庫",
        "早饭 早飯",
    ]
