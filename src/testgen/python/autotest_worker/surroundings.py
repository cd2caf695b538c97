"""Lets code run in surroundings that differ from those in which its tests were written: nothing of these may reach a test.

Only in a child of its own, before anything of the project is imported: what is changed here stays changed.
"""

from __future__ import annotations

import datetime
import os
import platform
import socket
import sys
import tempfile
import time
from typing import Any, Callable

from .class_members import put_member

#: Further on by a year and some, so that hour, weekday, month and year all differ.
_LATER = 366 * 86400.0 + 41 * 86400.0 + 5 * 3600.0 + 17 * 60.0 + 9.0
_HOST = "elsewhere.example"
_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def differ(names: "list[str]") -> None:
    """Changes the surroundings of this process in the ways named. Raises KeyError for one that is not known."""
    for name in names:
        _DIFFERENCES[name]()


def _clock() -> None:
    real_time, real_ns = time.time, time.time_ns
    time.time = lambda: real_time() + _LATER
    time.time_ns = lambda: real_ns() + int(_LATER) * 10**9
    for name in ("localtime", "gmtime", "ctime"):
        _with_now(name)
    strftime = time.strftime
    time.strftime = lambda format, *at: strftime(format, *(at or (time.localtime(),)))  # type: ignore[assignment]
    asctime = time.asctime
    time.asctime = lambda *at: asctime(*(at or (time.localtime(),)))  # type: ignore[assignment]
    _shift_classes()


def _with_now(name: str) -> None:
    real = getattr(time, name)

    def shifted(seconds: Any = None) -> Any:
        return real(time.time() if seconds is None else seconds)

    setattr(time, name, shifted)


def _shift_classes() -> None:
    """Lets `datetime` say a later time; what else asks for the day does so by `time.time`."""
    moment, later = datetime.datetime, datetime.timedelta(seconds=_LATER)
    now, utcnow = moment.now, moment.utcnow

    def later_now(cls: type, tz: Any = None) -> Any:
        return _as(cls, now(tz) + later)

    def later_utcnow(cls: type) -> Any:
        return _as(cls, utcnow() + later)

    put_member(moment, "now", classmethod(later_now))
    put_member(moment, "utcnow", classmethod(later_utcnow))


def _as(cls: Any, at: datetime.datetime) -> Any:
    if cls is datetime.datetime:
        return at
    return cls(at.year, at.month, at.day, at.hour, at.minute, at.second, at.microsecond, at.tzinfo, fold=at.fold)


def _environment() -> None:
    folder = tempfile.mkdtemp(prefix="another-")
    known = {name: value for name, value in os.environ.items() if name.startswith(("PYTHON", "PYTEST", "LD_", "DYLD_", "COVERAGE"))}
    os.environ.clear()
    os.environ.update(known)
    os.environ.update(
        {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": os.path.join(folder, "home"),
            "TMPDIR": os.path.join(folder, "temporary"),
            "USER": "another",
            "LOGNAME": "another",
            "LANG": "de_DE.UTF-8",
            "LC_ALL": "de_DE.UTF-8",
            "TZ": "Asia/Kolkata",
            "COLUMNS": "61",
            "LINES": "17",
            "TERM": "dumb",
            "CI": "true",
            "SHELL": "/bin/false",
            "EDITOR": "ed",
        }
    )
    for name in ("HOME", "TMPDIR"):
        os.makedirs(os.environ[name])
    tempfile.tempdir = None
    os.umask(0o077)


def _zone() -> None:
    os.environ["TZ"] = "Asia/Kolkata"
    time.tzset()


def _arguments() -> None:
    sys.argv = ["/usr/local/bin/pytest", "-q", "--maxfail=3", "tests"]


def _host() -> None:
    socket.gethostname = lambda: _HOST
    socket.getfqdn = lambda name="": name or _HOST
    os.cpu_count = lambda: 7
    os.getlogin = lambda: "another"
    if hasattr(os, "uname"):
        parts = list(os.uname())
        parts[1] = _HOST
        os.uname = lambda: os.uname_result(parts)
    platform.node = lambda: _HOST


def _network() -> None:
    """Each name is found, and everybody answers: the sandbox has no network, people have one."""
    family = socket.AF_INET
    peers: "list[socket.socket]" = []

    def found(host: Any, port: Any, *arguments: Any, **keywords: Any) -> Any:
        return [(family, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port if isinstance(port, int) else 9))]

    def connect(self: socket.socket, address: Any) -> None:
        mine, peer = socket.socketpair()
        os.dup2(mine.fileno(), self.fileno())
        mine.close()
        peer.sendall(_ANSWER)
        peer.shutdown(socket.SHUT_WR)
        peers.append(peer)

    def connect_ex(self: socket.socket, address: Any) -> int:
        connect(self, address)
        return 0

    socket.getaddrinfo = found
    socket.gethostbyname = lambda name: "127.0.0.1"
    socket.socket.connect = connect  # type: ignore[method-assign, assignment]
    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign, assignment]


_DIFFERENCES: "dict[str, Callable[[], None]]" = {
    "clock": _clock,
    "environment": _environment,
    "time zone": _zone,
    "arguments": _arguments,
    "host": _host,
    "network": _network,
}
