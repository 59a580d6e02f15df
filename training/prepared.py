"""Names of the files that the steps of the recipe hand on."""

BASE_FILE = "base.safetensors"
TOKENIZER_FILE = "tokenizer.json"
SETS_FILE = "sets.jsonl.gz"
DEV_FILE = "dev.json.gz"
CHINESE_FILE = "chinese.txt"
DICTIONARY_FILE = "dictionary.jsonl.gz"
# What training adds, in a folder of its own.
WEIGHTS_FILE = "encoder.safetensors"
FIGURES_FILE = "figures.json"
