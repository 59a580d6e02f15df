"""The index in Lance, and two switches that it takes from the environment alone; an operator's own value stands."""

import os

SWITCHES = {
    # It logs to standard error on its own account; what matters reaches the receipt.
    "LANCE_LOG": "error",
    # A search by word looks up each row it may see when those are so few, in percent of all, instead of following the
    # words. At a million rows, its own choice of 10 takes twice as long for a scope that holds a tenth of them.
    "LANCE_FLAT_SEARCH_PERCENT_THRESHOLD": "1",
}

# Read when the library is loaded, and nothing here is loaded before this line.
for name, value in SWITCHES.items():
    os.environ.setdefault(name, value)
