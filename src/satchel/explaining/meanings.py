"""Meanings of the rules and warnings in receipts."""

from collections.abc import Mapping

RULES: Mapping[str, str] = {
    "rank": "it is among the best results",
    "limit": "others ranked before it, or it was not relevant enough",
    "scope": "it is in another scope",
    "trust": "it is quarantined",
    "state": "it is retired or archived",
    "not_yet_valid": "it is not valid yet",
    "expired": "it is no longer valid",
    "kind": "its kind was not requested",
    "label": "its importance was not requested",
    "media": "it has no media of the kind that was requested",
    "trust_gate": "it is untrusted, and trusted memories answer",
    "budget": "it did not fit into the budget",
    "in_conversation": "the conversation has it already",
    "in_working_set": "the working set quotes it",
    "todo_stale_ttl": "it is a todo that is too old",
    "opens_session": "it is one of the most important rules, decisions and preferences of the project",
    "selected": "it was selected",
    "not_selected": "others were selected before it",
    "not_needed": "the reader judged that it does not help with this prompt",
    "created": "it was new",
    "duplicate": "the store already has it in the same or nearly the same words",
    "deleted": "it was erased",
    "candidates": "nothing was erased: a query only lists candidates",
    "retired": "it was replaced",
    "stored": "it was stored",
    "as_then": "it was restored to its earlier state",
    "created_since": "it did not exist at that time, so it was archived",
}
"""Meanings of rules. An unknown rule stands for itself."""

PACKED: Mapping[str, str] = {
    "protected_tail": "one of the newest turns",
    "trust_allowed": "it is relevant, its trust is sufficient, and it fits the budget",
    "trust_unknown_fail_open": "its trust is unknown, which is allowed",
    "untrusted_answers": "it is untrusted, and answers clearly better than any trusted item",
    "trusted_answers": "it is untrusted, and a trusted item answers",
    "tail_budget_disabled": "no tokens are reserved for the newest turns",
    "tail_budget_tokens_exceeded": "it did not fit into the tokens reserved for turns",
    "budget_tokens_exceeded": "no tokens were left for it",
    "max_items_reached": "the maximum number of items was reached",
    "quota_event_capped": "the maximum number of events was reached",
    "nice_cap_reached": "the maximum number of nice_to_have items was reached",
    "relevance_too_low": "it was not relevant enough",
    "covered": "another item summarizes it",
    "replaced": "a newer memory says that it replaces it",
    "duplicate": "another item says the same",
    "missing_summary": "it has no text",
    "trust_quarantined_excluded": "it is quarantined",
}
"""Meanings of rules for records offered to a pack."""

PACKETS: Mapping[str, str] = {
    "not-relevant": "it has too little to do with the goal",
    "rule-of-other-task": "it is a rule of another task",
    "no-room": "its part of the packet was full",
    "duplicate-of": "another item, or the request itself, says the same",
    "untrusted-share": "untrusted items already had their share",
}
"""Meanings of the reasons to leave a memory out of a packet, without what follows their colon."""

OUTCOMES: Mapping[str, str] = {"low_relevance": "not good enough"}
"""Meanings of the outcomes of a routed step that are not clear by their names: a partial result has this one as well."""

SKIPS: Mapping[str, str] = {
    "disabled": "recall before turns is disabled",
    "no_query": "there was no prompt",
    "trivial_prompt": "the prompt is trivial, such as a greeting, thanks or a command",
}
"""Why nothing was recalled before a turn."""

