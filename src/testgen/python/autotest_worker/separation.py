"""Keeps the process that judges out of reach of those that it judges.

Nobody traces it, reads its memory or opens its descriptors: on Linux it cannot be dumped, and what it judges is in a domain of
Landlock of its own where there is one, which holds for root as well. What it judges is ended with all that it started.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from typing import Iterator

from . import own_domain

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER, _PR_GET_NO_NEW_PRIVS = 4, 36, 39
#: How long what is left behind may take to end once it is killed.
_ENDING_SECONDS = 5.0
#: More than any number of a process.
_MOST_PROCESSES = 1 << 22

_judge: "int | None" = None
_libc: "ctypes.CDLL | None" = None
_domain: "int | None" = None


def become_judge() -> None:
    """Makes this process the one that judges: what its children leave behind becomes its own to end."""
    global _judge, _libc
    _judge = os.getpid()
    if sys.platform == "linux":
        _libc = ctypes.CDLL(None, use_errno=True)
        _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def is_judge() -> bool:
    return _judge == os.getpid()


def prepare_domain() -> None:
    """Makes the domain that the next children enter, once in each process that starts some."""
    global _domain
    # Without a sandbox nothing is taken from the project's code, such as programs with rights of their own.
    if _libc is not None and _domain is None and _libc.prctl(_PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1:
        _domain = own_domain.make_domain(_libc)


def leave_judge() -> None:
    """Gives up, in a child that still has the descriptors of its parent, what would let it reach the process that judges it."""
    global _domain
    if _libc is None:
        return
    # The project's code finds its own process as it would be without the harness.
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    if _domain is not None:
        own_domain.enter(_libc, _domain)
        _domain = None


def reap_orphans(child: int) -> None:
    """Takes note of the end of processes that were left to this one, all but a child that is waited for."""
    while True:
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return
        if ended is None or ended.si_pid == child:
            return
        _reap(ended.si_pid)


def end_left_behind() -> bool:
    """Ends all processes that judged ones left behind; False if some do not end."""
    deadline = time.monotonic() + _ENDING_SECONDS
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] != 0:
                continue
        except ChildProcessError:
            return True
        if time.monotonic() > deadline:
            return False
        for pid in _children():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.001)


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass


def _children() -> Iterator[int]:
    """Yields the children of this process, the only ones that it may wait for: a sandbox may show no list of processes."""
    own, newest = os.getpid(), _newest_process()
    for pid in range(own + 1, newest) if newest > own else (*range(2, newest), *range(own + 1, _MOST_PROCESSES)):
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            continue
        yield pid


def _newest_process() -> int:
    """Returns the number of a process that starts now; numbers rise until they are used up."""
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    _reap(pid)
    return pid
