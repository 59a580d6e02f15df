"""Conversations: what is made of messages without losing any, by rules and in the messages' own words."""
