"""Restricts this process, and all that it starts, to some folders, by the Landlock of Linux (kernel 5.13 and newer).

Constants and structures are those of `linux/landlock.h`; the numbers of the calls are equal on all architectures.
"""

from __future__ import annotations

import ctypes
import os
import stat

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_PR_SET_NO_NEW_PRIVS = 38
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
#: Rights over files by version: everything of 1, then moving, truncating, device control.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_TCP = 0b11
_SIGNALS_AND_SOCKETS = 0b11
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


class _Ruleset(ctypes.Structure):
    _fields_ = [("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def version() -> int:
    """Returns the version of Landlock that the kernel has; 0 if it has none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, libc.syscall(_CREATE, None, 0, 1))


def restrict(readable: list[str], writable: list[str]) -> None:
    """Takes all rights but those over these paths, for good. Raises OSError where the kernel refuses."""
    libc = ctypes.CDLL(None, use_errno=True)
    known = version()
    if known < 1:
        raise OSError("the kernel has no Landlock")
    everything = _FILE_RIGHTS[min(known, 5)]
    rules = _Ruleset(everything, _TCP if known >= 4 else 0, _SIGNALS_AND_SOCKETS if known >= 6 else 0)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = _checked(libc.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0))
    for path in readable:
        _allow(libc, ruleset, path, _READ & everything)
    for path in (*writable, *_DEVICES):
        _allow(libc, ruleset, path, everything if path not in _DEVICES else (_WRITE_FILE | _READ_FILE))
    _checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _checked(libc.syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _allow(libc: ctypes.CDLL, ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        rule = _Beneath(rights, descriptor)
        _checked(libc.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0))
    finally:
        os.close(descriptor)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
