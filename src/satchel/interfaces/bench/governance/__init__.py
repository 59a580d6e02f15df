"""The governance benchmark: what gets through that should not, as rates, on Satchel and on whoever stands behind an adapter."""
