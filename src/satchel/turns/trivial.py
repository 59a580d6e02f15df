"""Recognize trivial prompts, for which no memory is recalled."""

import re
import unicodedata
from enum import StrEnum
from functools import cache
from itertools import islice

from satchel.domain.authored import remove_tags
from satchel.domain.words import STOP_WORDS

# A prompt with more letters and digits than this is never trivial, except a command.
MAX_TRIVIAL_CHARS = 120


class Triviality(StrEnum):
    """Why a prompt is trivial."""

    EMPTY = "empty"
    HEARTBEAT = "heartbeat"
    COMMAND = "slash_command"
    PUNCTUATION = "punctuation"
    EMOJI = "emoji"
    GREETING = "greeting"
    ACKNOWLEDGEMENT = "acknowledgement"
    SHORT = "short"


# Without apostrophes, as they are compared; underscores stand for spaces.
_GREETINGS = """
    hi hii hiya hello helo hey heya yo sup howdy morning evening afternoon gm gn goodnight greetings bye goodbye cya
    good_morning good_afternoon good_evening good_night good_day hi_there hello_there hey_there hi_again hello_again
    whats_up how_are_you hows_it_going you_there are_you_there see_you see_ya see_you_later see_you_tomorrow bye_bye
    哈囉 哈啰 哈喽 哈嘍 嗨 嘿 你好 您好 妳好 你們好 你们好 大家好 安安 早 早安 早上好 午安 中午好 下午好 晚安 晚上好
    在嗎 在吗 在不在 你在嗎 你在吗 掰 掰掰 拜拜 再見 再见 明天見 明天见
    おはよう おはようございます こんにちは こんばんは おやすみ おやすみなさい もしもし やあ またね じゃあね
"""
_ACKNOWLEDGEMENTS = """
    ok okay okey okie oki k kk kay yes yep yup yeah ya yea no nope nah sure thank thanks thankyou thx thanx tks ty tysm
    cheers roger copy ack nudge ping done fine great good nice cool perfect awesome excellent right alright correct exactly
    agreed understood noted indeed lol lmao haha hehe hmm hm mm mhm wow oh ah aha np nvm continue proceed next lgtm
    got_it gotcha got_that i_see i_got_it makes_sense sounds_good looks_good all_good no_problem no_worries never_mind
    of_course for_sure sure_thing thank_you thank_u thanks_a_lot many_thanks much_appreciated well_done good_job great_job
    nice_work good_work great_work fine_by_me okie_dokie very_good thats_it thats_all thats_fine that_works works_for_me will_do go_ahead go_on keep_going
    carry_on do_it ok_then okay_then well_then yes_please no_thanks you_too youre_welcome my_bad roger_that copy_that lets_go please so_much
    好 好的 好滴 好嘞 好咧 嗯 恩 喔 哦 噢 了解 瞭解 明白 懂 知道 曉得 晓得 收到 收 行 可以 可以的 可 對 对 對的 对的 是 是的
    沒錯 没错 沒問題 没问题 沒事 没事 沒關係 没关系 不用 不必 不客氣 不客气 謝謝 谢谢 謝 谢 謝謝你 谢谢你 謝謝您 谢谢您 感謝 感谢 多謝
    多谢 感恩 辛苦 哈 哈哈 呵呵 嘻嘻 讚 赞 棒 很棒 太棒 太好 厲害 厉害 不錯 不错 很好 完美 繼續 继续 下一個 下一个 下一步 當然 当然 同意 加油 催
    はい うん ええ いいえ ううん なるほど 了解です 了解しました 承知しました 承知です わかった わかりました 分かりました ありがとう
    ありがとうございます どうも すみません お願いします 続けて 大丈夫 大丈夫です いいね いいよ そう そうです そうですね そうか よし オッケー
"""
# Words of a question that is about nothing but the conversation, such as "then what?". Stop words are such too.
_FOLLOW_UPS = """
    huh eh really seriously srsly wdym wtf omg come like again more else now also anything ready already still sorry pardon wait mean say
    who what why how when where there you me one ones
    什麼 什么 甚麼 啥 蛤 嗄 為什麼 为什么 為何 为何 怎麼 怎么 怎 樣 样 咋 會 会 真 真的 真假 確定 确定 然後 然后 所以 還 还 還有 还有 那 那個 那个 那麼
    那么 這 这 這個 这个 這樣 这样 有 沒有 没有 你 妳 您 我 他 她 它 誰 谁 哪 哪裡 哪里 哪個 哪个 多少 幾 几 何時 何时 嗎 吗 呢 么 吧 啊 啦 了 的
    なに 何 なん なぜ なんで どうして どう どれ どこ いつ 誰 え えっ へえ 本当 ほんと ほんとう まじ マジ それ これ あれ で は が も の か ね よ に
    です ます ですか だ だっけ
"""
# Work that has rules in most projects: one of these words alone is a whole task.
_TASKS = """
    commit push merge rebase revert rollback tag release deploy ship publish build lint format refactor
    提交 推送 合併 合并 回滾 回滚 發布 发布 發版 发版 上線 上线 部署 打包 建置 构建 重構 重构
"""
_HEARTBEAT = re.compile(r"heartbeat(?: ok)?")
_COMMAND = re.compile(r"/[^\W\d_][\w:.-]{0,63}(?:\s.*)?", re.DOTALL)
_KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_APOSTROPHES = re.compile("['’ʼ＇]")
_LONG_DRAWN = re.compile(r"(.)\1{2,}")
_LETTER = re.compile(r"[^\W_]")
_QUESTION_MARKS = frozenset("?؟❓❔⁇⁈⁉")
_FINAL_QUESTION_WORDS = ("嗎", "吗", "呢")
# Joined as in PAY-318, main.py, src/db or 10.0.0.1.
_NAME = re.compile(r"[^\W_]++(?:[-‐_./:@+#][^\W_]++)*+")
# As in #1042 and RFC 7231.
_NUMBERED = re.compile(r"(?<![^\W_])(?:#|[^\W_]{2,} )\d{2,}")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_DOTTED_NUMBER = re.compile(r"\d+(?:[.:]\d+){2,}")


