"""Gives up what a process has from its parent: descriptors, the terminal, capabilities, and unlimited use of the machine."""

from __future__ import annotations

import ctypes
import os
import resource
import sys

_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 4, 24, 38, 47
_AMBIENT_CLEAR_ALL = 4
_CAPABILITIES_VERSION = 0x20080522
_LAST_CAPABILITY = 63


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def close_inherited() -> None:
    """Closes every descriptor but standard input, output and errors."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            numbers = [int(name) for name in os.listdir(folder)]
        except OSError:
            continue
        os.closerange(3, max(numbers) + 1)
        return
    os.closerange(3, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 16))


def start_session() -> None:
    """Leaves the terminal of whoever started this: what has it may type into it."""
    if os.getsid(0) != os.getpid():
        if os.getpgid(0) == os.getpid():
            # The leader of a group cannot leave it, but a child of its can.
            child = os.fork()
            if child != 0:
                follow(child)
        os.setsid()


def follow(child: int) -> None:
    """Ends as a child ends."""
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    status = os.waitpid(child, 0)[1]
    os._exit(exit_code(status))


def exit_code(status: int) -> int:
    """Returns what a shell says of a process: its exit code, or 128 and the number of the signal that ended it."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def drop_capabilities() -> None:
    """Gives up all that root may do beyond its own files, for good. Raises OSError if any is left."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    nothing = (ctypes.c_uint32 * 6)()
    if libc.capset(ctypes.byref(_Header(_CAPABILITIES_VERSION, 0)), ctypes.byref(nothing)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"capabilities cannot be given up: {os.strerror(number)}")


def hide() -> None:
    """Lets nobody with the same user trace this process, or read its memory."""
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def limit(limits: dict, others: int) -> None:
    """Limits what each process takes; a deadline alone lets them fill the machine.

    `others` is the number of processes that count with those started from here: those of the same user, where there is no namespace.
    """
    # Memory that is written to, not addresses that are reserved: WebAssembly and Go reserve many times of what they use.
    _limit("RLIMIT_DATA", limits["memoryBytes"])
    _limit("RLIMIT_FSIZE", limits["fileBytes"])
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_NPROC", limits["processes"] + others)


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, name)
    _, hard = resource.getrlimit(kind)
    if hard == resource.RLIM_INFINITY or hard > most:
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):
            # macOS has no limit of memory.
            if sys.platform != "darwin":
                raise
