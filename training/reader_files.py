"""The files with which the reader is prepared and trained."""

TRUNK_FILE, TOKENS_FILE, TRAINED_FILE = "trunk.npz", "tokens.json.gz", "reader.pt"
