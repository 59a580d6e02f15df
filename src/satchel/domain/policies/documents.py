"""Settings of documents: ingestion, and fallback to them in recall."""

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Setting


class ScopeMapping(StrEnum):
    """Which documents of the default scope are visible in other scopes."""

    NONE = "none"
    REPO_PREFIX = "repo_prefix"
    PATH_PREFIX = "path_prefix"
    MAP = "map"


class DocumentsPolicy(Struct, frozen=True):
    """Documents, which recall searches only when it finds too few memories."""

    enabled: Annotated[bool, Setting("search documents when a recall finds too few memories")] = True
    source_roots: Annotated[tuple[str, ...], Setting("folders to ingest documents from", max_items=64)] = ()
    source_globs: Annotated[
        tuple[str, ...], Setting("files to ingest: patterns as in .gitignore, with ! for exceptions", max_items=64)
    ] = ("**/*.md",)
    max_chunk_chars: Annotated[int, Setting("maximum length of a chunk", 200, 4000)] = 1400
    max_file_bytes: Annotated[
        int, Setting("maximum file size in bytes; larger files are skipped", 1_000, 50_000_000)
    ] = 2_000_000
    embed_on_ingest: Annotated[bool, Setting("embed new documents at once, not at the first search")] = True
    ingest_on_start: Annotated[bool, Setting("ingest the folders when a server starts")] = False
    max_items: Annotated[int, Setting("maximum chunks that a recall adds", 1, 5)] = 2
    max_snippet_chars: Annotated[int, Setting("maximum characters shown of each chunk", 80, 600)] = 280
    min_hot_items: Annotated[int, Setting("search documents when a recall found fewer memories than this", 0, 5)] = 2
    search_fts_k: Annotated[int, Setting("lexical matches to rank", 1, 100)] = 20
    search_vec_k: Annotated[int, Setting("vector matches to rank", 1, 100)] = 20
    search_rrf_k: Annotated[int, Setting("RRF constant, if recall.fusion is rrf", 1, 200)] = 60
    scope_mapping_strategy: Annotated[
        str,
        Setting(
            "documents of the default scope that are visible in another scope: none; those of the repo in its name "
            "(repo_prefix); those in the folder in its name (path_prefix); or those in scope_map (map)",
            choices=tuple(ScopeMapping),
        ),
    ] = ScopeMapping.REPO_PREFIX
    scope_map: Annotated[
        tuple[str, ...], Setting("repos visible in a scope, one entry each: scope=repo", max_items=256)
    ] = ()
