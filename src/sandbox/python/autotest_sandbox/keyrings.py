"""Leaves the kernel's keys of the user behind: they are no files, and a process has those of its parent.

A session keyring of its own is not enough: the keyring of the user is found by its number, and may be linked into any. So the calls that reach keys are absent for the
command, as in a kernel without keys. Numbers are those of `linux/audit.h` and of the tables of calls.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

_JOIN_SESSION = 1
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_LOAD, _AND, _EQUAL, _AT_LEAST, _ABOVE, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x25, 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE = 0, 4
#: The calls of x32 are those of x86_64 with this bit.
_WITHOUT_X32 = 0xFFFFFFFF ^ 0x40000000
#: By machine: its number in audits, and that of `add_key`; `request_key` and `keyctl` follow it everywhere.
_CALLS = {
    "x86_64": (0xC000003E, 248),
    "i686": (0x40000003, 286),
    "aarch64": (0xC00000B7, 217),
    "armv7l": (0x40000028, 309),
    "riscv64": (0xC00000F3, 217),
    "loongarch64": (0xC0000102, 217),
    "ppc64le": (0xC0000015, 269),
    "s390x": (0x80000016, 278),
}
#: Architectures that came later have the numbers of this one.
ADD_KEY = _CALLS.get(os.uname().machine, _CALLS["aarch64"])[1]
KEYCTL = ADD_KEY + 2


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def join_own() -> int:
    """Joins a session keyring that is new, empty and has no name; returns 0, or the number of the error."""
    libc = ctypes.CDLL(None, use_errno=True)
    return 0 if libc.syscall(KEYCTL, _JOIN_SESSION, None) >= 0 else ctypes.get_errno()


def refuse_calls(joined: int) -> None:
    """Takes the calls that reach keys from this process and all that it starts, for good, of every architecture that the kernel may run. No new privileges have to be refused before.

    `joined` is what `join_own` returned. Raises OSError if the process has keys of the user still; a kernel without filters is left to the attempts.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    code = _filter()
    program = _Program(len(code) // 8, code)
    if libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) == 0:
        return
    number = ctypes.get_errno()
    if number == errno.EINVAL and joined in (0, errno.ENOSYS):
        return
    raise OSError(number, f"the calls for keys cannot be refused: {os.strerror(number)}")


def _filter() -> bytes:
    parts = [_step(_LOAD, _OFFSET_ARCHITECTURE)]
    for architecture, first in _CALLS.values():
        parts += [
            _step(_EQUAL, architecture, 0, 6),
            _step(_LOAD, _OFFSET_NUMBER),
            _step(_AND, _WITHOUT_X32),
            _step(_AT_LEAST, first, 0, 2),
            _step(_ABOVE, first + 2, 1, 0),
            _step(_RETURN, _ERRNO | errno.ENOSYS),
            _step(_RETURN, _ALLOW),
        ]
    return b"".join([*parts, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
