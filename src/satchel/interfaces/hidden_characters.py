"""Characters that could make a text display as something it does not say."""

# Controls of bidi text and terminals, and invisible characters. Tabs and line feeds are not among them, nor joiners between
# letters that are written with them, and in emoji.
HIDDEN = (
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
    "|(?<![\u0600-\u06ff\u0900-\u0dff\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
    "|[\u200c\u200d](?![\u0600-\u06ff\u0900-\u0dff\u2190-\u2bff\U0001f000-\U0001faff])"
)
