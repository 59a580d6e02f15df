"""The files with which the reader and the judge are prepared and trained."""

TRUNK_FILE, TOKENS_FILE, TRAINED_FILE = "trunk.npz", "tokens.json.gz", "reader.pt"
JUDGE_FILE, JUDGED_FILE = "judge.pt", "judged.json.gz"
