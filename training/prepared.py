"""The files of a prepared folder."""

BASE_FILE = "base.safetensors"
TOKENIZER_FILE = "tokenizer.json"
SETS_FILE = "sets.jsonl.gz"
DEV_FILE = "dev.json.gz"
