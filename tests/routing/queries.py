"""Queries with their expected rule: the fifteen of the specification, and ours in English and Chinese."""

EXAMPLES: tuple[tuple[str, str, str, str], ...] = (
    # query, rule, chain on Starter, chain on Pro
    ("find the function parseAuthToken", "exact_symbol", "qmd:search totalrecall", "qmd:search totalrecall"),
    (
        "how does the auth middleware relate to the session store",
        "relationship",
        "qmd:vsearch totalrecall",
        "cognee qmd:vsearch totalrecall",
    ),
    (
        "what did we decide about the database schema in the morning session",
        "decision_recall",
        "totalrecall qmd:search",
        "lossless totalrecall qmd:search",
    ),
    (
        "how does error handling work in the API layer",
        "concept",
        "qmd:vsearch qmd:query totalrecall",
        "qmd:vsearch qmd:query totalrecall",
    ),
    ("what was the last thing we changed", "recent", "totalrecall qmd:search", "totalrecall qmd:search"),
    ("search in src/models/*.ts", "file_path", "qmd:search totalrecall", "qmd:search totalrecall"),
    ("find all usages of UserService", "exact_symbol", "qmd:search totalrecall", "qmd:search totalrecall"),
    (
        "what's the relationship between OrderController and PaymentService",
        "relationship",
        "qmd:vsearch totalrecall",
        "cognee qmd:vsearch totalrecall",
    ),
    (
        "recall the architecture decision from this morning",
        "decision_recall",
        "totalrecall qmd:search",
        "lossless totalrecall qmd:search",
    ),
    (
        "explain the caching strategy",
        "concept",
        "qmd:vsearch qmd:query totalrecall",
        "qmd:vsearch qmd:query totalrecall",
    ),
    ("auth", "default", "qmd:query totalrecall", "qmd:query totalrecall"),
    ("that thing with the tokens", "recent", "totalrecall qmd:query", "totalrecall qmd:query"),
    ("database", "default", "qmd:query totalrecall", "qmd:query totalrecall"),
    (
        "why did we do it that way",
        "decision_recall",
        "totalrecall qmd:search",
        "lossless totalrecall qmd:search",
    ),
    ("the middleware issue", "default", "qmd:query totalrecall", "qmd:query totalrecall"),
)

