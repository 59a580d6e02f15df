"""The speed benchmark: generated memories, and the same questions asked of Satchel and of what one would pick instead."""
