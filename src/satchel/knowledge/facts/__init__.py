"""Temporal facts: what is true of a subject, since when, and what says so. A view that can be made anew at any time."""
