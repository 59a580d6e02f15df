"""Hide the folders of people in texts for a prompt: a path below a home folder names its owner."""

import re

_HOME = re.compile(
    r"(?<![\w/.])(?:/home/|/Users/|/var/home/)[^/\s'\"`<>:|]+(?=[/\s'\"`<>:|,;.)\]]|$)"
    r"|(?<![\w/.])/root(?=/)"
    r"|(?<!\w)[A-Za-z]:[\\/]Users[\\/][^\\/\s'\"`<>:|]+",
    re.IGNORECASE,
)


def without_home_folders(text: str) -> str:
    """Return a text with every home folder as `~`."""
    return _HOME.sub("~", text)
