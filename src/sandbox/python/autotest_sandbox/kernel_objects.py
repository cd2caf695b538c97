"""What a process has or reaches in the kernel that is no file, process or network: keys, and what programs share by a number or a name (Linux).

`Decoys` are made by who tries a sandbox, in a keyring of their own; `attempt_all` is run in the sandbox.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable

from keyrings import ADD_KEY, KEYCTL, join_own

KEYS = "keys of the kernel"
SHARED = "System V IPC"
QUEUES = "POSIX message queues"

_SESSION, _USER = -3, -4
_UPDATE, _REVOKE, _LINK, _UNLINK, _SEARCH, _READ, _SET_TIMEOUT, _GET_ID, _TO_PARENT = 2, 3, 8, 9, 10, 11, 15, 0, 18
_PRIVATE, _CREATE, _REMOVE, _SET_VALUE, _GET_VALUE, _NO_WAIT = 0, 0o1000, 0, 16, 12, 0o4000
_SIZE = 64

_libc = ctypes.CDLL(None, use_errno=True)
_libc.shmat.restype = ctypes.c_void_p
_libc.shmdt.argtypes = [ctypes.c_void_p]


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def _keyctl(*arguments: Any) -> int:
    return _checked(_libc.syscall(KEYCTL, *arguments))


def _add(name: str, keyring: int) -> int:
    return _checked(_libc.syscall(ADD_KEY, b"user", name.encode(), b"decoy", ctypes.c_size_t(5), keyring))


def _read_key(key: int) -> bytes:
    buffer = ctypes.create_string_buffer(_SIZE * 64)
    return buffer.raw[: _keyctl(_READ, key, buffer, ctypes.c_size_t(len(buffer)))]


def _attached(segment: int, act: Callable[[int], Any]) -> Any:
    at = _libc.shmat(segment, None, 0)
    if at in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "refused")
    try:
        return act(at)
    finally:
        _libc.shmdt(at)


class _Message(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_long), ("text", ctypes.c_char * 8)]


def _send(queue: int) -> None:
    _checked(_libc.msgsnd(queue, ctypes.byref(_Message(1, b"x")), ctypes.c_size_t(1), _NO_WAIT))


def _receive(queue: int) -> None:
    _checked(_libc.msgrcv(queue, ctypes.byref(_Message()), ctypes.c_size_t(8), ctypes.c_long(0), _NO_WAIT))


class Decoys:
    """Those that this kernel lets its user make; `told` names them to who attempts."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self._name = f"autotest-decoy-{os.getpid()}"
        self._removals: list[Callable[[], Any]] = []
        self._looks: dict[str, Callable[[], Any]] = {}
        # A container may refuse these calls to everybody: then there is nothing to reach.
        for lay in (self._keys, self._segment, self._semaphore, self._queue, self._named_queue):
            try:
                lay()
            except (OSError, AttributeError):
                continue
        self._before = self._states()

    def _keys(self) -> None:
        if join_own() != 0:
            raise OSError("no keyring")
        # As a login links them: the keys in it can be read by who has the session.
        _keyctl(_LINK, _USER, _SESSION)
        found = {"name": self._name}
        for place, keyring in (("session", _SESSION), ("user", _USER)):
            ring, key = _keyctl(_GET_ID, keyring, 1), _add(f"{self._name}-{place}", keyring)
            self._removals.append(lambda key=key, ring=ring: _keyctl(_UNLINK, key, ring))
            # Nothing of a probe that was killed stays in the user's keyring.
            _keyctl(_SET_TIMEOUT, key, 60)
            found.update({place: key, f"{place} keyring": ring})
            self._looks[f"the decoy's key of the {place}"] = lambda key=key: _read_key(key)
        # In that of the user somebody else may add something meanwhile.
        self._looks["the decoy's session keyring"] = lambda ring=found["session keyring"]: _read_key(ring)
        self.told["keys"] = found

    def _segment(self) -> None:
        segment = self.told["segment"] = _checked(_libc.shmget(_PRIVATE, _SIZE, _CREATE | 0o600))
        self._removals.append(lambda: _libc.shmctl(segment, _REMOVE, None))
        self._looks["the decoy's shared memory"] = lambda: _attached(segment, lambda at: ctypes.string_at(at, _SIZE))

    def _semaphore(self) -> None:
        semaphore = self.told["semaphore"] = _checked(_libc.semget(_PRIVATE, 1, _CREATE | 0o600))
        self._removals.append(lambda: _libc.semctl(semaphore, 0, _REMOVE))
        self._looks["the decoy's semaphore"] = lambda: _libc.semctl(semaphore, 0, _GET_VALUE)

    def _queue(self) -> None:
        queue = self.told["queue"] = _checked(_libc.msgget(_PRIVATE, _CREATE | 0o600))
        self._removals.append(lambda: _libc.msgctl(queue, _REMOVE, None))
        _send(queue)
        # Who sent and received last, and when.
        self._looks["the decoy's message queue"] = lambda: _queue_state(queue)

    def _named_queue(self) -> None:
        name = f"/{self._name}".encode()
        _libc.mq_close(_checked(_libc.mq_open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600, None)))
        self.told["named queue"] = name.decode()
        self._removals.append(lambda: _libc.mq_unlink(name))

    def _states(self) -> dict[str, Any]:
        found = {}
        for name, look in self._looks.items():
            try:
                found[name] = look()
            except OSError:
                found[name] = None
        return found

    def seen(self) -> list[dict[str, Any]]:
        """Returns what became of them, whatever was said of the attempts."""
        after = self._states()
        return [
            {"attempt": f"change {name}", "promise": KEYS if "key" in name else SHARED, "held": after[name] == state}
            for name, state in self._before.items()
        ]

    def remove(self) -> None:
        for each in self._removals:
            try:
                each()
            except OSError:
                continue


