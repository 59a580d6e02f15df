"""Search the turns of conversations by words, meaning, speaker and time."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.service import Service
from satchel.domain.episode import Episode, EpisodeHit
from satchel.domain.passage import EvidenceLane, PassageId, PassageView
from satchel.episodes import admit as episodes
from satchel.episodes.hits import session_hits, turn_hits
from satchel.episodes.intake import TurnIntake
from satchel.indexing import passage_index
from satchel.indexing.memory_index import SearchReadiness
from satchel.recall import relevance
from satchel.recall.analyze import QuestionAnalysis, analyze_question
from satchel.recall.episodes import EpisodeWeights, episode_priors
from satchel.recall.named import stated_names
from satchel.recall.passages import PassagesFound, PassageVectorQuery, search_passages
from satchel.recall.request import Mode, RecallQuestion

# Number of turns from which the best sessions are chosen.
TURNS_FOR_SESSIONS = 200
LEVELS = ("turn", "session")


class EpisodeMatches(Struct, frozen=True):
    """The hits of a search, and how they were found."""

    hits: Sequence[EpisodeHit]
    prepared: QuestionAnalysis
    ready: SearchReadiness
    meaning: PassageVectorQuery | None
    found: PassagesFound

    @property
    def rated(self) -> bool:
        """Whether the relevance of the hits is calibrated."""
        space = None if self.meaning is None or self.found.problem else self.meaning.space.name
        return relevance.is_calibrated(space, self.prepared.terms)


class EpisodeSearch(Service):
    """Finds turns, and the turns around them."""

    def find(
        self, question: RecallQuestion, level: str, view: PassageView, now: int, weights: EpisodeWeights
    ) -> EpisodeMatches:
        """Find turns, or the best turn of each session."""
        speakers = TurnIntake(self._parts).speakers(view.reach)
        prepared = analyze_question(question.text, now, speakers, stop_phrases=weights.stop_phrases)
        ready = self._ready(prepared, question.mode)
        meaning = None
        if ready.vector is not None and ready.space is not None:
            meaning = PassageVectorQuery(ready.vector, ready.space, self._parts.passage_index())
        found = search_passages(
            prepared.terms,
            question.mode,
            view,
            question.limit if level == "turn" else max(TURNS_FOR_SESSIONS, question.limit),
            self._ledger.passages,
            meaning,
            episode_priors(prepared, weights),
            spread=weights.spread if prepared.seeks_several else 0.0,
            weights=weights,
            names=stated_names(question.text),
        )
        hits = turn_hits(found.hits) if level == "turn" else session_hits(found.hits, question.limit)
        return EpisodeMatches(hits, prepared, ready, meaning, found)

    def _ready(self, prepared: QuestionAnalysis, mode: Mode) -> SearchReadiness:
        if mode is Mode.LEXICAL:
            return SearchReadiness(waiting=self._ledger.passages.vectors.backlog(None)[0])
        return passage_index.catch_up(self._indexed_passages, prepared.text, self._policies.recall.catch_up_ms / 1000)

    def with_neighbours(self, hits: Sequence[EpisodeHit], view: PassageView, window: int) -> list[EpisodeHit]:
        """Return hits with the turns around them."""
        # Neighbours may be of any kind and time, but must be visible.
        view = PassageView(EvidenceLane.EPISODES, view.reach)
        near = self.neighbours([hit.id for hit in hits], view, window)
        return [
            replace(
                hit,
                before=tuple(one for one in near.get(hit.id, ()) if one.position < hit.position),
                after=tuple(one for one in near.get(hit.id, ()) if one.position > hit.position),
            )
            for hit in hits
        ]

    def neighbours(self, ids: Sequence[PassageId], view: PassageView, window: int) -> dict[PassageId, list[Episode]]:
        """Return the turns around others, in the order they were said."""
        pairs = self._ledger.passages.neighbours(ids, view, window)
        around = self._ledger.passages.fetch(list({pair.neighbour for pair in pairs}), view)
        near: dict[PassageId, list[Episode]] = {}
        for pair in pairs:
            if pair.neighbour in around:
                near.setdefault(pair.id, []).append(episodes.episode(around[pair.neighbour]))
        return near
