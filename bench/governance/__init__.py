"""The governance benchmark: how often something gets through that should not, for Satchel and its peers."""
