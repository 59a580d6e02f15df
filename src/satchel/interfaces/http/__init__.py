"""The local server: operations over a socket of the store's owner, and the client that the command line uses."""
