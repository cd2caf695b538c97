"""Lets a function find what a test arranges: variables, arguments of the program, input, clock, random numbers, files.

A call that arranges nothing finds what there is, and what it asks for is noted.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import random
import shutil
import sys
from typing import Iterator

from ..values.recorders import made
from ..values.temporary_paths import temporary_folder
from .current_call import FOLDER, Around, Call, state
from .noted_system import NotedArguments, NotedInput

_NOTED_ARGUMENTS = NotedArguments(sys.argv)


@contextlib.contextmanager
def arranged(around: Around) -> Iterator[Call]:
    """Arranges what is around a call, for one call."""
    call = Call(around)
    made.clear()
    if not state.root:
        yield call
        return
    variables, argv, stdin = dict(os.environ) if around else None, sys.argv, sys.stdin
    before = random.getstate() if state.uses_random else None
    try:
        _prepare(call)
        state.call = call
        yield call
    finally:
        state.call = None
        if before is not None:
            if "seed" not in around and random.getstate() != before:
                call.asked.add("seed")
            random.setstate(before)
        sys.argv, sys.stdin = argv, stdin
        if call.has_moved:
            os.chdir(state.root)
        if variables is not None and dict(os.environ) != variables:
            os.environ.clear()
            os.environ.update(variables)


def _prepare(call: Call) -> None:
    around = call.around
    if any(name.startswith("file ") for name in around):
        _empty_folder()
    for name, value in around.items():
        kind, _, rest = name.partition(" ")
        if kind == "variable":
            if value is None:
                os.environ.pop(rest, None)
            else:
                os.environ[rest] = value
        elif kind == "file" and value is not None:
            try:
                _make_file(pathlib.Path(temporary_folder() or "", rest), value)
            except (OSError, ValueError):
                call.is_impossible = True
    sys.argv = list(around["argv"]) if "argv" in around else _NOTED_ARGUMENTS
    sys.stdin = io.StringIO(around["stdin"]) if "stdin" in around else NotedInput()
    if "seed" in around:
        random.seed(around["seed"])
    if "cwd" in around:
        call.has_moved = True
        os.chdir(temporary_folder() or ".")


def _make_file(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if text == FOLDER:
        path.mkdir(exist_ok=True)
    else:
        path.write_text(text, encoding="utf-8")


def _empty_folder() -> None:
    folder = temporary_folder() or ""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
