"""The figures of docs/benchmarks.md: `make bench` measures them, keeps a result file of each, and writes the page."""
