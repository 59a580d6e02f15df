"""Choose: what goes into a pack, in which order and at which layer. Every offer is either in, or out by a named rule."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.likeness import gist
from satchel.domain.policies import PackPolicy
from satchel.packing import bundle
from satchel.packing.layers import Counter, abstract, flat, overview
from satchel.packing.values import STATE, Decision, Layer, Offer, Source

MUST = "must_remember"
NICE = "nice_to_have"
NICE_CAP = "nice_cap_reached"
_TRUSTS = {"trusted": 0, "unknown": 1, "untrusted": 2}
_LABELS = {"must_remember": 0, "nice_to_have": 1, "unknown": 2, "ignore": 3}
# An item that must be remembered counts for this much more than its relevance, one that is nice to have for half of it.
IMPORTANCE = 0.15
# Where there is less room than this, not even one line of an item fits.
LEAST_TOKENS = 12
# What one line may take of the budget, within bounds: a small pack has short lines, so that it still has several.
LINE_SHARE = 1 / 20
LEAST_LINE, MOST_LINE = 36, 48
ABSTRACT_TOKENS = 24
# Of the lines of state, what only happened may take this share.
EVENT_SHARE = 0.4
EVENT_KINDS = ("episode", "event")
# Of these kinds the best one gets a place before the rest: what binds, and what was settled.
ASSURED_KINDS = ("preference", "decision")
# A long question is answered by nothing very well: then it is enough to be nearly as relevant as the best, within reason.
BESIDE_BEST = 0.4
LEAST_RELEVANCE = 0.05
# From here on what was said is about the question at all.
SPEAKS_OF_IT = 0.1
# What binds needs this part of the relevance that the rest needs.
BINDING = 0.5


class Limits(Struct, frozen=True):
    """What a pack may hold."""

    budget_tokens: int
    max_items: int
    tail_tokens: int
    policy: PackPolicy

    @property
    def line_tokens(self) -> int:
        """How long the overview of one record may be."""
        return max(LEAST_LINE, min(MOST_LINE, int(self.budget_tokens * LINE_SHARE)))


def choose(
    offers: Sequence[Offer], terms: AbstractSet[str], limits: Limits, count: Counter, mask: Callable[[str], str]
) -> list[Decision]:
    """Decide about every offer. `count` counts tokens, `mask` hides secrets in what is told."""
    picking = _Picking(limits, terms, count, mask)
    for offer in _tail_newest_first(offers):
        picking.take_turn(offer)
    state = sorted((one for one in offers if one.source in STATE), key=_standing)
    for one in offers:
        picking.best[_side(one)] = max(picking.best[_side(one)], one.relevance)
    picking.about_them = any(one.named for one in offers)
    evidence = sorted((one for one in offers if one.source not in (*STATE, Source.TAIL)), key=_standing)
    # Each side is kept some room from the other; what one leaves, the other gets.
    postponed = [one for one in _assured_first(state) if not picking.take(one, share=limits.policy.state_share)]
    for one in evidence:
        picking.take(one, share=1.0)
    for one in postponed:
        picking.take(one, share=1.0, final=True)
    picking.tell_more()
    return picking.decided()


def _side(offer: Offer) -> str:
    return "state" if offer.source in STATE else offer.source


def _standing(offer: Offer) -> tuple[float, int, int, str]:
    bonus = IMPORTANCE * (1.0, 0.5, 0.0, -0.5)[_LABELS.get(offer.label, 2)]
    return -(offer.worth + bonus), _TRUSTS.get(offer.trust, 3), offer.rank, offer.ref


def _tail_newest_first(offers: Sequence[Offer]) -> list[Offer]:
    return [one for one in offers if one.source is Source.TAIL][::-1]


def _assured_first(state: Sequence[Offer]) -> Iterator[Offer]:
    """Yield the best offer, those that are to have a place before it gets full, then the rest."""
    assured = [*state[:1], *[one for one in state if one.dissent][:1]]
    for kind in ASSURED_KINDS:
        assured += [one for one in state if one.kind == kind][:1]
    first = list({one.ref: one for one in assured}.values())
    yield from first
    yield from (one for one in state if one not in first)


class _Picking:
    """Fills a pack one offer after another, and writes down what became of each."""

    def __init__(self, limits: Limits, terms: AbstractSet[str], count: Counter, mask: Callable[[str], str]) -> None:
        self.limits, self.terms, self.count, self.mask = limits, terms, count, mask
        self.picked: list[Decision] = []
        self.left_out: list[Decision] = []
        self.used = count(bundle.render([_FRAME])) - count(bundle.written(bundle.line_of(_FRAME)))
        self.tail_used = 0
        self.state_used = 0
        self.gists: dict[str, str] = {}
        self.told: dict[str, str] = {}
        self.headings: set[str] = set()
        self.best: defaultdict[str, float] = defaultdict(float)
        """How relevant the best is: of the state, of what was said, of the documents."""
        self.about_them = False
        """Whether the question is about somebody who speaks."""

    def take_turn(self, offer: Offer) -> None:
        """Keep a place for one of the newest turns, before anything else."""
        limits, policy = self.limits, self.limits.policy
        turns = sum(one.offer.source is Source.TAIL for one in self.picked)
        if limits.tail_tokens <= 0:
            return self._leave(offer, "tail_budget_disabled", "no tokens are kept for the newest turns")
        if turns >= policy.tail_max_items:
            return self._leave(offer, "max_items_reached", f"the newest {policy.tail_max_items} turns are in already")
        made = self._decision(offer, Layer.ABSTRACT, abstract(self.mask(offer.text), limits.line_tokens, self.count))
        cost = self._cost(made)
        if self.tail_used + cost > limits.tail_tokens or self.used + cost > limits.budget_tokens:
            return self._leave(
                offer, "tail_budget_tokens_exceeded", f"{cost} tokens do not fit into what is kept for turns"
            )
        self.tail_used += cost
        self._pick(made, cost, "protected_tail", "within_tail_budget", why="one of the newest turns")
        return None

    def take(self, offer: Offer, *, share: float, final: bool = False) -> bool:
        """Take an offer if it fits within a share of the budget; False when it is worth another try with a larger one."""
        if final:
            self.left_out = [one for one in self.left_out if one.offer != offer]
        if refusal := self._refusal(offer):
            self._leave(offer, *refusal)
            return True
        made = self._fitting(offer, self._room(offer, share))
        if made is None:
            self._leave(offer, "budget_tokens_exceeded", "no tokens are left for it")
            return False
        self._pick(made, self._cost(made), *_allowed(offer), "within_item_limit", "within_budget", why=_why(offer))
        return True

    def tell_more(self) -> None:
        """Spend what is left on the details of the best items."""
        details = 0
        for place, one in sorted(enumerate(self.picked), key=lambda pair: _standing(pair[1].offer)):
            if one.offer.source is Source.TAIL:
                continue
            text = self.mask(one.offer.text)
            if flat(text) == one.text or len(text) > self.limits.policy.max_detail_chars:
                continue
            fuller = replace(one, layer=Layer.DETAIL, text=text)
            more = self.count(bundle.written(bundle.line_of(fuller))) - self.count(bundle.written(bundle.line_of(one)))
            if self.used + more > self.limits.budget_tokens:
                continue
            if details >= self.limits.policy.max_l2_items:
                self.picked[place] = replace(one, l2_cap_hit=True)
                continue
            details += 1
            self.used += max(more, 0)
            self.picked[place] = replace(fuller, reasons=(*one.reasons, "told_in_full"))

    def decided(self) -> list[Decision]:
        """Return every decision: those that are in, in the order of the bundle, then the others."""
        while self.picked and self.count(bundle.render(self.picked)) > self.limits.budget_tokens:
            # Counting line by line never falls short of counting the whole, unless a counter is no counter.
            last = max(self.picked, key=lambda one: (one.offer.source is not Source.TAIL, *_standing(one.offer)))
            self.picked.remove(last)
            self._leave(last.offer, "budget_tokens_exceeded", "the finished bundle was too long")
        return [*bundle.in_order(self.picked), *self.left_out]

    def _refusal(self, offer: Offer) -> tuple[str, str] | None:
        if offer.trust == "quarantined":
            return "trust_quarantined_excluded", "what is quarantined reaches no prompt"
        if not offer.text.strip():
            return "missing_summary", "it has no text"
        if offer.relevance < (least := self._least_relevance(offer)):
            return "relevance_too_low", f"relevance {offer.relevance:.2f} is below {least:.2f}"
        if covering := self.told.get(offer.id):
            return "covered", f"{covering} says the same in short"
        if (twin := self.gists.get(gist(offer.text[:2_000]))) is not None:
            return "duplicate", f"{twin} says the same"
        if offer.source in STATE and (refusal := self._state_is_full(offer)):
            return refusal
        if sum(one.offer.source is not Source.TAIL for one in self.picked) >= self.limits.max_items:
            return "max_items_reached", f"{self.limits.max_items} items are in already"
        return None

    def _least_relevance(self, offer: Offer) -> float:
        """Return how relevant an offer has to be: less so if it binds, since a rule is seldom put in the words of a task."""
        best = self.best[_side(offer)]
        if offer.source is Source.EPISODES:
            # A turn beside one that answers may hold the answer in other words, and so may any turn of somebody who is
            # asked about; where none answers, no turn does.
            told = self.about_them or best >= SPEAKS_OF_IT
            return 0.0 if told else self.limits.policy.min_evidence_relevance
        binds = offer.label == MUST or offer.kind in ASSURED_KINDS
        least = min(self.limits.policy.min_relevance, max(LEAST_RELEVANCE, BESIDE_BEST * best))
        return least * (BINDING if binds else 1.0)

    def _state_is_full(self, offer: Offer) -> tuple[str, str] | None:
        policy, state = self.limits.policy, [one.offer for one in self.picked if one.offer.source in STATE]
        if len(state) >= policy.max_state_lines:
            return "max_items_reached", f"{policy.max_state_lines} lines of state are in already"
        events = int(policy.max_state_lines * EVENT_SHARE)
        if offer.kind in EVENT_KINDS and sum(one.kind in EVENT_KINDS for one in state) >= events:
            return "quota_event_capped", f"{events} events are in already"
        if offer.label == NICE and sum(one.label == NICE for one in state) >= policy.nice_cap:
            return NICE_CAP, f"{policy.nice_cap} items that are nice to have are in already"
        return None

    def _room(self, offer: Offer, share: float) -> int:
        whole = self.limits.budget_tokens - self.used
        if offer.source not in STATE:
            return whole
        return min(whole, int(self.limits.budget_tokens * share) - self.state_used)

    def _fitting(self, offer: Offer, room: int) -> Decision | None:
        """Return the offer as an overview, or as one line where that is too long, or not at all."""
        if room < LEAST_TOKENS:
            return None
        masked = self.mask(offer.text)
        for layer, text in (
            (Layer.OVERVIEW, overview(masked, self.terms, self.limits.line_tokens, self.count)),
            (Layer.ABSTRACT, overview(masked, self.terms, ABSTRACT_TOKENS, self.count)),
        ):
            made = self._decision(offer, layer, text)
            if text and self._cost(made) <= room:
                return made
        return None

    def _decision(self, offer: Offer, layer: Layer, text: str) -> Decision:
        return Decision(offer, True, (), (), layer, text)

    def _cost(self, made: Decision) -> int:
        """Return what an item adds to the bundle: its line, and the heading above it unless that is there already."""
        above = bundle.heading(made)
        heading = self.count(f"{above}\n") if above and above not in self.headings else 0
        return self.count(bundle.written(bundle.line_of(made)) + "\n") + heading

    def _pick(self, made: Decision, cost: int, *reasons: str, why: str) -> None:
        self.used += cost
        self.state_used += cost if made.offer.source in STATE else 0
        self.headings.add(bundle.heading(made))
        self.gists.setdefault(gist(made.offer.text[:2_000]), made.offer.ref)
        self.told |= dict.fromkeys(made.offer.rests_on, made.offer.ref)
        self.picked.append(replace(made, reasons=reasons, rationale=(why,)))

    def _leave(self, offer: Offer, reason: str, why: str) -> None:
        self.left_out.append(Decision(offer, False, (reason,), (why,), nice_cap_hit=reason == NICE_CAP))


def _allowed(offer: Offer) -> tuple[str, ...]:
    return ("trust_unknown_fail_open",) if offer.trust == "unknown" else ("trust_allowed",)


def _why(offer: Offer) -> str:
    said = f"relevance {offer.relevance:.2f} from {offer.source}"
    graded = f", {offer.label}" if offer.label not in ("unknown", "") else ""
    return f"{said}{graded}, {offer.trust}" + (", contradicts another item" if offer.dissent else "")


_FRAME = Decision(Offer("x", "x", Source.MEMORIES, "memory", "x", 1.0, head="x"), True, (), (), text="x")
