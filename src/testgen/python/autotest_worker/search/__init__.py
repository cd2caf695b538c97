"""Searches inputs that tell a function from its mutants."""