def triviality(prompt: str, min_chars: int) -> Triviality | None:
    """Return why a prompt is trivial, or None. Wide characters such as Chinese ones count for two.

    A short prompt is not trivial if it names something, such as PAY-318, asks about something, such as "port?", or gives a
    usual task, such as "deploy".
    """
    said = remove_tags(prompt).strip()
    if not said:
        return Triviality.EMPTY
    if len(list(islice(_LETTER.finditer(said), MAX_TRIVIAL_CHARS + 1))) > MAX_TRIVIAL_CHARS:
        return Triviality.COMMAND if _is_command(said) else None
    words = _words(said)
    if not words:
        return Triviality.EMOJI if any(_is_emoji(letter) for letter in said) else Triviality.PUNCTUATION
    if _HEARTBEAT.fullmatch(words):
        return Triviality.HEARTBEAT
    if _is_command(said):
        return Triviality.COMMAND
    if found := _phrases().fullmatch(_LONG_DRAWN.sub(r"\1", words)):
        return Triviality.GREETING if found["greeting"] else Triviality.ACKNOWLEDGEMENT
    is_long = width(words.replace(" ", "")) >= min_chars
    if is_long or _names_something(said) or _asks_about_something(said, words) or _tasks().search(words):
        return None
    return Triviality.SHORT


def _names_something(said: str) -> bool:
    """Return whether a prompt has a name such as PAY-318, E4021, main.py or #1042 in it."""
    # Chinese and other wide letters are written next to a name without a space.
    plain = "".join(" " if width(letter) > 1 else letter for letter in unicodedata.normalize("NFKC", said))
    return _NUMBERED.search(plain) is not None or any(_is_name(found.group()) for found in _NAME.finditer(plain))


def _is_name(word: str) -> bool:
    letters, digits = sum(map(str.isalpha, word)), sum(map(str.isdigit, word))
    if letters and digits:
        return letters + digits > 2 and _ORDINAL.fullmatch(word) is None
    if digits:
        return _DOTTED_NUMBER.fullmatch(word) is not None
    parts = [len(part) for part in re.split("[./]", word)]
    # Not "e.g." or "n/a".
    return "_" in word or (len(parts) > 1 and (min(parts) if "/" in word else max(parts)) > 1)


def _asks_about_something(said: str, words: str) -> bool:
    """Return whether a prompt is a question with a word that is not just about the conversation, as in "why?"."""
    first = _LETTER.search(said)
    after = unicodedata.normalize("NFKC", said[first.end() :] if first else "")
    if _QUESTION_MARKS.isdisjoint(after) and not words.endswith(_FINAL_QUESTION_WORDS):
        return False
    return width(_idle_words().sub("", words).replace(" ", "")) > 1


def _is_command(said: str) -> bool:
    # A path has a second slash in its first word.
    return _COMMAND.fullmatch(unicodedata.normalize("NFKC", said)) is not None


def _words(said: str) -> str:
    """Return the letters and digits of a text in normal form, with spaces for everything else."""
    plain = _APOSTROPHES.sub("", _KEYCAP.sub(" ", said))
    folded = unicodedata.normalize("NFKC", plain).casefold()
    return " ".join("".join(letter if _LETTER.match(letter) or _is_mark(letter) else " " for letter in folded).split())


def _is_mark(letter: str) -> bool:
    """Return whether a character modifies the one before, as vowels do in Thai; variation selectors do not."""
    return unicodedata.category(letter) in ("Mn", "Mc") and not "\ufe00" <= letter <= "\ufe0f"


def _is_emoji(letter: str) -> bool:
    return unicodedata.category(letter) == "So" or letter == "\u20e3"


def width(text: str) -> int:
    """Return the width of a text in columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


@cache
def _phrases() -> re.Pattern[str]:
    """Return the pattern of one or more phrases. It is possessive, so that hostile prompts match in one pass."""
    greeting, acknowledgement = _one_of(_GREETINGS), _one_of(_ACKNOWLEDGEMENTS)
    return re.compile(rf"(?:(?>(?P<greeting>{greeting})|{acknowledgement})\ *+)++")


@cache
def _tasks() -> re.Pattern[str]:
    return re.compile(_one_of(_TASKS))


@cache
def _idle_words() -> re.Pattern[str]:
    """Return the pattern of everything that may stand in a question without making it one about something."""
    return re.compile(_one_of(" ".join([_GREETINGS, _ACKNOWLEDGEMENTS, _FOLLOW_UPS, *sorted(STOP_WORDS)])))


def _one_of(phrases: str) -> str:
    known = {_LONG_DRAWN.sub(r"\1", phrase).replace("_", " ") for phrase in phrases.split()}
    longest_first = sorted(known, key=lambda phrase: (-len(phrase), phrase))
    spaced = "|".join(phrase for phrase in longest_first if phrase.isascii())
    unspaced = "|".join(phrase for phrase in longest_first if not phrase.isascii())
    return rf"(?<![a-z0-9])(?:{spaced})(?![a-z0-9])[的啦了喔哦]?+|(?:{unspaced})[啊呀喔哦囉啰啦了吧唷耶嘛哈]{{0,2}}+"
