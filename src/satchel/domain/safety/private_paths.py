"""Hide the folders of people in texts for a prompt: a path below a home folder names its owner."""

from satchel.domain.safety.compiled import compiled

_HOME = (
    r"(?i)(?:(?<![\w/.])|(?<=file://))(?:/home/|/Users/|/var/home/)[^/\s'\"`<>:|]+(?=[/\s'\"`<>:|,;.)\]]|$)"
    r"|(?:(?<![\w/.])|(?<=file://))/root(?=/)"
    # In JSON, every backslash is two.
    r"|(?<!\w)[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}[^\\/\s'\"`<>:|]+"
)
# What every text with a home folder has, in small letters.
_HINTS = ("/home/", "/users/", "/root/", "\\users\\")


def may_have_home_folder(text: str) -> bool:
    """Return whether a text is worth a closer look."""
    small = text.lower()
    return any(hint in small for hint in _HINTS)


def without_home_folders(text: str) -> str:
    """Return a text with every home folder as `~`."""
    return compiled(_HOME).sub("~", text)