WARNINGS: Mapping[str, str] = {
    "agent_order": "a text from a tool, a page or a file reads as an order to the agent, so it was quarantined; 'satchel review' lists such records",
    "as_of_words": "some memories had another text at that time; their vectors are gone, so only words find them",
    "clock_doubted": "the clock may be wrong: days in long gaps without any activity do not age records",
    "damaged_record": "the stored bytes of some records are damaged, so they were left out; 'satchel doctor --fix' quarantines them",
    "embedder_none": "no embedder is configured, so the search was lexical; leave SATCHEL_EMBEDDER empty for the default",
    "embeddings_waiting": "some memories have no vector yet and are found by words only; run 'satchel index build'",
    "folder_ignored": "the host's folder could not be used, so the scope auto is that of the hook's own folder",
    "ignored_keys": "the host's input has keys that the hook does not know; the rest was used",
    "index_incomplete": "some messages have no vector yet, so discussions may be missed; ask again or run 'satchel index build'",
    "index_mismatch": "the index differs from the ledger; differing entries were left out and the index will be rebuilt",
    "index_repaired": "the index was damaged and has been rebuilt; nothing is lost",
    "index_unreachable": "the bucket of the index could not be reached, so the ledger was searched: complete, but slower",
    "index_unusable": "the index could not be used, so the search was lexical; run 'satchel doctor --fix'",
    "input_too_long": "the query was too long for a search by meaning",
    "lexical_only": "only words were searched: the caller asked for it, or auto_recall.cold_mode is lexical and no server is running",
    "links_left_out": "details, edges and facts of an export were left out: no key of this store signed it, or nobody vouched for it",
    "missing_extra": "the store is large and the part of Satchel for large stores is not installed, so its vectors were compared one by one",
    "model_broken": "the embedding model cannot be loaded, so the search was lexical; 'satchel model status' names the problem",
    "not_kept": "something of the turn could not be stored; result.not_kept names it and the reason",
    "model_missing": "the model of this store's vectors is not installed, so the search was lexical; run 'satchel index rebuild' to use the bundled one",
    "no_vectors": "no memory has a vector yet; run 'satchel index build'",
    "other_space": "the vectors are from another embedder, so the search was lexical; run 'satchel index rebuild' to switch",
    "bad_answer": "the embedding server returned an invalid answer, so the search was lexical",
    "http_error": "the embedding server returned an error, so the search was lexical",
    "preflight_failed": "the check before writes failed, so the memory was stored unchecked; look at weiji_memory_preflight.command",
    "query_clamped": "the query was too long; only its beginning was used",
    "rerank_failed": "the rerank server did not answer; results are in the order of the lanes",
    "rule_unclear": "a new rule may replace one of several; name it with 'satchel store --replaces ID'",
    "contradicts": "a newer memory contradicts an older one; 'satchel conflicts' lists both and says how to resolve it",
    "conflicts_incomplete": "not all conflicts are listed, or not all memories were compared; the warning says which",
    "runtime_missing": "the library that runs the model is not installed, so the search was lexical",
    "duplicate_row_ids": "several rows of the other program's table have the same id, so none of them was changed",
    "rows_lost": "memories that were imported from the table have no row in it any more",
    "text_differs": "rows of the other program's table have another text than their memory by now and were left alone",
    "scope_fallback": "the requested scope had too few results, so the fallback scopes were searched too",
    "scope_invalid": "the given scope is not valid; the default scope was used",
    "scope_new": "this was the first memory of its scope, whose name is like that of another: perhaps it is misspelt",
    "scope_unknown": "the requested scope has no memories: it is new, or its name is misspelt",
    "scope_policy_off": "scope isolation is off: a query without a scope sees every scope",
    "timeout": "the embedding server took too long, so the search was lexical",
    "turns_refused": "some turns could not be stored; the others were",
    "unreachable": "the embedding server could not be reached, so the search was lexical",
    "untrusted_only": "no trusted memory answers: the results come from tools, pages or files",
    "vectors_left_out": "vectors of imported rows were not taken: nobody vouched for the file, or they belong to another model or are not usable",
    "working_set_not_stored": "the working set stands before the prompt but could not be stored",
    "words_only": "the search was lexical, though meaning was requested too",
}
"""Meanings of warnings by code. An unknown code stands for itself."""

TIERS: Mapping[str, str] = {
    "must_remember": "must",
    "nice_to_have": "nice",
    "unknown": "unknown",
    "ignore": "ignore",
}
"""Tier names of importance labels in receipts."""


LANE = "lane_"
"""Prefix of warning codes about a lane."""


def warning_meaning(code: str) -> str:
    """Return the meaning of a warning code."""
    if code.startswith(LANE):
        return f"the lane of {code.removeprefix(LANE)} could not be searched completely; the other lanes answered"
    return meaning(code, WARNINGS)


def meaning(code: str, known: Mapping[str, str]) -> str:
    """Return the meaning of a code, or the code as words."""
    return known.get(code, code.replace("_", " "))
