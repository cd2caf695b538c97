"""Runs functions in forked children, each with a deadline: what they import, change or break is gone with them."""

from __future__ import annotations

import hmac
import json
import os
import select
import signal
import struct
import time
from typing import Any, Callable, Optional

from . import project_files, secrets_held, separation
from .forged import Forged

_MOST_DESCRIPTORS = 1024
#: Exit code of a child that could not report what its function returned.
_NO_REPORT = 70
#: How often the end of processes that were left behind is looked for.
_ORPHANS_SECONDS = 0.05
_SIZE, _CODE_BYTES = struct.Struct(">Q"), 32


class ChildFailed(Exception):
    """A child ended without a result: `kind` is `timeout`, or `crash` with the signal or exit code.

    `work_seconds` are those of processor time that it took, as the system says.
    """

    def __init__(self, kind: str, detail: str, exit_code: Optional[int] = None, work_seconds: float = 0.0) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.exit_code = exit_code
        self.work_seconds = work_seconds


class Unsuitable(Exception):
    """What was asked for cannot be done with this function; the message says why, to a person."""


def run_in_child(function: Callable[[], Any], seconds: float, max_bytes: int = 16_000_000) -> Any:
    """Returns what the function returns in a forked child, which must be JSON. Raises ChildFailed and Forged.

    Nothing of it lasts in the process that judges: what it left running is ended, and the project's code is as before.
    """
    if not separation.is_judge():
        return start_child(function).result(seconds, max_bytes)
    with project_files.unchanged():
        try:
            return start_child(function).result(seconds, max_bytes)
        finally:
            if not separation.end_left_behind():
                raise Forged("processes that it left behind do not end")


def work_seconds() -> float:
    """Returns the seconds of processor time of this process and of its ended children.

    What is limited by it comes to the same on a busy machine, as long as nobody waits.
    """
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Child:
    """A forked process that reports once, at its end, with a code of a key that only it and this process have."""

    def __init__(self, pid: int, pipe: int, key: bytearray) -> None:
        self.pid = pid
        self._pipe = pipe
        self._key = key
        self._started = time.monotonic()
        self._work_seconds = 0.0
        self._handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else None

    def result(self, seconds: float, max_bytes: int = 16_000_000) -> Any:
        data = bytearray()
        try:
            self._read(data, self._started + seconds, seconds, max_bytes)
        finally:
            status = self._end()
            late = _rest(self._pipe)
            os.close(self._pipe)
            key = bytes(self._key)
            secrets_held.let_go(self._key)
        # A child that did not come to its end may have left anything in the pipe.
        if status is None or not os.WIFEXITED(status) or os.WEXITSTATUS(status) != 0 or not data:
            has_exited = status is not None and os.WIFEXITED(status)
            exit_code = os.WEXITSTATUS(status) if status is not None and has_exited else None
            raise ChildFailed("crash", _describe(status), exit_code, self._work_seconds)
        report = _opened(bytes(data) + late, key)
        outcome = json.loads(report.decode("utf-8", "surrogatepass"))
        if outcome.get("kind") == "forged":
            raise Forged(outcome["error"])
        if "error" in outcome:
            raise ChildFailed(outcome.get("kind", "crash"), outcome["error"])
        return outcome["result"]

    def _read(self, data: bytearray, deadline: float, seconds: float, most: int) -> None:
        """Reads until the child has ended. What it started may hold the pipe open, and is not waited for."""
        waiting = [self._pipe] if self._handle is None else [self._pipe, self._handle]
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ChildFailed("timeout", f"{seconds:.1f} s")
            ready = select.select(waiting, [], [], min(left, _ORPHANS_SECONDS))[0]
            if separation.is_judge():
                separation.reap_orphans(self.pid)
            if self._pipe in ready:
                part = os.read(self._pipe, 65536)
                data += part
                if len(data) > most:
                    raise ChildFailed("crash", f"a result of more than {most} bytes")
                if not part:
                    waiting.remove(self._pipe)
            elif self._handle in ready or self._handle is None and self._has_ended():
                return

    def _has_ended(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _end(self) -> Optional[int]:
        if self._handle is not None:
            os.close(self._handle)
        for kill in (os.killpg, os.kill):
            try:
                kill(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        try:
            _, status, usage = os.wait4(self.pid, 0)
        except ChildProcessError:
            return None
        self._work_seconds = usage.ru_utime + usage.ru_stime
        return status


def start_child(function: Callable[[], Any]) -> Child:
    """Forks; the child's output is dropped, and it never returns."""
    separation.prepare_domain()
    reader, writer = os.pipe()
    key = secrets_held.hold(bytearray(os.urandom(_CODE_BYTES)))
    pid = os.fork()
    if pid != 0:
        os.close(writer)
        return Child(pid, reader, key)
    status = _NO_REPORT
    try:
        # Neither the harness's requests and answers nor other children's results are within its reach.
        secrets_held.forget_all_but(key)
        separation.leave_judge()
        os.closerange(3, writer)
        os.closerange(writer + 1, _MOST_DESCRIPTORS)
        os.setpgid(0, 0)
        _drop_output()
        own = os.getpid()
        try:
            outcome = {"result": function()}
        except Unsuitable as error:
            outcome = {"error": str(error), "kind": "unsuitable"}
        except Forged as error:
            outcome = {"error": str(error), "kind": "forged"}
        except BaseException as error:  # noqa: BLE001 - whatever the project's code raises
            outcome = {"error": f"{type(error).__name__}: {error}"[:2000]}
        # A copy that the project's code made of this process, and that came back, reports nothing.
        if os.getpid() == own:
            view = memoryview(_closed(json.dumps(outcome).encode("utf-8", "surrogatepass"), bytes(key)))
            while view:
                view = view[os.write(writer, view) :]
        status = 0
    finally:
        os._exit(status)


def _closed(report: bytes, key: bytes) -> bytes:
    return _SIZE.pack(len(report)) + hmac.digest(key, report, "sha256") + report


def _opened(data: bytes, key: bytes) -> bytes:
    """Returns the one report that the child closed with its key. Raises Forged for anything else."""
    head = _SIZE.size + _CODE_BYTES
    size = _SIZE.unpack_from(data)[0] if len(data) >= head else -1
    report = data[head : head + size] if size >= 0 else b""
    if size < 0 or len(report) != size or not hmac.compare_digest(data[_SIZE.size : head], hmac.digest(key, report, "sha256")):
        raise Forged("it ended with a report that the harness did not write")
    if len(data) > head + size:
        raise Forged("it reported more than once")
    return report


def _rest(pipe: int) -> bytes:
    """Returns what is in a pipe now, whoever still holds it."""
    os.set_blocking(pipe, False)
    data = bytearray()
    try:
        while len(data) < 65536 and (part := os.read(pipe, 65536)):
            data += part
    except BlockingIOError:
        pass
    return bytes(data)


def _drop_output() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _describe(status: Optional[int]) -> str:
    if status is None:
        return "it ended"
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit code {os.WEXITSTATUS(status)}"
