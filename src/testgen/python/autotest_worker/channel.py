"""The lines between the harness and its worker, each with a code by which both know who wrote it.

What the worker runs may find a way to its pipes, but not its key: the key comes first, before anything of the project ran,
and every child forgets it.
"""

from __future__ import annotations

import hmac
import json
import os
import subprocess
import sys
from typing import Any, Iterator

from . import secrets_held

_KEY_BYTES = 32


class NotTheHarness(Exception):
    """A line that was not written with the key, or not in its turn."""


def _code(key: "bytes | bytearray", direction: bytes, text: bytes) -> bytes:
    return hmac.digest(bytes(key), direction + b" " + text, "sha256").hex().encode()


class Channel:
    """The worker's end. It takes the descriptors of standard input and output, and leaves nothing in their place."""

    def __init__(self) -> None:
        self._key = secrets_held.hold(bytearray(_KEY_BYTES))
        _read_into(0, memoryview(self._key))
        # What the project's code prints must not stand between the answers.
        self._answers = os.dup(1)
        os.dup2(2, 1)
        self._requests = os.fdopen(os.dup(0), "rb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yields each request. Raises NotTheHarness for a line of anybody else, a repeated or a left out one."""
        for number, line in enumerate(self._requests):
            code, _, text = line.rstrip(b"\n").partition(b" ")
            if not hmac.compare_digest(code, _code(self._key, b"request", text)):
                raise NotTheHarness("a request that the harness did not write")
            request: dict[str, Any] = json.loads(text.decode("utf-8", "surrogatepass"))
            if request["id"] != number:
                raise NotTheHarness(f"request {request['id']} in place of {number}")
            yield request

    def answer(self, answer: dict[str, Any]) -> None:
        text = json.dumps(answer).encode("ascii")
        view = memoryview(_code(self._key, b"answer", text) + b" " + text + b"\n")
        while view:
            view = view[os.write(self._answers, view) :]


def ask_new_worker(method: str, params: dict[str, Any], environment: dict[str, str], seconds: float) -> Any:
    """Returns the answer of a worker in a process of its own. Raises NotTheHarness where nobody with the key answered."""
    key = os.urandom(_KEY_BYTES)
    request = json.dumps({"id": 0, "method": method, "params": params}).encode("ascii")
    ended = subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(os.path.dirname(__file__)), "start_worker.py")],
        input=key + _code(key, b"request", request) + b" " + request + b"\n",
        capture_output=True,
        env=environment,
        timeout=seconds,
        check=False,
    )
    code, _, text = ended.stdout.rstrip(b"\n").partition(b" ")
    if not hmac.compare_digest(code, _code(key, b"answer", text)):
        last = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise NotTheHarness(": ".join([f"exit code {ended.returncode}", *last])[:300])
    return json.loads(text)


def _read_into(descriptor: int, view: memoryview) -> None:
    """Reads without a copy that would stay in memory."""
    while view:
        count = os.readv(descriptor, [view])
        if count == 0:
            raise SystemExit(0)
        view = view[count:]
