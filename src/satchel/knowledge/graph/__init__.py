"""Entities and relations: read from sources by rule, put together, walked, and put into words."""
