"""Statements in sentences are read; negations, questions, wishes and suppositions are not."""

from satchel.domain.graph import EntityType
from satchel.graph.readers.prose import read_prose
from tests.graph.samples import Triple, triples
from tests.tables import each_case


@each_case(
    ("text", "expected"),
    [
        ("The auth middleware depends on the session store.", {("auth middleware", "DEPENDS_ON", "session store")}),
        ("Satchel uses SQLite and Lance for storage.", {("Satchel", "USES", "SQLite"), ("Satchel", "USES", "Lance")}),
        ("SQLite is used by Satchel.", {("Satchel", "USES", "SQLite")}),
        ("Checkout is blocked by the gateway migration.", {("Checkout", "BLOCKED_BY", "gateway migration")}),
        ("Kafka replaced RabbitMQ.", {("Kafka", "REPLACES", "RabbitMQ")}),
        ("Search is related to ranking.", {("Search", "RELATES_TO", "ranking")}),
        (
            "Team A evaluated networkx and rustworkx.",
            {("Team A", "EVALUATES", "networkx"), ("Team A", "EVALUATES", "rustworkx")},
        ),
        ("Bob Stone maintains the ledger module.", {("Bob Stone", "OWNS", "ledger module")}),
        ("`Reach` uses `ScopePolicy`.", {("Reach", "USES", "ScopePolicy")}),
        ("The new index replaces the old index.", {("new index", "REPLACES", "old index")}),
        ("Satchel uses Postgres.", {("Satchel", "USES", "PostgreSQL")}),
        ("支付服务依赖会话存储。", {("支付服务", "DEPENDS_ON", "会话存储")}),
        ("支付服務依賴會話儲存。", {("支付服務", "DEPENDS_ON", "會話儲存")}),
        ("订单系统被网关迁移阻塞。", {("订单系统", "BLOCKED_BY", "网关迁移")}),
        ("检索和排序有关。", {("检索", "RELATES_TO", "排序")}),
        ("Satchel 使用 SQLite。", {("Satchel", "USES", "SQLite")}),
        ("王芳负责账本模块。", {("王芳", "OWNS", "账本模块")}),
    ],
)
def test_a_statement_is_read(text: str, expected: set[Triple]) -> None:
    assert triples(read_prose(text)) == expected


@each_case(
    "text",
    [
        "We do not use Redis.",
        "Satchel does not use Redis.",
        "Satchel no longer uses Redis.",
        "Does Satchel use Redis?",
        "If Satchel uses Redis, Kafka depends on it.",
        "Maybe Satchel uses Redis.",
        "Satchel should use Redis.",
        "Satchel might depend on Kafka.",
        "The scheduler could use Kafka.",
        "It depends on them.",
        "This uses that.",
        "我们不使用 Redis。",
        "Satchel 使用 Redis 吗",
        "如果 Satchel 使用 Redis。",
        "Satchel 可能使用 Redis。",
        "",
        "....",
        "uses uses uses",
        "depends on",
    ],
)
def test_what_is_not_stated_is_not_read(text: str) -> None:
    assert triples(read_prose(text)) == set()


@each_case(
    ("text", "person", "decision"),
    [
        ("Alice decided to use PostgreSQL over SQLite.", "Alice", "use PostgreSQL over SQLite"),
        ("The move to nightly builds was decided by Dana Lee.", "Dana Lee", "The move to nightly builds"),
        ("Decision (Carol): use apsw.", "Carol", "use apsw"),
        ("张伟决定采用 PostgreSQL 而不是 SQLite。", "张伟", "PostgreSQL 而不是 SQLite"),
        ("@mara chose Terraform for the fleet.", "mara", "Terraform for the fleet"),
    ],
)
def test_deciders_are_read(text: str, person: str, decision: str) -> None:
    assert (person, "DECIDES", decision) in triples(read_prose(text))


@each_case("text", ["We decided to ship on Thursdays.", "The team chose Kafka.", "我们决定采用 Kafka。"])
def test_a_decision_without_a_named_person_has_no_decider(text: str) -> None:
    extract = read_prose(text)

    assert [one.ref.type for one in extract.mentions if one.defining] == [EntityType.DECISION]
    assert not [one for one in triples(extract) if one[1] == "DECIDES"]


def test_an_alias_is_a_relation() -> None:
    found = triples(read_prose("Chart Server (also known as Pilot) uses GraphQL."))

    assert found == {("Pilot", "ALIAS_OF", "Chart Server"), ("Chart Server", "USES", "GraphQL")}


def test_is_a_sentences_give_the_type() -> None:
    extract = read_prose("Satchel is an open source project.\n\nBuoy 是一个项目。")

    assert {(one.ref.name, one.ref.type) for one in extract.mentions} == {
        ("Satchel", EntityType.PROJECT),
        ("Buoy", EntityType.PROJECT),
    }


def test_relations_have_line_numbers() -> None:
    extract = read_prose("First of all.\n\n- Satchel uses SQLite.\n- Harbor uses Redis.\n")

    assert [(one.tail.name, one.line) for one in extract.relations] == [("Satchel", 3), ("Harbor", 4)]


@each_case(
    "text",
    [
        "a" * 100_000,
        "uses " * 20_000,
        "A, " * 20_000 + "uses B.",
        "(" * 10_000,
        "`" * 10_000,
        "被" * 10_000,
        "\u202eA uses B\u202c.",
    ],
)
def test_a_hostile_text_is_read(text: str) -> None:
    assert len(read_prose(text).relations) <= 20_000
