"""Stores whose memories differ by a number, and questions that state it. Rules are developed on one half of the questions."""

from msgspec import Struct

_TOPICS = (
    "the login page loops after the session expires",
    "exports lose the last column of wide tables",
    "the search box ignores accents",
    "invoices are rounded to the wrong cent",
    "the map shows the depot on the wrong side of the river",
    "uploads over ten megabytes time out",
    "the nightly report is sent twice",
    "dark mode hides the cancel button",
    "the price list cannot be sorted by supplier",
    "push notifications arrive without a title",
    "the calendar shows holidays of the wrong country",
    "password reset mails end up in spam",
    "the audit log misses deletions by admins",
    "printing a label cuts off the barcode",
    "two users can book the same slot",
    "the importer stops at an empty line",
    "the chart legend overlaps the axis",
    "images are rotated after upload",
    "the mobile menu cannot be closed",
    "the discount is applied before tax",
)

STORES: dict[str, tuple[str, ...]] = {
    "issues": tuple(f"Issue {480 + place}: {topic}." for place, topic in enumerate(_TOPICS)),
    "tickets": tuple(
        f"Ticket {place + 1} is about this: {_TOPICS[place % 20]}, seen at site {place}." for place in range(60)
    ),
    "releases": (
        "Release 1.2 broke the CSV importer for files with a BOM.",
        "Release 2.1 broke the dark theme on Windows.",
        "Release 1.3 fixed the memory leak in the worker.",
        "Release 3.2 changed the default port to 8443.",
        "Release 1.2.5 brought back the old importer.",
        "Release 2.3 removed the XML export.",
    ),
    "keys": (
        "PAY-318: refunds over 500 euros need a second approval.",
        "PAY-381: refunds are shown in the wrong currency.",
        "PAY-138: the payment page times out on slow phones.",
        "OPS-318: rotate the certificates of the staging cluster.",
        "OPS-813: move the backups to the second region.",
        "CVE-2024-31337 affects the image parser, patched in March.",
        "CVE-2024-31373 affects the font parser, not patched yet.",
    ),
    "errors": (
        "Error E4012 means the licence file is missing.",
        "Error E4021 means the licence has expired.",
        "Error E4102 means that the server rejected the licence.",
        "Error E1402 means the disk is full.",
    ),
    "rooms": (
        "Room 12 has the projector and seats eight people.",
        "Room 21 has no windows and is kept for storage.",
        "Room 112 belongs to the finance team.",
        "Room 14 is being painted until Friday.",
    ),
    "dates": (
        "On 2026-03-14 the database was moved to the new cluster.",
        "On 2026-04-13 the database was restored from the backup.",
        "On 2026-03-15 the database index was built again.",
        "On March 24 the team agreed to drop the old database.",
    ),
    "german": (
        "Vorgang 4711: Der Kunde möchte die Lieferung verschieben.",
        "Vorgang 4171: Der Kunde reklamiert einen Kratzer.",
        "Vorgang 4117: Der Kunde fragt nach der Rechnung.",
        "Vorgang 1471: Der Kunde hat die Adresse geändert.",
    ),
    "russian": (
        "Задача 489: исправить вход на сайт.",
        "Задача 498: обновить список цен.",
        "Задача 484: перенести отчёт на утро.",
        "Задача 849: убрать лишние уведомления.",
    ),
    "chinese": (
        "问题489：登录页面在会话过期后循环。",
        "问题498：导出时丢失最后一列。",
        "问题484：搜索框忽略重音。",
        "第17号工单：发票金额四舍五入错误。",
        "第71号工单：地图上仓库的位置错误。",
        "第7号工单：夜间报告发送两次。",
    ),
    "korean": (
        "이슈 489: 로그인 페이지가 반복된다.",
        "이슈 498: 마지막 열이 내보내기에서 사라진다.",
        "이슈 484: 검색창이 악센트를 무시한다.",
    ),
    "arabic": (
        "التذكرة 489: صفحة الدخول تتكرر.",
        "التذكرة 498: التصدير يفقد العمود الأخير.",
        "التذكرة 484: البحث يتجاهل التشكيل.",
    ),
    "life": (
        "My favourite books are Dune, Emma and The Trial.",
        "The top 3 priorities of the quarter are hiring, speed and billing.",
        "We ordered 3 boxes of printer paper.",
        "The dentist appointment was moved; the tooth still hurts.",
        "Bought 2 tickets for the concert in June.",
        "The lease of the office ends in 2027.",
        "In 2024 the garden was replanted with lavender.",
        "Ann ran 10 kilometres with the dog.",
        "The vacation in Norway was two weeks of rain.",
        "Version 5 of the handbook is on the shared drive.",
    ),
}