_OURS = """
exact_symbol: find the class SessionStore
exact_symbol: find a method that rounds to cents
exact_symbol: Find function normalise
exact_symbol: can you find the retry methods
exact_symbol: find usages of the old client
exact_symbol: find all references to the cache key
exact_symbol: search for the decision on auth
exact_symbol: search for retries
exact_symbol: parseAuthToken
exact_symbol: UserService
exact_symbol: HTTPServer shutdown
exact_symbol: MAX_RETRIES
exact_symbol: what does user_id hold
exact_symbol: render() crashes
exact_symbol: where is __init__ called
exact_symbol: that thing in UserService
exact_symbol: Vec::with_capacity
exact_symbol: the OrderController test is flaky
exact_symbol: 查找函数 parse_header
exact_symbol: 找一下处理退款的方法
exact_symbol: 所有用到缓存的地方
exact_symbol: 搜索 重试逻辑
exact_symbol: 查看UserService的实现
exact_symbol: 尋找登入的函數
relationship: how does billing relate to invoices
relationship: what is related to the session store
relationship: how are the cache and the session store connected
relationship: how is billing linked to the ledger
relationship: how are tenants and users related
relationship: what depends on the queue
relationship: dependency between the api and the worker
relationship: list the dependencies of the gateway
relationship: connection between alerts and incidents
relationship: connection from the worker to the broker
relationship: show the call chain of checkout
relationship: trace the request from the gateway to the database
relationship: trace from login to token refresh
relationship: path between Ingest and Ledger
relationship: how does build_app reach PaymentGateway
relationship: what uses NotificationQueue
relationship: who calls PaymentGateway.hold
relationship: which tests import UserService
relationship: what does UserService call
default: who calls the harbour master
default: what uses the most electricity
concept: how does UserService work
relationship: the relationship of OrderController to PaymentService
relationship: does AuthMiddleware depend on SessionStore
relationship: 订单和支付服务是什么关系
relationship: OrderController 依赖什么
relationship: is there a connection of billing to the mail queue
relationship: is there any connection
relationship: what connections does the mail queue have
relationship: are billing and invoicing related
relationship: 登录流程的调用链
relationship: 网关与队列之间的联系
relationship: 訂單與發票的關係
decision_recall: what did we decide about UserService
decision_recall: which decision was made on retries
decision_recall: who decided on the colour
decision_recall: we chose a queue, when was that
decision_recall: what was agreed on the opening hours
decision_recall: what did we settle about the deposit
decision_recall: why did we choose postgres
decision_recall: which database did we pick
decision_recall: earlier in this conversation you named a port
decision_recall: summarise the afternoon session
decision_recall: recall the decision on logging
decision_recall: why'd we drop the cache
decision_recall: why don't we use a queue
decision_recall: what did we agree on for backups
decision_recall: which colour did we go with
decision_recall: which broker did we use before
decision_recall: 為什麼要換成新的格式
decision_recall: 为什么改用队列
decision_recall: Why did we move off the monolith?
decision_recall: 我们为什么决定用 PostgreSQL
decision_recall: 关于日志格式的决定
decision_recall: 为什么选择单体架构
decision_recall: 当初为什么放弃 Redis
decision_recall: 上午的会议说了什么
decision_recall: 我們決定了哪個資料庫
concept: how does the scheduler work
concept: how do retries work
concept: where is rate limiting handled
concept: where are uploads handled
concept: explain the login flow
concept: strategies against thundering herds
concept: the approach for pagination
concept: what is the outbox table for
concept: what's the nightly job for
concept: 缓存如何工作
concept: 解释一下限流
concept: 重试策略
concept: 错误在哪里处理
concept: 这张表是做什么用的
concept: 消息队列的原理
concept: 排程器怎麼運作
recent: what is new
recent: what's new?
recent: what’s changed
recent: anything new?
recent: what's new since yesterday
recent: recent changes
recent: latest news
recent: the port we just discussed
recent: you said it a few minutes ago
recent: show the last change
recent: what was added recently
recent: the last thing on my list
recent: what was the last error
recent: that thing about the invoices
recent: remember that thing?
recent: 刚才说的端口是多少
recent: 最近改了什么
recent: 上一次修改是谁做的
recent: 那个东西在哪
recent: 剛剛討論的內容
file_path: look in src/auth/
file_path: what is in ./scripts
file_path: ../shared/config
file_path: ~/notes/today
file_path: /etc/hosts
file_path: all *.swift files
file_path: everything under docs/*
file_path: **/fixtures
file_path: README.md
file_path: the .ts files
file_path: the bug in main.c
file_path: lib/parser
file_path: auth/middleware
file_path: what is in billing/invoices
file_path: a/b/c
file_path: open settings.yaml please
file_path: what changed in tests/route/test_rules.py
file_path: C:\\work\\notes
file_path: 看看src/auth/里的代码
file_path: 打开 config.toml
file_path: 设计.md 写了什么
default: what is new in the parser
default: logging
default: deployment checklist
default: who owns billing
default: token expiry
default: lunch on friday
default: what time is the release
default: 数据库
default: 部署清单
default: 谁负责账单
default: 注意事項
default: こんにちは
default: где конфигурация
default: 🙂
"""
_GUARDED = """
default: pros and/or cons
default: TCP/IP basics
default: the CI/CD pipeline
default: slow disk I/O
default: read/write ratio
default: login/logout flow
default: the A/B test
default: he/she
default: a yes/no question
default: 24/7 support
default: 3/4 of the tests
default: released on 2026/03/17
default: see https://example.com/a/b/c.py
default: TCP/UDP/ICMP
default: it is 5 * 3
default: this is **bold**
default: an *emphasis* here
default: Node.js upgrade
default: Vue.js or Next.js
default: ASP.NET hosting
default: socket.io rooms
default: version 3.11
default: fruit, e.g. apples
default: the domain example.com
default: the connection string
default: is there an open database connection
default: what connection timeout do we use
default: is there any connection problem
default: connection pool size
default: connection timeout
default: connection refused
default: database connection
default: correlate the logs
default: an unrelated failure
default: auth-related tickets
default: customer relationship management
default: dependency injection
default: the dependency manager
default: update dependencies
default: dependency conflict
default: a stack trace
default: stack trace to read
default: the trace id to keep
default: python traceback
default: still undecided
default: a decision tree
default: the decision boundary
default: random decision forests
default: EXPLAIN ANALYZE output
default: the strategy pattern
default: an unexplained crash
default: a least recently used cache
default: most recently used list
default: a classroom
default: find the classification
default: find the methodology
default: find functional tests
default: research for the talk
default: JavaScript and TypeScript
default: GitHub and GitLab
default: PostgreSQL or MySQL
default: GraphQL with OAuth
default: macOS on my iPhone
default: the APIs and URLs
default: w/ sugar
default: client/server
default: the workflow
default: 没关系
default: 关系型数据库
default: 依赖注入
default: 安装依赖
default: 决策树
default: 策略模式
default: 最近邻
default: 搜索引擎
default: 决定性
concept: how does the CI/CD pipeline work
decision_recall: why did we switch to Node.js
relationship: what depends on Node.js
recent: the recently used list
"""


def _read(table: str) -> tuple[tuple[str, str], ...]:
    rows = [line.partition(": ") for line in table.strip().splitlines()]
    return tuple((query, rule) for rule, _, query in rows)


OURS = _read(_OURS)
GUARDED = _read(_GUARDED)
