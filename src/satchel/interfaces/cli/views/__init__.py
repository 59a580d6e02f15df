"""How a person sees the answers: one module for each area, one function for each operation."""
