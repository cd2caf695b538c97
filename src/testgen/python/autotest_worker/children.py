"""Runs functions in forked children, each with a deadline: what they import, change or break is gone with them."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from typing import Any, Callable, Optional

_MOST_DESCRIPTORS = 1024


class ChildFailed(Exception):
    """A child ended without a result: `kind` is `timeout`, or `crash` with the signal or exit code."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail


class Unsuitable(Exception):
    """What was asked for cannot be done with this function; the message says why, to a person."""


def run_in_child(function: Callable[[], Any], seconds: float, max_bytes: int = 16_000_000) -> Any:
    """Returns what the function returns in a forked child, which must be JSON. Raises ChildFailed."""
    child = start_child(function)
    return child.result(seconds, max_bytes)


def work_seconds() -> float:
    """Returns the seconds of processor time of this process and of its ended children.

    What is limited by it comes to the same on a busy machine, as long as nobody waits.
    """
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Child:
    """A forked process whose result comes through a pipe."""

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self._pipe = pipe
        self._started = time.monotonic()

    def result(self, seconds: float, max_bytes: int = 16_000_000) -> Any:
        data = bytearray()
        deadline = self._started + seconds
        try:
            while True:
                left = deadline - time.monotonic()
                if left <= 0 or not select.select([self._pipe], [], [], left)[0]:
                    raise ChildFailed("timeout", f"{seconds:.1f} s")
                part = os.read(self._pipe, 65536)
                if not part:
                    break
                data += part
                if len(data) > max_bytes:
                    raise ChildFailed("crash", f"a result of more than {max_bytes} bytes")
        finally:
            status = self._end()
        # A child that did not come to its end may have left anything in the pipe.
        if not data or status is None or not os.WIFEXITED(status) or os.WEXITSTATUS(status) != 0:
            raise ChildFailed("crash", _describe(status))
        outcome = json.loads(bytes(data).decode("utf-8", "surrogatepass"))
        if "error" in outcome:
            raise ChildFailed(outcome.get("kind", "crash"), outcome["error"])
        return outcome["result"]

    def _end(self) -> Optional[int]:
        os.close(self._pipe)
        for kill in (os.killpg, os.kill):
            try:
                kill(self.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        try:
            return os.waitpid(self.pid, 0)[1]
        except ChildProcessError:
            return None


def start_child(function: Callable[[], Any]) -> Child:
    """Forks; the child's output is dropped, and it never returns."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(writer)
        return Child(pid, reader)
    try:
        # Neither the harness's requests and answers nor other children's results are within its reach.
        os.closerange(3, writer)
        os.closerange(writer + 1, _MOST_DESCRIPTORS)
        os.setpgid(0, 0)
        _drop_output()
        try:
            outcome = {"result": function()}
        except Unsuitable as error:
            outcome = {"error": str(error), "kind": "unsuitable"}
        except BaseException as error:  # noqa: BLE001 - whatever the project's code raises
            outcome = {"error": f"{type(error).__name__}: {error}"[:2000]}
        data = json.dumps(outcome).encode("utf-8", "surrogatepass")
        view = memoryview(data)
        while view:
            view = view[os.write(writer, view) :]
    finally:
        os._exit(0)


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
