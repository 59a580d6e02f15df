"""A pattern of lasting statements, and where a statement may begin in a sentence."""

from msgspec import Struct

from satchel.domain.record import Kind


class StatementPattern(Struct, frozen=True):
    """One way to state something lasting."""

    name: str
    kind: Kind
    pattern: str
    unless: str = ""
    """A pattern that rules it out, anywhere in the sentence."""
    lasting: bool = False
    """Whether it says explicitly that it holds beyond this turn."""
    requirement: bool = False
    """Whether it may be a requirement of the piece of work that the same message asks for."""
    words: tuple[str, ...] = ()
    """Parts of words of which the sentence must have one; most sentences have none, and skip the pattern."""


# Where an instruction may begin: not after "and", which may continue a story.
START = (
    r"(?:^\W*(?:(?:also|and|but|so|ok|okay|oh|hey|then|btw|by the way|one more thing|thanks|note|reminder|please|"
    r"pls|plz|kindly|in general|generally)\b[\s,:]++)*"
    r"(?:(?:when|whenever|if|before|after|for|in|on|at|with|unless)\b[^,;:]{2,80}[,:]\s*+)?|[;:(–—]\s*+|"
    r"\b(?:please|pls|kindly|you should|you must|you need to|you have to|is to|is that you|sure to|sure you|"
    r"sure that you|try to|i told you)[\s,:]++)"
    r"(?:please\s++)?"
)
# Where an instruction may begin in Chinese.
BEGIN = r"(?:^\W*|[,;:。、—\s]\s*+|請|请|麻煩你?|麻烦你?|拜託你?|拜托你?|務必|务必|你要|你得|你應該|你应该|幫我|帮我|而且|並且|并且|也|還有|还有|另外|所以)"