def _queue_state(queue: int) -> bytes:
    buffer = ctypes.create_string_buffer(256)
    _checked(_libc.msgctl(queue, 2, buffer))
    return buffer.raw


def attempt_all(attempt: Callable[[str, str, Callable[[], Any]], None], told: dict[str, Any]) -> None:
    if "keys" in told:
        _attempt_keys(attempt, told["keys"])
    for name, act in (
        ("segment", lambda: _attached(told["segment"], lambda at: ctypes.memset(at, 1, _SIZE))),
        ("semaphore", lambda: _checked(_libc.semctl(told["semaphore"], 0, _SET_VALUE, 7))),
        ("queue", lambda: _send(told["queue"])),
    ):
        if name in told:
            attempt(f"change a System V {name}", SHARED, act)
    if "queue" in told:
        attempt("receive from a System V queue", SHARED, lambda: _receive(told["queue"]))
    if "named queue" in told:
        name = told["named queue"].encode()
        attempt("open a POSIX message queue", QUEUES, lambda: _libc.mq_close(_checked(_libc.mq_open(name, os.O_RDWR))) and None)


def _attempt_keys(attempt: Callable[[str, str, Callable[[], Any]], None], keys: dict[str, Any]) -> None:
    def listed() -> bool:
        with open("/proc/keys", encoding="utf-8", errors="replace") as file:
            return keys["name"] in file.read()

    def found(place: str) -> None:
        _read_key(_keyctl(_SEARCH, _SESSION, b"user", f"{keys['name']}-{place}".encode(), 0))

    def linked(ring: int, place: str) -> None:
        _keyctl(_LINK, ring, _SESSION)
        found(place)

    def add() -> None:
        _add("autotest-decoy-new", _SESSION)
        # In a keyring of its own it harms nobody: the decoy's is looked at.
        raise OSError

    attempt("see the names of keys", KEYS, listed)
    attempt("find a key of the session", KEYS, lambda: found("session"))
    attempt("add a key to the session", KEYS, add)
    attempt("reach the user's keyring by its name", KEYS, lambda: linked(_USER, "user"))
    for place in ("session", "user"):
        attempt(f"reach the keyring of the {place} by its number", KEYS, lambda place=place: linked(keys[f"{place} keyring"], place))
        attempt(f"read a key of the {place}", KEYS, lambda place=place: _read_key(keys[place]) and None)
        attempt(f"update a key of the {place}", KEYS, lambda place=place: _keyctl(_UPDATE, keys[place], b"x", ctypes.c_size_t(1)))
    attempt("add a key to the session by its number", KEYS, lambda: _add("autotest-decoy-new", keys["session keyring"]))
    attempt("give the parent a keyring", KEYS, lambda: _keyctl(_TO_PARENT))
    attempt("revoke a key of the session", KEYS, lambda: _keyctl(_REVOKE, keys["session"]))
