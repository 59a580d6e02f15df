"""Benchmarks of Satchel, for those who have the repository; none of this is in the installed package.

`python -m bench BENCHMARK` runs one benchmark, and `--help` lists them. `make bench` runs all of them (run.py), keeps a
result file of each in results/, and writes docs/benchmarks.md from those files (report/). See docs/benchmarking.md.

    datasets/       readers of public datasets: LoCoMo, LongMemEval, BEAM, CoSQA
    haystack.py     scratch stores filled with a dataset, through Satchel's operations or a plain peer
    metrics.py      ranking metrics
    processes.py    the processes that some benchmarks start
    retrieval.py, pack.py, turns.py, attention.py, routes.py, why.py, precision.py, shards.py, upkeep.py,
    speed/, clients/, team/, governance/                            the benchmarks of `python -m bench`
    ablation.py, calibrate.py, capture.py, injection.py, routing.py, secrets.py      further parts of `make bench`
    peers/          the systems that Satchel is compared with
    report/         the page of figures and its plots
    compare.py, tokens.py, placement.py                             tools run by hand

`bench` imports `satchel`; `satchel` never imports `bench`.
"""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The folder of the repository."""
