"""Runs a child, sees that all it starts stays within its limits, and ends what is left behind.

In a namespace of processes this is its first process: nobody in it can signal or trace that, and the kernel ends all others with it. Elsewhere orphans
become its children, so that none is lost.
"""

from __future__ import annotations

import ctypes
import os
import time

# What `signal` documents, without its enumerations.
import _signal as signal
import rights

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
#: How often limits are looked at that the kernel does not hold for root; with the processes of all users it takes longer.
_PAUSE_SECONDS = {True: 0.1, False: 0.25}
_PAGE = os.sysconf("SC_PAGE_SIZE")


def run(wanted: dict, become) -> None:
    """Forks, runs `become` in the child, and ends as that ends."""
    libc = ctypes.CDLL(None)
    is_first = os.getpid() == 1
    if not is_first:
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        # It ends what it looks after when it is told to, and when the program that started it is gone.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    rights.hide()
    limits = wanted["limits"]
    others = 0 if is_first else _tasks_of_user()
    awaited = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    child = os.fork()
    if child == 0:
        if not is_first:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, awaited)
        rights.limit(limits, others)
        become()
        os._exit(126)
    # The ends of the pipes are the child's alone: they are closed when it closes them.
    nothing = os.open(os.devnull, os.O_RDWR)
    errors = os.dup(2)
    os.set_inheritable(errors, False)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    if wanted["kind"] != "none":
        rights.drop_capabilities()
    code = _wait(child, limits, errors, is_first)
    _end_all(is_first)
    os._exit(code)


def _wait(child: int, limits: dict, errors: int, is_first: bool) -> int:
    """Waits for a child while its limits hold; returns its exit code, 137 if they did not."""
    looked = time.monotonic()
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 137
        if pid == child:
            return rights.exit_code(status)
        if pid != 0:
            continue
        found = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, _PAUSE_SECONDS[is_first])
        if found is not None and found.si_signo == signal.SIGTERM:
            return 128 + signal.SIGTERM
        if time.monotonic() - looked >= _PAUSE_SECONDS[is_first]:
            problem = _excess(limits, is_first)
            if problem is not None:
                os.write(errors, f"autotest: ended, {problem}\n".encode())
                return 137
            looked = time.monotonic()


def _excess(limits: dict, is_first: bool) -> "str | None":
    """Returns in words which limit does not hold; those of the kernel do not hold for root."""
    found = _descendants(is_first)
    if len(found) > limits["processes"]:
        return f"more than {limits['processes']} processes"
    for pid in found:
        try:
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                resident = int(file.read().split()[1]) * _PAGE
        except (OSError, IndexError, ValueError):
            continue
        if resident > limits["memoryBytes"]:
            return f"a process with more than {limits['memoryBytes'] >> 20} MB"
    return None


def _descendants(is_first: bool) -> list[int]:
    """Returns the numbers of all processes that come from this one."""
    own = os.getpid()
    pids = [int(name) for name in _processes() if name.isdigit()]
    if is_first:
        return [pid for pid in pids if pid != own]
    children: dict[int, list[int]] = {}
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(pid)
    found: list[int] = []
    waiting = [own]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def _processes() -> list[str]:
    """Returns the names of /proc, which not every container has; then only the limits of the kernel hold."""
    try:
        return os.listdir("/proc")
    except OSError:
        return []


def _end_all(is_first: bool) -> None:
    """Ends everything that comes from this process."""
    if is_first:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return
    # An orphan becomes a child of this process when its parent ends: ask until there is none.
    for _ in range(1000):
        found = _descendants(False)
        if not found:
            return
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def _tasks_of_user() -> int:
    """Returns how many threads the user has: a limit of the kernel counts them all."""
    own = os.getuid()
    count = 0
    for name in _processes():
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}").st_uid == own:
                    count += len(os.listdir(f"/proc/{name}/task"))
            except OSError:
                continue
    return count
