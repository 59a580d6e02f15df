"""Meanings: what the rules and the warnings of receipts say, in words."""

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "rank": "among the best of what was found",
    "limit": "others ranked before it, or it was less relevant than wanted",
    "scope": "it is in another scope",
    "trust": "it is quarantined",
    "state": "it is retired or archived",
    "not_yet_valid": "it does not hold yet",
    "expired": "it no longer holds",
    "kind": "its kind was not asked for",
    "label": "its importance was not asked for",
    "trust_gate": "it is untrusted, and trusted memories answer",
    "budget": "there was no room for it",
    "selected": "it was chosen",
    "not_selected": "others were chosen before it",
    "created": "it was new",
    "duplicate": "the store holds it already, in the same words or nearly so",
    "deleted": "it was erased",
    "candidates": "nothing was erased: a query only lists what it could mean",
    "retired": "something else holds in its place",
    "stored": "it was stored",
    "as_then": "it becomes what it was",
    "created_since": "it was not there yet, so it is archived",
}
"""What decided over a record. A rule that is not here stands for itself."""

PACKED: Mapping[str, str] = {
    "protected_tail": "one of the newest turns",
    "trust_allowed": "it may be relied on",
    "trust_unknown_fail_open": "nothing is known against it",
    "tail_budget_disabled": "no tokens are kept for the newest turns",
    "tail_budget_tokens_exceeded": "it did not fit into what is kept for turns",
    "budget_tokens_exceeded": "no tokens were left for it",
    "max_items_reached": "there were as many as there may be",
    "quota_event_capped": "there were as many events as there may be",
    "nice_cap_reached": "there were as many that are nice to have as there may be",
    "relevance_too_low": "it was less relevant than wanted",
    "covered": "another item says the same in short",
    "duplicate": "another item says the same",
    "missing_summary": "it has no text",
    "trust_quarantined_excluded": "it is quarantined",
}
"""What decided over a record that was offered to a pack."""

SKIPS: Mapping[str, str] = {
    "disabled": "recall before turns is switched off",
    "no_query": "there was no prompt",
    "trivial_prompt": "a greeting, thanks or a command asks for nothing",
}
"""Why nothing was recalled before a turn."""

WARNINGS: Mapping[str, str] = {
    "as_of_words": "some memories were worded otherwise at the moment that was asked: their vectors are gone, so only words find them",
    "clock_doubted": "long gaps without any use look like a wrong clock: such days make nothing older",
    "embedder_none": "no embedder is set up, so only words were searched; leave SATCHEL_EMBEDDER empty for the default",
    "embeddings_waiting": "some memories have no vector yet and are found by their words only; 'satchel index build' makes them",
    "index_mismatch": "the index differs from the ledger; what differed was left out, and the index is built anew",
    "index_repaired": "the index was damaged and has been built anew; nothing is lost",
    "index_unusable": "the index could not be used, so only words were searched; 'satchel doctor --fix' mends it",
    "input_too_long": "the question was too long to be searched by meaning",
    "lexical_only": "without a running server a hook does not load the model; 'satchel serve' searches by meaning as well",
    "model_broken": "the embedding model cannot be loaded, so only words were searched; 'satchel model install' gets it anew",
    "model_missing": "the embedding model is not installed, so only words were searched; 'satchel model install' gets it",
    "no_vectors": "nothing has a vector yet; 'satchel index build' makes them",
    "other_space": "the vectors come from another embedder, so only words were searched; 'satchel index rebuild' changes over",
    "bad_answer": "the embedding server answered with nonsense, so only words were searched",
    "http_error": "the embedding server refused, so only words were searched",
    "query_clamped": "the question was longer than what is read of one",
    "rerank_failed": "the rerank server gave no answer; the order is that of the lanes",
    "rule_unclear": "a new rule seems to replace one of several; name it with 'satchel store --replaces ID'",
    "runtime_missing": "the library that runs the model is not installed, so only words were searched",
    "scope_fallback": "the scope that was asked had too little, so the fallback scopes were asked too",
    "scope_invalid": "the scope that was given can be none; the default one took its place",
    "scope_policy_off": "scopes are not kept apart: a question that names none sees every one",
    "timeout": "the embedding server took too long, so only words were searched",
    "turns_refused": "some turns could not be kept; the others were",
    "unreachable": "the embedding server could not be reached, so only words were searched",
    "untrusted_only": "nothing trusted answers: what is there came from tools, pages or files",
    "words_only": "only words could be searched, though meaning was asked for as well",
}
"""What a warning means, by its code. One that is not here stands for itself."""

TIERS: Mapping[str, str] = {
    "must_remember": "must",
    "nice_to_have": "nice",
    "unknown": "unknown",
    "ignore": "ignore",
}
"""The tier of an importance, as receipts call it."""


LANE = "lane_"
"""What the code of a warning begins with that is about a lane."""


def warning_means(code: str) -> str:
    """Return what a warning means."""
    if code.startswith(LANE):
        return f"the lane of {code.removeprefix(LANE)} could not be searched as it should; the others answered"
    return meaning(code, WARNINGS)


def meaning(code: str, known: Mapping[str, str]) -> str:
    """Return what a code means, or the code as words."""
    return known.get(code, code.replace("_", " "))
