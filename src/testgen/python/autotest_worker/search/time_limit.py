"""Ends calls that take too long."""

from __future__ import annotations

import contextlib
import signal
from typing import Any

#: Seconds after which a call that takes no processor time is taken to wait for ever; beside others, each call waits its turn.
_WAITS = 3.0


class TooLong(BaseException):
    """A call passed its time; no handler of the project's code catches it."""


@contextlib.contextmanager
def limited(seconds: float) -> Any:
    """Limits processor time, so that a busy machine changes no outcome, and, with more patience, time that passes."""

    def passed(number: int, frame: Any) -> None:
        raise TooLong

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, seconds), (signal.SIGALRM, signal.ITIMER_REAL, max(_WAITS, 4 * seconds)))
    before = [signal.signal(number, passed) for number, _, _ in timers]
    for _, timer, after in timers:
        signal.setitimer(timer, after, 0.05)
    try:
        yield
    finally:
        for (number, timer, _), handler in zip(timers, before):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)
