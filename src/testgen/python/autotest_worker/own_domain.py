"""A domain of Landlock for what is judged, beside that of the sandbox: it cannot trace, nor signal, what is outside of it.

Constants are those of `linux/landlock.h`; the numbers of the calls are equal on all architectures.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Optional

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_PATH_BENEATH = 1
_MAKE_BLOCK, _REFER = 1 << 11, 1 << 13
_SIGNALS = 1 << 1


def make_domain(libc: ctypes.CDLL) -> Optional[int]:
    """Returns a descriptor of a domain, by which signals are refused from version 6 of Landlock on.

    It takes no right over files but that to create block devices, since a domain must take one. There is none where the
    kernel has no Landlock, or one (version 1) in which every domain takes the right to move files between folders.
    """
    version = libc.syscall(_CREATE, None, 0, 1)
    if version < 2:
        return None
    rules = struct.pack("=QQQ", _MAKE_BLOCK | _REFER, 0, _SIGNALS if version >= 6 else 0)
    domain = libc.syscall(_CREATE, rules, ctypes.c_size_t(24 if version >= 6 else 8), 0)
    if domain < 0:
        return None
    everywhere = os.open("/", os.O_PATH | os.O_CLOEXEC)
    try:
        libc.syscall(_ADD, domain, _PATH_BENEATH, struct.pack("=Qi", _REFER, everywhere), 0)
    finally:
        os.close(everywhere)
    return int(domain)


def enter(libc: ctypes.CDLL, domain: int) -> None:
    """Puts this process, and all that it starts, in a domain for good. Raises OSError where it cannot."""
    if libc.syscall(_RESTRICT, domain, 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
