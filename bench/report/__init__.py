"""The report: docs/benchmarks.md and its plots, written from the files in bench/results."""
