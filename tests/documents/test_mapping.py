"""Which collections a scope sees, by rule."""

from typing import Any

from msgspec.structs import replace

from satchel.app import Satchel
from satchel.documents.admitted import admitted
from satchel.domain.document import Collection
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.scope import EVERYWHERE, Reach
from tests.tables import each_case

ALL = [Collection("global", "api", ""), Collection("global", "web", ""), Collection("red", "notes", "")]


def seen(scope: str, strategy: str, **more: Any) -> list[str]:
    policy = DocumentsPolicy(scope_mapping_strategy=strategy, **more)
    return [one.name for one in admitted(ALL, Reach((scope,)), "global", policy).collections]


@each_case("strategy", ["none", "repo_prefix", "path_prefix", "map"])
def test_the_default_scope_sees_its_own_collections(strategy: str) -> None:
    assert seen("global", strategy) == ["api", "web"]


def test_each_rule_adds_its_collections() -> None:
    assert seen("red", "none") == ["notes"]
    assert seen("api", "none") == []
    assert seen("repo/api", "repo_prefix") == ["api"]
    assert seen("red", "map", scope_map=("red=web", "blue=api")) == ["notes", "web"]
    assert seen("red", "path_prefix") == ["notes", "api", "web"]


def test_all_scopes_see_every_collection() -> None:
    assert len(admitted(ALL, EVERYWHERE, "global", DocumentsPolicy()).collections) == 3


def test_path_prefix_limits_a_scope_to_its_folder(memory: Satchel) -> None:
    memory.documents.add(
        [{"ref": "docs/adr/a.md", "text": "tea"}, {"ref": "src/b.md", "text": "tea"}], collection="app"
    )
    memory.documents.add([{"ref": "c.md", "text": "tea"}], collection="own", scope="docs/adr")
    policy = replace(memory.parts.policies.documents, scope_mapping_strategy="path_prefix")
    mapped = Satchel(replace(memory.parts, policies=replace(memory.parts.policies, documents=policy)))

    hits = mapped.documents.search("tea", scope="docs/adr", mode="search").result.hits

    assert {hit.path for hit in hits} == {"docs/adr/a.md", "c.md"}
    assert mapped.documents.search("tea", scope="other", mode="search").result.hits == ()
