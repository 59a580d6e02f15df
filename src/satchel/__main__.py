"""`python -m satchel` is the command line."""

from satchel.interfaces.cli.main import run

run()
