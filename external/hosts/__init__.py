"""Satchel inside the real agent hosts, with a mock model behind them."""
