"""The benchmarks: what the product finds, how fast it is, and what it lets through, each printed by one command."""
