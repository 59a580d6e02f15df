"""Satchel against QMD itself."""
