"""The local HTTP server, and the client that the command line uses."""
