"""The Lance index. Sets two options that Lance reads only from the environment, unless the operator has set them."""

import os

OPTIONS = {
    # Lance logs to standard error by itself; relevant problems are in the receipt.
    "LANCE_LOG": "error",
    # When a filter admits fewer rows than this percentage, full-text search scans them instead of using the index.
    # At a million rows, the default of 10 takes twice as long for a scope with a tenth of them.
    "LANCE_FLAT_SEARCH_PERCENT_THRESHOLD": "1",
}

# Lance reads these when it is imported, which happens after this module.
for name, value in OPTIONS.items():
    os.environ.setdefault(name, value)
