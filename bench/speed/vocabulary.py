"""The words of the benchmark's texts, the most used of each list first."""


def _words(text: str) -> list[str]:
    return text.split()


def _phrases(text: str) -> list[str]:
    return text.split(", ")


SCOPE_NAMES = _words("atlas birch cedar delta ember flint grove harbor iris juniper")
PEOPLE = _words(
    "Anna Mara Jonas Priya Wei Lucas Sofia Omar Elena Tomas Ingrid Kofi Hana Diego Nadia Pavel Aiko Ruth Samuel Leila "
    "Marcus Yara Felix Noor Viktor Grace Hugo Amara Stefan Lin Oskar Bianca Ravi Clara Emil Fatima Georg Helen Ivan June"
)
THINGS = _phrases(
    "database, invoice, login page, backup, release, search index, payment gateway, mobile app, customer list, report, "
    "test suite, server, contract, budget, newsletter, heat pump, kitchen, delivery, password reset, message queue, "
    "data warehouse, calendar, printer, archive, firewall, translation, dashboard, certificate, warehouse, training, "
    "license, cache, onboarding, audit, recipe, garden, insurance, tax return, garage, flight, hotel booking, "
    "vaccination, car, bicycle, violin lesson, piano, school trip, birthday party, wedding, mortgage, roof, window, "
    "boiler, solar panel, microphone, camera, podcast, thesis, grant proposal, experiment, telescope, microscope, "
    "greenhouse, beehive, compiler, parser, scheduler, load balancer, container image, feature flag, rate limiter, "
    "webhook, spreadsheet, presentation, logo, font, colour palette, survey, interview, job offer, payroll, pension, "
    "visa, passport, suitcase, tent, hiking route, marathon, diet, sourdough, coffee grinder, aquarium, kitten, puppy, "
    "prescription, dentist appointment, physiotherapy, allergy test, blood pressure log, sleep diary, meditation app"
)
QUALITIES = _words(
    "new old weekly nightly shared private broken slow urgent annual second German encrypted temporary public manual "
    "automatic draft final cheap expensive internal external local remote experimental legacy quiet fragile portable"
)
ACTIONS = _phrases(
    "moved, renamed, approved, cancelled, repaired, tested, documented, postponed, replaced, ordered, reviewed, paid, "
    "deleted, restored, measured, translated, scheduled, rewritten, signed, published, encrypted, archived, cleaned, "
    "sold, inspected, upgraded, duplicated, insured, photographed, catalogued"
)
PLACES = _phrases(
    "Berlin, the basement, the cloud account, Lisbon, the staging cluster, the second floor, Oslo, the shared drive, "
    "the main branch, Kyoto, the old laptop, the harbour office, Nairobi, the attic, the vendor portal, Montreal, "
    "the wiki, the lab, Zurich, the back yard"
)
REASONS = _phrases(
    "it failed twice last month, the vendor raised the price, nobody used it, the auditors asked for it, it was too slow, "
    "the lease ends soon, the tests depend on it, customers complained, it saves an hour a day, the law changed, "
    "the old one leaked memory, winter is coming, two teams need it, the key expires, it was lost in the move, "
    "the doctor advised it, the children outgrew it, it doubles the throughput, of a typing mistake, the weather turned"
)
WHEN = _phrases(
    "on Monday, in March, next week, after lunch, before the release, in the autumn, every Friday, at night"
)
CHINESE_THINGS = _words(
    "数据库 发票 登录页面 备份 客厅 地板 合同 预算 服务器 报告 测试 航班 酒店 护照 花园 厨房 保险 钢琴 自行车 体检 "
    "论文 实验 咖啡机 会议 培训 搬家 屋顶 窗户 空调 生日"
)
CHINESE_ACTIONS = _words("决定 取消 修理 更换 推迟 检查 购买 翻译 发布 归档 测量 升级 清理 签署")
CHINESE_REASONS = _words(
    "价格上涨 速度太慢 客户投诉 法律改变 合同到期 没有人使用 冬天快到了 审计要求 上个月坏了两次 医生建议"
)
SYLLABLES = _words("nor vik tel mar ast ora ken dil lum eth sol bra quin zar pel mo fen tri cal ves hel ria dun gre")
