"""A store in which everything that can have a name or a text has a hostile one."""

from typing import Any

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.hostile import TEXTS

SCOPE = "project/shop"
LISTS = (
    "/",
    "/review",
    "/turns",
    "/packs",
    f"/packs/roles?scope={SCOPE}",
    "/graph",
    "/facts",
    "/facts/conflicts",
    "/routes",
    "/receipts",
)
"""Pages that lead to all others."""


def fill(server: Server) -> None:
    """Store hostile texts as memories, goals, entities, subjects, values, sessions and questions."""

    def done(operation: str, **given: Any) -> Any:
        reply = server.ask(f"/v1/{operation}", {"scope": SCOPE, **given})
        assert reply.status == 200, (operation, reply.body)
        return reply.json["result"]

    source = done("store", text="We ship on Thursdays, never on Fridays", kind="decision", importance=0.9)["id"]
    done("store", text="We ship on Thursdays, always on Fridays", kind="decision")
    for text in TEXTS.values():
        name = text[:150].strip()
        done("store", text=f"{text} walrus", kind="preference", title=name[:60], importance=0.9)
        done("store", text=f"walrus {text}", source_kind="web", source_ref=name[:60])
        done("turn_before", prompt=f"walrus {text}"[:5_000])
        done("pack", query=f"walrus {name}", budget_tokens=400)
        done("attention_route", goal=f"walrus {name}", step_role="planner", task_id=name[:40])
        done("route", query=f"walrus {name}")
        done("recall", query=f"walrus {name}", mode="lexical")
        done("graph_add", tail=name, relation="USES", head="Ledger", tail_type="Tool", head_type="Tool")
        done("fact_assert", subject=name, predicate="status", object=text[:2_000], sources=[source])
    done("turn_start")
    done("turn_after", messages=[{"role": "user", "content": f"From now on, always {TEXTS['script']}"}])
