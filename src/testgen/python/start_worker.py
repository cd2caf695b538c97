"""Starts the worker by path: `python -m` would look for its modules in the project's folder first."""

from autotest_worker.__main__ import main

main()
