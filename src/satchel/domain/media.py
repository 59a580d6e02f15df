"""References to media that a memory is about, and their kinds. The bytes stay where they are."""

from collections.abc import Sequence
from enum import StrEnum

from satchel.domain.text import check_text
from satchel.errors import InvalidRequest

MAX_REF_CHARS = 2_000
MAX_REFS = 50


class MediaKind(StrEnum):
    """The kind of a medium."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"
    OTHER = "other"


ANY_MEDIA = "any"
MEDIA_FILTERS = (ANY_MEDIA, *MediaKind)

_ENDINGS = {
    MediaKind.IMAGE: "png jpg jpeg gif webp svg bmp tif tiff heic heif avif ico",
    MediaKind.AUDIO: "mp3 wav ogg oga opus flac m4a aac aiff mid midi",
    MediaKind.VIDEO: "mp4 mov webm mkv avi m4v mpg mpeg 3gp",
    MediaKind.DOCUMENT: "pdf doc docx odt rtf txt md html xls xlsx ods csv ppt pptx odp epub",
}
KIND_OF_ENDING = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings.split()}


def check_media(refs: Sequence[str]) -> tuple[str, ...]:
    """Return references to media, or raise InvalidRequest. Content in the place of a reference is refused."""
    if isinstance(refs, str):
        raise InvalidRequest("media must be a list of references", code="wrong_type")
    if len(refs) > MAX_REFS:
        raise InvalidRequest(f"more than {MAX_REFS} media references", code="too_many")
    return tuple(dict.fromkeys(map(_checked, refs))) if refs else ()


def _checked(ref: str) -> str:
    text = check_text(ref, "a media reference", limit=MAX_REF_CHARS)
    if bare_ref(text).lstrip().casefold().startswith("data:"):
        raise InvalidRequest(
            "a media reference cannot hold the content itself",
            code="media_inline",
            hint="save it to a file, and give its path or address",
        )
    if not bare_ref(text).strip():
        raise InvalidRequest("a media reference is empty", code="missing_text", hint="give a path or an address")
    return text


def kind_of(ref: str) -> MediaKind:
    """Return the kind of a medium: the one named before the reference (`image:…`), else by the ending of its name."""
    named = _named_kind(ref)
    if named is not None:
        return named
    name = ref.partition("#")[0].partition("?")[0].replace("\\", "/").rpartition("/")[2]
    return KIND_OF_ENDING.get(name.rpartition(".")[2].casefold() if "." in name else "", MediaKind.OTHER)


def bare_ref(ref: str) -> str:
    """Return a reference without the kind named before it."""
    return ref if _named_kind(ref) is None else ref.partition(":")[2]


def _named_kind(ref: str) -> MediaKind | None:
    name = ref.partition(":")[0].casefold() if ":" in ref else ""
    return MediaKind(name) if name in list(MediaKind) else None


def media_kind(refs: Sequence[str]) -> MediaKind | None:
    """Return the kind that all media of a memory have, `other` if they differ; None without media."""
    if not refs:
        return None
    kinds = {kind_of(one) for one in refs}
    return kinds.pop() if len(kinds) == 1 else MediaKind.OTHER


def check_media_filter(wanted: str | None) -> str | None:
    """Return the kind of media that a request asks for, or raise InvalidRequest."""
    if wanted is not None and wanted not in MEDIA_FILTERS:
        raise InvalidRequest(
            f"unknown kind of media {str(wanted)[:40]!r}",
            code="unknown_word",
            hint=f"one of: {', '.join(MEDIA_FILTERS)}",
        )
    return wanted


def has_media(refs: Sequence[str], wanted: str) -> bool:
    """Return whether one of some references is of a kind; of any kind for `any`."""
    return bool(refs) and (wanted == ANY_MEDIA or any(kind_of(one) == wanted for one in refs))
