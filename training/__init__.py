"""The recipe of satchel-encoder-1: data, training, evaluation and export. Not part of the wheel."""
