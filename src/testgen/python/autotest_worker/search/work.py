"""What a search has done, counted in calls and lines, so that it finds the same on a slow machine."""

from __future__ import annotations

#: Calls of a short function that a search may make for each second that it is given.
_CALLS_PER_SECOND = 20_000
#: Lines of the project's code that count as much as a call.
_LINES_PER_CALL = 200


class Work:
    """A budget of calls; `seconds` are those of a machine on which a short call takes 50 microseconds."""

    def __init__(self, seconds: float) -> None:
        self._most = calls_in(seconds)
        self.done = 0.0

    @property
    def left(self) -> float:
        return max(calls_in(0.1), self._most - self.done)

    def add(self, calls: float) -> None:
        self.done += calls

    def is_over(self, seconds_more: float = 0.0) -> bool:
        return self.done >= self._most + calls_in(seconds_more)


def calls_in(seconds: float) -> float:
    return seconds * _CALLS_PER_SECOND


def cost_of(lines: int) -> float:
    """Returns what a call counts that runs so many lines."""
    return 1 + lines / _LINES_PER_CALL
