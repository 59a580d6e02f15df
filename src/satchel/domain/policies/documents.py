"""The cold lane: when a recall looks into documents, and how they are taken in."""

from enum import StrEnum
from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Knob


class ScopeMapping(StrEnum):
    """Which documents of the default scope a request in another scope may see as well."""

    NONE = "none"
    REPO_PREFIX = "repo_prefix"
    PATH_PREFIX = "path_prefix"
    MAP = "map"


class DocumentsPolicy(Struct, frozen=True):
    """Documents, which a recall consults only when memories have too little."""

    enabled: Annotated[bool, Knob("let a recall look into documents when memories have too little")] = False
    source_roots: Annotated[tuple[str, ...], Knob("folders that documents are taken in from", most_items=64)] = ()
    source_globs: Annotated[
        tuple[str, ...], Knob("which of their files: patterns as in .gitignore, with ! for exceptions", most_items=64)
    ] = ("**/*.md",)
    max_chunk_chars: Annotated[int, Knob("longest piece a document is cut into", least=200, most=4000)] = 1400
    max_file_bytes: Annotated[int, Knob("larger files are left out", least=1_000, most=50_000_000)] = 2_000_000
    embed_on_ingest: Annotated[bool, Knob("make vectors of new documents at once; else when somebody asks")] = True
    ingest_on_start: Annotated[bool, Knob("take the folders in when a server starts")] = False
    max_items: Annotated[int, Knob("how many pieces of documents a recall adds", least=1, most=5)] = 2
    max_snippet_chars: Annotated[int, Knob("how much of each piece is shown", least=80, most=600)] = 280
    min_hot_items: Annotated[
        int, Knob("documents are consulted when a recall found fewer memories than this", least=0, most=5)
    ] = 2
    search_fts_k: Annotated[int, Knob("of a recall's matches by word so many count", least=1, most=100)] = 20
    search_vec_k: Annotated[int, Knob("of its matches by meaning so many count", least=1, most=100)] = 20
    search_rrf_k: Annotated[
        int, Knob("the constant of reciprocal ranks, where recall.fusion is rrf", least=1, most=200)
    ] = 60
    scope_mapping_strategy: Annotated[
        str,
        Knob(
            "documents of the default scope that another scope sees too: none; those of the repo it names "
            "(repo_prefix); those in the folder it names (path_prefix); or as scope_map says (map)",
            choices=tuple(ScopeMapping),
        ),
    ] = ScopeMapping.REPO_PREFIX
    scope_map: Annotated[
        tuple[str, ...], Knob("which repos a scope sees, one entry for each: scope=repo", most_items=256)
    ] = ()
