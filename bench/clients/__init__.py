"""The clients benchmark: many clients of one server, and a writer that holds the store for a long time."""
