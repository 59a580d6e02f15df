"""Choose what goes into a pack, in which order and layer. Every offer is included, or excluded by a named rule."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import PackPolicy
from satchel.domain.similarity import statement_key
from satchel.packing import bundle
from satchel.packing.excerpts import Chooser
from satchel.packing.layers import TokenCounter, abstract, flat, overview
from satchel.packing.values import STATE, Layer, Offer, OfferSource, PackDecision
from satchel.recall.relevance import PLAUSIBLE

MUST = "must_remember"
NICE = "nice_to_have"
NICE_CAP = "nice_cap_reached"
_TRUSTS = {"trusted": 0, "unknown": 1, "untrusted": 2}
_LABELS = {"must_remember": 0, "nice_to_have": 1, "unknown": 2, "ignore": 3}
# Bonus to the relevance of must_remember items; nice_to_have ones get half.
IMPORTANCE = 0.15
# Minimum number of tokens for one line of an item.
MIN_TOKENS = 12
# Share of the budget for one line, within bounds: a small pack has short lines, so that several fit.
LINE_SHARE = 1 / 20
MIN_LINE_TOKENS, MAX_LINE_TOKENS = 36, 48
ABSTRACT_TOKENS = 24
# A whole text of evidence up to this length is an overview of itself; a longer one is a detail.
MAX_OVERVIEW_TOKENS = 120
# Maximum share of events among the knowledge lines.
EVENT_SHARE = 0.4
EVENT_KINDS = ("episode", "event")
# The best offer of each of these kinds gets a place first.
ASSURED_KINDS = ("preference", "decision")
# For a query without a very relevant answer, this share of the best relevance is enough, above a minimum.
SHARE_OF_BEST = 0.4
MIN_RELEVANCE = 0.05
# Minimum relevance of the best episode at which episodes are about the query.
MIN_EPISODE_RELEVANCE = 0.1
# Factor for the minimum relevance of binding items.
BINDING = 0.5
# An untrusted offer answers clearly better than a trusted one if its odds of being relevant are this many times as high.
CLEAR_ODDS = 2.0
TRUSTED = "trusted"
TRUSTED_STATE, UNTRUSTED_STATE = "trusted state", "untrusted state"


class PackLimits(Struct, frozen=True):
    """PackLimits of a pack."""

    budget_tokens: int
    max_items: int
    tail_tokens: int
    policy: PackPolicy

    @property
    def line_tokens(self) -> int:
        """Maximum length of an overview."""
        return max(MIN_LINE_TOKENS, min(MAX_LINE_TOKENS, int(self.budget_tokens * LINE_SHARE)))


def choose(
    offers: Sequence[Offer],
    terms: AbstractSet[str],
    limits: PackLimits,
    count: TokenCounter,
    mask: Callable[[str], str],
) -> list[PackDecision]:
    """Decide about every offer. `count` counts tokens, `mask` masks secrets."""
    picker = _Picker(limits, terms, count, mask)
    for offer in _tail_newest_first(offers):
        picker.take_turn(offer)
    state = sorted((one for one in offers if one.source in STATE), key=_sort_key)
    trusted, untrusted = ([one for one in state if (one.trust == TRUSTED) is wanted] for wanted in (True, False))
    for one in offers:
        picker.best[_side(one)] = max(picker.best[_side(one)], one.likelihood)
    picker.about_speaker = any(one.named for one in offers)
    evidence = sorted((one for one in offers if one.source not in (*STATE, OfferSource.TAIL)), key=_sort_key)
    # Knowledge and evidence reserve some room from each other; unused room is shared.
    postponed = [one for one in _assured_first(trusted) if not picker.take(one, share=limits.policy.state_share)]
    picker.take_evidence(evidence, reserved=picker.untrusted_tokens(untrusted))
    for one in postponed:
        picker.take(one, share=1.0, final=True)
    # Untrusted knowledge reserves room from evidence only: what is trusted is chosen as if there were none.
    postponed = [one for one in untrusted if not picker.take(one, share=limits.policy.untrusted_share)]
    picker.add_details()
    for one in postponed:
        picker.take(one, share=1.0, final=True)
    return picker.decisions()


def _side(offer: Offer) -> str:
    if offer.source not in STATE:
        return offer.source
    return TRUSTED_STATE if offer.trust == TRUSTED else UNTRUSTED_STATE


def _sort_key(offer: Offer) -> tuple[float, int, int, str]:
    bonus = IMPORTANCE * (1.0, 0.5, 0.0, -0.5)[_LABELS.get(offer.label, 2)]
    # Anyone can claim importance: it only counts for what is trusted.
    gain = bonus if offer.trust == TRUSTED else min(bonus, 0.0)
    return -(offer.worth + gain), _TRUSTS.get(offer.trust, 3), offer.rank, offer.ref


def _statement(offer: Offer) -> str:
    return offer.says or statement_key(offer.text[:2_000])


def _tail_newest_first(offers: Sequence[Offer]) -> list[Offer]:
    return [one for one in offers if one.source is OfferSource.TAIL][::-1]


def _assured_first(state: Sequence[Offer]) -> Iterator[Offer]:
    """Yield the best offer, then those with a reserved place, then the rest."""
    assured = [*state[:1], *[one for one in state if one.dissent][:1]]
    for kind in ASSURED_KINDS:
        assured += [one for one in state if one.kind == kind][:1]
    first = list({one.ref: one for one in assured}.values())
    yield from first
    yield from (one for one in state if one not in first)


class _Picker:
    """Fills a pack offer by offer, and records every decision."""

    def __init__(
        self, limits: PackLimits, terms: AbstractSet[str], count: TokenCounter, mask: Callable[[str], str]
    ) -> None:
        self.limits, self.terms, self.count, self.mask = limits, terms, count, mask
        self.picked: list[PackDecision] = []
        self.left_out: list[PackDecision] = []
        self.used = count(bundle.render_bundle([_FRAME])) - count(bundle.render_line(bundle.line_of(_FRAME)))
        self.tail_used = 0.0
        self.state_used: defaultdict[str, float] = defaultdict(float)
        """Tokens of knowledge by side: trusted and untrusted."""
        self.keys: dict[str, str] = {}
        self.covered: dict[str, str] = {}
        self.headings: set[bundle.Heading] = set()
        self.details = 0
        """Number of items with their full text."""
        self.best: defaultdict[str, float] = defaultdict(float)
        """Best relevance by side: trusted and untrusted knowledge, and each lane of evidence."""
        self.about_speaker = False
        """Whether the query is about a speaker."""

    def take_turn(self, offer: Offer) -> None:
        """Reserve a place for a recent turn, before anything else."""
        limits, policy = self.limits, self.limits.policy
        turns = sum(one.offer.source is OfferSource.TAIL for one in self.picked)
        if limits.tail_tokens <= 0:
            return self._exclude(offer, "tail_budget_disabled", "no tokens are reserved for the newest turns")
        if turns >= policy.tail_max_items:
            return self._exclude(
                offer, "max_items_reached", f"the newest {policy.tail_max_items} turns are already included"
            )
        made = self._decision(offer, Layer.ABSTRACT, abstract(self.mask(offer.text), limits.line_tokens, self.count))
        cost = self.cost(made)
        if self.tail_used + cost > limits.tail_tokens or self.used + cost > limits.budget_tokens:
            return self._exclude(
                offer, "tail_budget_tokens_exceeded", f"{cost:.0f} tokens do not fit into the tokens reserved for turns"
            )
        self.tail_used += cost
        self._pick(made, cost, "protected_tail", "within_tail_budget", why="one of the newest turns")
        return None

    def take(self, offer: Offer, *, share: float, final: bool = False) -> bool:
        """Include an offer if it fits within a share of the budget; return False if a larger share may help."""
        if final:
            self.left_out = [one for one in self.left_out if one.offer != offer]
        if refusal := self._refusal(offer):
            self._exclude(offer, *refusal)
            return True
        made = self._fit(offer, self._room(offer, share))
        if made is None:
            self._exclude(offer, "budget_tokens_exceeded", "no tokens are left")
            return False
        self._pick(
            made, self.cost(made), *_trust_reasons(offer), "within_item_limit", "within_budget", why=_rationale(offer)
        )
        return True

    def untrusted_tokens(self, offers: Sequence[Offer]) -> float:
        """Return the tokens to keep free of evidence for untrusted knowledge: what it needs, within its share."""
        most = self.limits.budget_tokens * self.limits.policy.untrusted_share
        needed = 0.0
        for offer in offers:
            if needed < most and self._refusal(offer) is None and (made := self._fit(offer, most)):
                needed += self.cost(made)
        return min(needed, most)

    def take_evidence(self, offers: Sequence[Offer], *, reserved: float) -> None:
        """Spend the remaining budget, less what is reserved, on excerpts of evidence."""
        admitted = self._admitted(offers, self._items_left - (1 if reserved else 0))
        spending = _Evidence(self, admitted, [one.text for one in offers if one not in admitted], reserved)
        for place, offer in enumerate(spending.offers):
            if made := spending.decision(place):
                self.picked.append(made)
            else:
                self._exclude(offer, "budget_tokens_exceeded", "better evidence took the tokens")

    @property
    def _items_left(self) -> int:
        return self.limits.max_items - sum(one.offer.source is not OfferSource.TAIL for one in self.picked)

    def _admitted(self, offers: Sequence[Offer], most: int) -> list[Offer]:
        """Return the evidence that may be included, and exclude the rest. Of more than fits, the best are considered."""
        admitted = list[Offer]()
        for offer in offers:
            if refusal := self._refusal(offer):
                self._exclude(offer, *refusal)
            elif len(admitted) >= most:
                self._exclude(offer, "max_items_reached", f"{most} better ones are considered")
            else:
                admitted.append(offer)
                self._know(offer)
        return admitted

    def add_details(self) -> None:
        """Use the remaining budget to show the best knowledge in full."""
        for place, one in sorted(enumerate(self.picked), key=lambda pair: _trusted_first(pair[1].offer)):
            if one.offer.source not in STATE:
                continue
            text = self.mask(one.offer.text)
            if flat(text) == one.text or len(text) > self.limits.policy.max_detail_chars:
                continue
            fuller = replace(one, layer=Layer.DETAIL, text=text)
            more = self.count(bundle.render_line(bundle.line_of(fuller))) - self.count(
                bundle.render_line(bundle.line_of(one))
            )
            if self.used + more > self.limits.budget_tokens:
                continue
            if self.details >= self.limits.policy.max_l2_items:
                self.picked[place] = replace(one, l2_cap_hit=True)
                continue
            self.details += 1
            self.used += max(more, 0)
            self.picked[place] = replace(fuller, reasons=(*one.reasons, "told_in_full"))

    def decisions(self) -> list[PackDecision]:
        """Return all decisions: included ones in bundle order, then the others."""
        while self.picked and self.count(bundle.render_bundle(self.picked)) > self.limits.budget_tokens:
            # Counting lines separately never gives less than counting the whole, unless the counter is inconsistent.
            last = max(
                self.picked, key=lambda one: (one.offer.source is not OfferSource.TAIL, *_trusted_first(one.offer))
            )
            self.picked.remove(last)
            self._exclude(last.offer, "budget_tokens_exceeded", "the finished bundle was too long")
        return [*bundle.in_order(self.picked), *self.left_out]

    def _refusal(self, offer: Offer) -> tuple[str, str] | None:
        if offer.trust == "quarantined":
            return "trust_quarantined_excluded", "quarantined records are never included"
        if not offer.text.strip():
            return "missing_summary", "it has no text"
        if offer.replaced_by:
            return "replaced", f"{offer.replaced_by} is newer and says that it replaces it"
        if offer.likelihood < (minimum := self._min_relevance(offer)):
            return "relevance_too_low", f"relevance {offer.likelihood:.2f} is below {minimum:.2f}"
        if _side(offer) == UNTRUSTED_STATE and not _clearly_better(offer.likelihood, best := self.best[TRUSTED_STATE]):
            return "trusted_answers", f"untrusted, and a trusted item answers with relevance {best:.2f}"
        if covering := self.covered.get(offer.id):
            return "covered", f"{covering} summarizes it"
        if (twin := self.keys.get(_statement(offer))) is not None:
            return "duplicate", f"{twin} says the same"
        if offer.source in STATE and (refusal := self._state_is_full(offer)):
            return refusal
        if self._items_left <= 0:
            return "max_items_reached", f"{self.limits.max_items} items are already included"
        return None

    def _min_relevance(self, offer: Offer) -> float:
        """Return the minimum relevance of an offer; lower for rules, which rarely share words with a task."""
        best = self.best[_side(offer)]
        if offer.source is OfferSource.EPISODES:
            # A turn next to an answer may hold it in other words, and so may any turn of a speaker the query names. If no
            # turn answers, none is included.
            relevant = self.about_speaker or best >= MIN_EPISODE_RELEVANCE
            return 0.0 if relevant else self.limits.policy.min_evidence_relevance
        binds = offer.trust == TRUSTED and (offer.label == MUST or offer.kind in ASSURED_KINDS)
        minimum = min(self.limits.policy.min_relevance, max(MIN_RELEVANCE, SHARE_OF_BEST * best))
        return minimum * (BINDING if binds else 1.0)

    def _state_is_full(self, offer: Offer) -> tuple[str, str] | None:
        policy, state = self.limits.policy, [one.offer for one in self.picked if one.offer.source in STATE]
        if len(state) >= policy.max_state_lines:
            return "max_items_reached", f"{policy.max_state_lines} knowledge lines are already included"
        events = int(policy.max_state_lines * EVENT_SHARE)
        if offer.kind in EVENT_KINDS and sum(one.kind in EVENT_KINDS for one in state) >= events:
            return "quota_event_capped", f"{events} events are already included"
        if offer.label == NICE and sum(one.label == NICE for one in state) >= policy.nice_cap:
            return NICE_CAP, f"{policy.nice_cap} nice_to_have items are already included"
        return None

    def _room(self, offer: Offer, share: float) -> float:
        whole = self.limits.budget_tokens - self.used
        if offer.source not in STATE:
            return whole
        return min(whole, int(self.limits.budget_tokens * share) - self.state_used[_side(offer)])

    def _fit(self, offer: Offer, room: float) -> PackDecision | None:
        """Return the offer as an overview, else as one line, else None."""
        if room < MIN_TOKENS:
            return None
        masked = self.mask(offer.text)
        for layer, text in (
            (Layer.OVERVIEW, overview(masked, self.terms, self.limits.line_tokens, self.count)),
            (Layer.ABSTRACT, overview(masked, self.terms, ABSTRACT_TOKENS, self.count)),
        ):
            made = self._decision(offer, layer, text)
            if text and self.cost(made) <= room:
                return made
        return None

    def _decision(self, offer: Offer, layer: Layer, text: str) -> PackDecision:
        return PackDecision(offer, True, (), (), layer, text)

    def cost(self, made: PackDecision) -> float:
        """Return the tokens an item adds: its line, and its heading if that is new."""
        return self.count(bundle.render_line(bundle.line_of(made)) + "\n") + self._heading_cost(made)

    def _heading_cost(self, made: PackDecision) -> float:
        own = bundle.heading(made)
        text = self.count(f"{own.text}\n") if own.text and own not in self.headings else 0.0
        years = {one.year for one in self.headings}
        return text + (self.count(f" {own.year}") if own.year is not None and own.year not in years else 0)

    def _pick(self, made: PackDecision, cost: float, *reasons: str, why: str) -> None:
        self.used += cost
        self.state_used[_side(made.offer)] += cost
        self.headings.add(bundle.heading(made))
        self._know(made.offer)
        self.picked.append(replace(made, reasons=reasons, rationale=(why,)))

    def _know(self, offer: Offer) -> None:
        """Exclude later offers that say the same, or that this one summarizes."""
        self.keys.setdefault(_statement(offer), offer.ref)
        self.covered |= dict.fromkeys(offer.rests_on, offer.ref)

    def _exclude(self, offer: Offer, reason: str, why: str) -> None:
        self.left_out.append(PackDecision(offer, False, (reason,), (why,), nice_cap_hit=reason == NICE_CAP))


class _Evidence:
    """Implements excerpts.Account over the budget of a pack, for the evidence that may be included."""

    def __init__(self, picker: _Picker, offers: Sequence[Offer], others: Sequence[str], reserved: float) -> None:
        self.offers = offers
        self._picker = picker
        self._reserved = reserved
        self._cited: set[int] = set()
        self._capped: set[int] = set()
        self._chooser = Chooser(
            [picker.mask(one.text) for one in offers],
            others,
            sorted(picker.terms),
            lambda text: picker.count(bundle.render_text(f" {text}")),
        )
        self._long = [sum(piece.tokens for piece in one.pieces) > MAX_OVERVIEW_TOKENS for one in self._chooser.excerpts]
        self._chooser.run(self)

    @property
    def room(self) -> float:
        return self._picker.limits.budget_tokens - self._picker.used - self._reserved

    def frame(self, rank: int) -> float:
        return self._picker.cost(PackDecision(self.offers[rank], True, (), ()))

    def may_complete(self, rank: int) -> bool:
        if not self._long[rank] or self._picker.details < self._picker.limits.policy.max_l2_items:
            return True
        self._capped.add(rank)
        return False

    def spend(self, rank: int, tokens: float) -> None:
        self._picker.used += tokens
        if rank not in self._cited:
            self._cited.add(rank)
            self._picker.headings.add(bundle.heading(PackDecision(self.offers[rank], True, (), ())))
        if self._long[rank] and self._chooser.excerpts[rank].is_whole:
            self._picker.details += 1

    def decision(self, rank: int) -> PackDecision | None:
        """Return the decision about an offer; None if it is not cited."""
        offer, excerpt = self.offers[rank], self._chooser.excerpts[rank]
        if not excerpt.chosen:
            return None
        full = self._long[rank] and excerpt.is_whole
        reasons = (*_trust_reasons(offer), "within_item_limit", "within_budget")
        return PackDecision(
            offer,
            True,
            (*reasons, "told_in_full") if full else reasons,
            (_rationale(offer),),
            Layer.DETAIL if full else Layer.OVERVIEW,
            excerpt.text,
            l2_cap_hit=rank in self._capped and not full,
        )


def _clearly_better(relevance: float, trusted: float) -> bool:
    """Return whether an untrusted offer answers better than every trusted one, by its odds; all do if none is plausible."""
    return trusted < PLAUSIBLE or relevance * (1 - trusted) >= CLEAR_ODDS * trusted * (1 - relevance)


def _trusted_first(offer: Offer) -> tuple[bool, float, int, int, str]:
    return (_side(offer) == UNTRUSTED_STATE, *_sort_key(offer))


def _trust_reasons(offer: Offer) -> tuple[str, ...]:
    if _side(offer) == UNTRUSTED_STATE:
        return ("untrusted_answers",) if offer.trust == "untrusted" else ("trust_unknown_fail_open",)
    return ("trust_unknown_fail_open",) if offer.trust == "unknown" else ("trust_allowed",)


def _rationale(offer: Offer) -> str:
    said = f"relevance {offer.relevance:.2f} from {offer.source}"
    graded = f", {offer.label}" if offer.label not in ("unknown", "") else ""
    earlier = f", {offer.earlier_than} is newer and contradicts it" if offer.earlier_than else ""
    return f"{said}{graded}, {offer.trust}" + (", contradicts another item" if offer.dissent else "") + earlier


_FRAME = PackDecision(Offer("x", "x", OfferSource.MEMORIES, "memory", "x", 1.0, head="x"), True, (), (), text="x")
