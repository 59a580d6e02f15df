"""Reads from a discussion what was decided in it, for which reasons, and what that replaced."""
