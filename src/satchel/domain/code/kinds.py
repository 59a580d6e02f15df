"""Recognizes the kind and grammar of a file by its name."""

from satchel.domain.document import DocKind

_MARKDOWN = frozenset({"md", "markdown", "mdx", "mkd"})
_TEXT = frozenset(
    {"txt", "text", "rst", "adoc", "org", "log", "csv", "tsv", "json", "jsonl", "yaml", "yml", "toml", "ini", "cfg"}
    | {"conf", "xml", "html", "htm", "css", "scss", "sql", "graphql", "proto", "tex"}
)
# Source files with a tree-sitter grammar.
_GRAMMARS = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "tsx",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "c": "c",
    "h": "c",
}
# Source files without a grammar, which are split at empty lines.
_OTHER_CODE = frozenset(
    {"cc", "cpp", "cxx", "hpp", "hh", "cs", "kt", "kts", "swift", "scala", "rb", "php", "pl", "pm", "lua", "r", "jl"}
    | {"sh", "bash", "zsh", "fish", "ps1", "ex", "exs", "erl", "hs", "ml", "clj", "dart", "zig", "nim", "vue", "svelte"}
)
# Files without an extension.
_NAMES = {
    "readme": DocKind.TEXT,
    "license": DocKind.TEXT,
    "changelog": DocKind.TEXT,
    "notice": DocKind.TEXT,
    "authors": DocKind.TEXT,
    "makefile": DocKind.CODE,
    "dockerfile": DocKind.CODE,
}
LANGUAGES = tuple(sorted({*_GRAMMARS.values()}))


def kind_of(path: str) -> DocKind | None:
    """Return the kind of a file, or None if its name is unknown."""
    name = path.rpartition("/")[2].lower()
    _, dot, suffix = name.rpartition(".")
    if not dot:
        return _NAMES.get(name)
    if suffix in _MARKDOWN:
        return DocKind.MARKDOWN
    if suffix in _GRAMMARS or suffix in _OTHER_CODE:
        return DocKind.CODE
    return DocKind.TEXT if suffix in _TEXT else None


def grammar_of(path: str) -> str | None:
    """Return the grammar of a source file, if there is one."""
    return _GRAMMARS.get(path.rpartition("/")[2].rpartition(".")[2].lower())
