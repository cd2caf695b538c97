"""Says why no input of a function could be used."""

from __future__ import annotations

from collections import Counter
from typing import Optional

from .target import Outcome


class Fates:
    """Counts what became of inputs that were tried."""

    def __init__(self) -> None:
        self._tried = 0
        self._kinds: Counter[str] = Counter()
        self._errors: Counter[str] = Counter()
        self._opaque = ""
        self._refused = ""
        self._ends = ""
        self.varying = 0
        #: Inputs whose outcome names the folder that the copy of the project is in.
        self.names_the_folder = 0

    def note(self, outcome: Outcome) -> None:
        self._tried += 1
        self._kinds[outcome.kind] += 1
        if outcome.kind == "raises":
            message = " ".join((outcome.message or "").split())[:100]
            self._errors[f"{(outcome.exception or 'an exception').split(':')[-1]}{': ' if message else ''}{message}"] += 1
        if outcome.kind == "sandboxed":
            self._refused = outcome.message or "no rights"
        if outcome.kind == "ends":
            self._ends = (outcome.exception or "").split(":")[-1]
        if outcome.kind == "opaque":
            self._opaque = outcome.value_type

    def reason(self, unmade: Optional[str]) -> str:
        """Returns why none is left, by what became of most; `unmade` says why inputs could not be made."""
        if self._tried == 0:
            return unmade or "no input could be made"
        if self.names_the_folder:
            return "what it does depends on where the project is: its outcome names that folder"
        if self.varying:
            return "its outcome changes from call to call with the same arguments: random numbers, the clock or state that it keeps"
        kind, _ = self._kinds.most_common(1)[0]
        if kind == "too_long":
            return "no call ended in its time"
        if kind == "sandboxed":
            return f"it asks the system for what a sandbox does not have: {self._refused[:120]}"
        if kind == "opaque":
            return f"nothing that it returns can be asserted: {_an(self._opaque)} shows nothing public"
        if kind == "ends":
            which = "each call" if self._kinds[kind] == self._tried else "most calls"
            return f"{which} that was tried raises {self._ends}, which ends a test without failing it"
        if kind == "raises":
            error, count = self._errors.most_common(1)[0]
            return f"each of {self._tried} inputs was refused, {count} with {error}"
        return unmade or "no input could be used"


def _an(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
