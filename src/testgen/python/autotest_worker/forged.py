"""The one error for a result that the code under test, and not the harness, made."""

from __future__ import annotations


class Forged(Exception):
    """The process under test answered for itself; the message says how."""
