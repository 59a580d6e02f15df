"""Detection of lasting statements, positive and negative."""

from satchel.domain.record import Kind
from satchel.domain.statements.detect import detect, is_remember_this, is_retraction, new_rule
from tests.tables import each_case

USUAL = frozenset({Kind.PREFERENCE, Kind.DECISION})
ALL = frozenset({*USUAL, Kind.TODO})


@each_case(
    "sentence",
    [
        "From now on, answer in French.",
        "Going forward we sign every release.",
        "Moving forward, tests come first.",
        "We decided to use Postgres.",
        "I've decided to keep the old logo.",
        "The team has agreed on two reviewers per change.",
        "We finally settled on trunk-based development.",
        "Decision: no deploys on Fridays.",
        "It's settled: we use UTC.",
        "Let's use Ruff for linting.",
        "let’s stick with the monorepo",
        "We will ship on Tuesdays.",
        "We changed our mind about the release day: it is Friday now.",
        "We're switching to Podman.",
        "We've migrated to GitHub Actions.",
        "As of today, all services require mTLS.",
        "Could you please answer in German from now on?",
        "In the future, ask before deleting anything.",
        "Use tabs for indentation across all Go files.",
        "我們決定採用 gRPC。",
        "我们已经决定用蓝色。",
        "以後都用繁體中文。",
        "以后请用英文回复邮件。",
        "之後都放在 docs 資料夾。",
        "从现在开始每次提交都要跑测试。",
        "即日起停用舊的 API。",
        "日期統一用 ISO 格式。",
        "我們改成每週一開會。",
        "決定不用 Redis 了。",
        "Went with Playwright for the browser tests.",
        "We reverted to Netlify for the docs.",
        "We are going back to Jenkins.",
        "Let's stay with calendar versioning.",
        "短信改用騰訊雲，不再用阿里雲。",
        "前端我們從 Angular 換到 Vue 了。",
        "選了 Vue 做前端。",
        "我們選擇用 Stripe 收款。",
        "內部工具沿用 Flask。",
        "客戶郵件一律由 Maria 回覆。",
        "Stay with the metric system.",
        "Please keep on using Podman.",
        "Continue using feature flags for rollouts.",
        "前端不再使用 jQuery，改用原生 JS。",
        "备份停用 rsync，改成 borg。",
        "我們說好預算上限是八萬。",
        "Let's keep using Makefiles.",
        "We stay on Java 17 until the audit.",
        "Stick to the house colours.",
        "Ok, we go with oak for the floor.",
        "Let's name the cat module Mochi.",
        "The deadline is fixed: 4 April.",
        "大家同意把版本號改成日期。",
        "命名就沿用現在的規則。",
        "名字就叫「山海」。",
        "我們不再收現金了。",
        "團隊改主意了，展覽在十一月。",
        "我不再喝拿鐵了，改喝美式。",
        "以後文件不寫 Confluence 了，改寫在 Outline。",
    ],
)
def test_decisions_are_detected(sentence: str) -> None:
    found = detect(sentence, USUAL)
    assert found is not None
    assert found.kind is Kind.DECISION


