"""The speed benchmark: Satchel and its peers with the same generated texts and the same questions."""
