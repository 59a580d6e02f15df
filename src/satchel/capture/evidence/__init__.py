"""Evidence: what tools and sessions report, from an event on a hook to a row of the ledger, graded and summed up."""
