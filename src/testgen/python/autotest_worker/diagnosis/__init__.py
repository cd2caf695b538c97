"""Finds the lines that make tests fail, and changes of them with which the tests pass."""
