"""Texts that try to be more than text on a page."""

SCRIPT = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
TEMPLATE = "{{ 7 * 7 }}{% raw %}${7*7}"
ATTRIBUTE = '" onmouseover="document.title=\'owned\'" x="'
BIDI = "pay \u202egnp.exe\u202c now"
ZERO_WIDTH = "pass\u200bword \u2060and\ufeff more"
LONG_LINE = "walrus" * 16_600
LINK = "javascript:alert(1) https://evil.example/?q=1"
TAGS = "\ufffd \U000e0041 tag"

TEXTS = {
    "script": SCRIPT,
    "template": TEMPLATE,
    "attribute": ATTRIBUTE,
    "bidi": BIDI,
    "zero width": ZERO_WIDTH,
    "long line": LONG_LINE,
    "link": LINK,
    "tags": TAGS,
}
