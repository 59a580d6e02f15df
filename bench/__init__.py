"""What Satchel reaches on this machine, measured beside what one would build by hand: `python -m bench`."""