@each_case(
    "sentence",
    [
        "I prefer tabs over spaces.",
        "We strongly prefer composition over inheritance.",
        "My preference is plain text.",
        "I like short answers.",
        "I really don't like magic numbers.",
        "I hate trailing whitespace.",
        "I can't stand popups.",
        "I'm a fan of dark themes.",
        "Always run the tests before you push.",
        "Never use eval.",
        "Please never touch the vendored code.",
        "You should always quote your sources.",
        "Avoid global state.",
        "For SQL, prefer uppercase keywords.",
        "My rule is one assertion per test.",
        "Our convention is kebab-case for file names.",
        "As a rule, link the ticket in the description.",
        "Remember this: the staging database is read-only.",
        "Don't forget that invoices are due on the 3rd.",
        "Please remember that I work in UTC+8.",
        "I don't want semicolons in JavaScript.",
        "I always use vim.",
        "We never merge on red.",
        "Whenever you add a setting, document it.",
        "If the build fails, always show me the first error.",
        "Stop using emojis in commit messages.",
        "No more marketing language, please.",
        "Reply in Dutch by default.",
        "我喜歡簡潔的回答。",
        "我不喜欢太长的邮件。",
        "我比較想用表格呈現。",
        "我偏好深色主題。",
        "我的原则是先写测试。",
        "請記住我住在台北。",
        "避免使用縮寫。",
        "請盡量附上來源。",
        "千万不要直接改生产库。",
        "我從不吃早餐以外的甜食。",
        "每次發版前都先打標籤。",
        "我對花生過敏。",
        "Don't mention competitors by name.",
        "No force pushes to main, ever.",
        "Under no circumstances delete the audit log.",
        "Please write your replies in plain text.",
        "Keep your explanations short.",
        "Ask me before you install a new dependency.",
        "I'm not fond of dark patterns.",
        "I want every report to start with a summary.",
        "I'd like all tables sorted by date.",
        "We need each record to carry a timestamp.",
        "我希望每份報告都先列結論。",
        "希望所有圖表都有標題。",
        "沒有我的同意不要寄信給客戶。",
        "變數名用底線風格。",
        "我們只支援 Firefox。",
        "At most two emojis per reply.",
        "No more than five items per list, please.",
        "All receipts go into the green binder.",
        "Reply to all customers in French.",
        "Write every changelog entry in Polish.",
        "I'd like your explanations in plain language.",
        "I'd prefer my reviews without praise.",
        "和我溝通時用法文。",
        "btw dont ever squash my commits",
        "also i cant stand trailing whitespace",
        "im allergic to peanuts",
        "Could you always put the summary at the top?",
        "Can you please never add emojis?",
        "You shouldn't ever restart the broker on your own.",
        "Refrain from using acronyms in letters to parents.",
        "Please stop ending your messages with a question.",
        "Please speak Cantonese with me.",
        "Talk to me in plain words.",
        "Use Spanish when you write to Marta.",
        "I adore rye bread.",
        "I'm not into horror films.",
        "After each release, post in the channel.",
        "文件裡禁止使用縮寫。",
        "我不想看到表格。",
        "我超愛手沖咖啡。",
        "可以不要每次都道歉嗎？",
        "能不能不要老是用條列？",
        "對我說話請用台語。",
        "報告中別再用縮寫了。",
        "我最喜歡的作家是村上春樹。",
    ],
)
def test_preferences_are_detected(sentence: str) -> None:
    found = detect(sentence, USUAL)
    assert found is not None
    assert found.kind is Kind.PREFERENCE


@each_case(
    "sentence",
    [
        "Should we always rebase?",
        "should we always rebase before merging",
        "Do you prefer tabs or spaces?",
        "What did we decide to use?",
        "How do I always get the latest version",
        "Can you always undo a rebase?",
        "Tell me if we decided to use Kafka.",
        "I don't always write tests.",
        "We haven't decided to switch yet.",
        "We have not decided on a name.",
        "Before we decided to leave, prices were lower.",
        "That's what we agreed to do.",
        "Maybe we should use Kafka.",
        "Perhaps I prefer the first one.",
        "What if we decided to rewrite it?",
        "If we decided to rewrite it, how long would it take?",
        "We might go with Rust.",
        "We're thinking about switching to Bazel.",
        "Bob said we decided to use Bazel.",
        "My manager always wants slides.",
        "She prefers tea.",
        "They decided to cancel the project.",
        "According to the docs, always use HTTPS.",
        "The style guide says never use tabs.",
        "The error reads: always specify a region.",
        'He wrote "I prefer tabs" in the chat.',
        "Use the second file now.",
        "For now, use the mock.",
        "Avoid the cache this time.",
        "Let's use the other file here.",
        "Let's keep going.",
        "We'll see.",
        "We will use it later today.",
        "Never mind.",
        "Always happy to help!",
        "I've never seen this before.",
        "I love it!",
        "I like your style.",
        "I like the idea.",
        "I'd like a coffee.",
        "I want to see the logs.",
        "I want a parser that never fails.",
        "I used to love Perl.",
        "haha always blame DNS",
        "Do you remember this song?",
        "Can you always remember this?",
        "I can't remember my rule for that.",
        "Remember when it rained?",
        "Reminds me of home.",
        "Fix the bug in the parser.",
        "The server never responds.",
        "It always crashes after login.",
        "To avoid conflicts, the tool locks the file.",
        "This is to avoid confusion.",
        "I was just kidding, always use goto.",
        "Your preferences file is empty.",
        "我們要不要決定用哪個？",
        "我们还没有决定。",
        "由你决定。",
        "等他决定再说。",
        "你喜欢哪一种",
        "我们是不是应该统一用空格",
        "如果我們決定搬家，要花多少錢",
        "或许以后都用电动车。",
        "他說以後都用中文。",
        "老师总是说不要迟到。",
        "听说他们决定涨价。",
        "這次先用英文寫。",
        "把標題改成紅色。",
        "以后再说吧。",
        "吃完飯之後請叫我。",
        "我喜歡這個！",
        "我爱你。",
        "我不要了。",
        "哈哈我總是睡過頭",
        "文件寫著「永遠不要手動修改」。",
        "我記得我們決定過什麼",
        "今天天氣很好。",
        "We are going to fix the tests first.",
        "I'm going to restart the server.",
        "I'm going back to sleep.",
        "I'm switching to the other branch.",
        "I gave up on this bug.",
        "We're not blocked any more.",
        "Let's go with the flow.",
        "Let's move on to the next task.",
        "Let's keep our fingers crossed.",
        "We decided on nothing in the end.",
        "We decided to order pizza.",
        "I decided to take tomorrow off.",
        "I hate waiting for builds like this one.",
        "I'm switching to the main tab.",
        "我決定請假一天。",
        "Write a function that must never return null.",
        "I want all tests to pass.",
        "I want every file in this folder renamed.",
        "I'd like all of it in one file.",
        "In no time it was fixed.",
        "我希望所有測試都能過。",
        "我希望每天都是星期五。",
        "沒有時間測試了，不要管它。",
        "我決定不管了。",
        "我們決定晚點再吃。",
        "繼續用功吧。",
        "Keep using the same branch for now.",
        "Stay with me for a second.",
        "Continue using the first draft.",
        "At most 3 requests per second were sent.",
        "At most one of these is correct.",
        "I'd like your answers to these three questions.",
        "Write all of this in German.",
        "跟我說一下怎麼用 git。",
        "這段裡別再加東西了。",
        "我最喜歡的是這個版本。",
        "聽說他們不再用 Slack，改用 Teams。",
        "不好意思，改天再聊。",
        "i dont know where it is",
        "We went with Anna to the zoo.",
        "We stay with friends in Bern.",
        "Stick to the point, please.",
        "The bug is fixed: see commit 3f2a.",
        "I'm into the second chapter now.",
        "I hate to bother you, but it broke again.",
        "Stop running your tests.",
        "After every deploy, things break.",
        "我同意你的看法。",
        "大家同意嗎？",
        "我們不再是朋友了。",
        "名字叫什麼？",
        "Can you always trust a checksum?",
        "可以用條列嗎？",
        "我們說好聽的話就好。",
        "測試不再失敗了，改成功了。",
    ],
)
def test_sentences_that_only_sound_lasting_are_ignored(sentence: str) -> None:
    assert detect(sentence, ALL) is None


