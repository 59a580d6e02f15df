"""What a person would pick instead, each set up as its own documentation says, for the benchmarks to measure beside."""
