"""Mutants: made, run under tests, and what else runs of a function."""