@each_case(
    "sentence",
    [
        "TODO: renew the certificate",
        "to-do: call the bank",
        "Remember to water the plants.",
        "Remind me to send the invoice.",
        "Don't forget to tag the release.",
        "待辦：續約網域",
        "记得要备份数据库。",
        "要記得繳電費。",
        "提醒我明天開會。",
        "别忘了寄信。",
    ],
)
def test_todos_are_detected_when_requested(sentence: str) -> None:
    found = detect(sentence, ALL)
    assert found is not None
    assert found.kind is Kind.TODO
    assert detect(sentence, USUAL) is None


@each_case(
    ("sentence", "about", "rule"),
    [
        ("Replace my previous rule: use two spaces.", None, "use two spaces."),
        ("Replace my previous rule about indentation with: use two spaces.", "indentation", "use two spaces."),
        ("Update my preference for dates: always ISO 8601.", "dates", "always ISO 8601."),
        ("Forget my old rule on tabs, use spaces.", "tabs", "use spaces."),
        ("取代我之前關於縮排的規則：用兩個空格。", "縮排", "用兩個空格。"),
        ("更新我之前的规则：日期用 ISO 格式。", None, "日期用 ISO 格式。"),
    ],
)
def test_a_rule_may_replace_another(sentence: str, about: str | None, rule: str) -> None:
    found = detect(sentence, USUAL)
    assert found is not None
    assert (found.replaces, found.about, new_rule(sentence)) == (True, about, rule)


@each_case("sentence", ["Should I replace my previous rule?", "Replace the old file.", "更新一下套件。"])
def test_not_everything_is_replaced(sentence: str) -> None:
    found = detect(sentence, USUAL)
    assert found is None or not found.replaces


def test_only_the_requested_kinds_are_detected() -> None:
    assert detect("I prefer tabs over spaces.", frozenset({Kind.DECISION})) is None
    assert detect("We decided to use tabs.", frozenset({Kind.PREFERENCE})) is None


def test_a_sentence_may_retract_or_point_to_its_neighbour() -> None:
    assert is_retraction("Just kidding!")
    assert is_retraction("開玩笑的")
    assert not is_retraction("We decided to use Postgres.")
    assert is_remember_this("Please remember this.")
    assert is_remember_this("請記住。")
    assert not is_remember_this("Remember this: tea at four.")


@each_case(
    "text",
    [
        *("i " * 300, "always " * 85, '"' * 600, "以後" * 300, "when you " * 66, "if a, " * 100),
        *(
            "don't use " * 60,
            "files must " * 54,
            "every new file " * 40,
            "no a b cs in " * 46,
            "不要" * 300,
            "," * 600,
            "-ok--so--right-" * 30 + "sticking",
        ),
    ],
)
def test_a_hostile_sentence_is_handled_in_time(text: str) -> None:
    detect(text, ALL)
