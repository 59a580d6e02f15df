"""Benchmarks of Satchel, for those who have the repository; none of this is in the installed package.

`python -m bench retrieval|pack|precision|speed|governance` runs one benchmark. `make bench` runs all of them (run.py),
keeps a result file of each in results/, and writes docs/benchmarks.md from those files (report/). See
docs/benchmarking.md.

    datasets/       readers of public datasets: LoCoMo, LongMemEval, BEAM, CoSQA
    haystack.py     scratch stores filled with a dataset, through Satchel's operations or a plain peer
    metrics.py      ranking metrics
    retrieval.py, pack.py, precision.py, speed/, governance/      the benchmarks of `python -m bench`
    ablation.py, calibrate.py, capture.py, injection.py, routing.py, secrets.py      further parts of `make bench`
    peers/          the systems that Satchel is compared with
    report/         the page of figures and its plots
    compare.py, tokens.py      tools run by hand

`bench` imports `satchel`; `satchel` never imports `bench`.
"""
