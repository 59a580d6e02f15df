"""The memory tools of a host's memory slot, in the shapes of their specification."""