class NamedCase(Struct, frozen=True):
    """A question, and the beginning of the memory that has to come first."""

    store: str
    question: str
    first: str


DEVELOPED = (
    NamedCase("issues", "fix issue 489 please", "Issue 489"),
    NamedCase("issues", "what was issue 497 about?", "Issue 497"),
    NamedCase("issues", "issue 482", "Issue 482"),
    NamedCase("issues", "can you look into #485 and tell me what is wrong there", "Issue 485"),
    NamedCase("issues", "is issue #493 still open?", "Issue 493"),
    NamedCase("tickets", "Ticket 17", "Ticket 17 "),
    NamedCase("tickets", "please close ticket 41", "Ticket 41 "),
    NamedCase("tickets", "who reported ticket no. 6?", "Ticket 6 "),
    NamedCase("releases", "what did release 1.2 break?", "Release 1.2 "),
    NamedCase("releases", "what changed in v3.2", "Release 3.2 "),
    NamedCase("keys", "what is PAY-318?", "PAY-318"),
    NamedCase("keys", "status of ops-813", "OPS-813"),
    NamedCase("keys", "are we affected by CVE-2024-31337?", "CVE-2024-31337"),
    NamedCase("errors", "the customer sees E4021, what now?", "Error E4021"),
    NamedCase("rooms", "what is in room 12?", "Room 12 "),
    NamedCase("dates", "what happened to the database on 2026-04-13?", "On 2026-04-13"),
    NamedCase("german", "Worum geht es in Vorgang 4171?", "Vorgang 4171"),
    NamedCase("russian", "что с задачей 489?", "Задача 489"),
    NamedCase("chinese", "问题498是什么？", "问题498"),
    NamedCase("chinese", "第17号工单说了什么", "第17号"),
    NamedCase("korean", "이슈 484 뭐야?", "이슈 484"),
    NamedCase("arabic", "ما هي التذكرة 498؟", "التذكرة 498"),
    NamedCase("life", "what are my top 3 books?", "My favourite books"),
    NamedCase("life", "when is the dentist, 2 weeks from now?", "The dentist"),
    NamedCase("life", "which 3 plants did we put in the garden?", "In 2024 the garden"),
)

HELD = (
    NamedCase("issues", "work on issue 499 next", "Issue 499"),
    NamedCase("issues", "what did we say about issue 480?", "Issue 480"),
    NamedCase("issues", "Issue 491: any news?", "Issue 491"),
    NamedCase("issues", "reopen #488", "Issue 488"),
    NamedCase("issues", "summarise bug 494 for the customer", "Issue 494"),
    NamedCase("tickets", "what does ticket 55 say?", "Ticket 55 "),
    NamedCase("tickets", "ticket #3", "Ticket 3 "),
    NamedCase("tickets", "give me ticket number 29", "Ticket 29 "),
    NamedCase("releases", "which release removed something, 2.3?", "Release 2.3 "),
    NamedCase("releases", "notes of release 2.1", "Release 2.1 "),
    NamedCase("releases", "what came with version 1.2.5?", "Release 1.2.5"),
    NamedCase("keys", "tell me about PAY 381", "PAY-381"),
    NamedCase("keys", "who works on OPS-318?", "OPS-318"),
    NamedCase("keys", "is CVE-2024-31373 patched?", "CVE-2024-31373"),
    NamedCase("errors", "what does error e1402 mean", "Error E1402"),
    NamedCase("rooms", "who sits in room 112?", "Room 112 "),
    NamedCase("rooms", "is room 21 free?", "Room 21 "),
    NamedCase("dates", "what did we do on 2026-03-14?", "On 2026-03-14"),
    NamedCase("dates", "what was decided on March 24 about the database?", "On March 24"),
    NamedCase("german", "Bitte Vorgang 1471 abschließen", "Vorgang 1471"),
    NamedCase("russian", "задача 849", "Задача 849"),
    NamedCase("chinese", "修复问题484", "问题484"),
    NamedCase("chinese", "请关闭第7号工单", "第7号"),
    NamedCase("korean", "이슈 489 고쳐 줘", "이슈 489"),
    NamedCase("arabic", "أصلح التذكرة 484", "التذكرة 484"),
    NamedCase("life", "recommend 3 books like the ones I love", "My favourite books"),
    NamedCase("life", "how far did Ann run with the 2 dogs?", "Ann ran"),
    NamedCase("life", "how was Norway in 2024?", "The vacation in Norway"),
)
