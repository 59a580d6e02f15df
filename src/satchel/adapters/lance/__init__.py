"""The index in Lance. Lance logs to standard error on its own account; what matters reaches the receipt."""

import os

# Read when the library is loaded, and nothing here is loaded before this line.
os.environ.setdefault("LANCE_LOG", "error")
