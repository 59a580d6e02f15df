"""The slower suite: Satchel against the other programs themselves."""
