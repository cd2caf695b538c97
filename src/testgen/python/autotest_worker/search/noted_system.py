"""Replaces, in the process of a search, what Python offers of the system: what a call asks for is noted, or is what a test arranges."""

from __future__ import annotations

import datetime
import io
import logging
import os
import pathlib
import random
import sys
import tempfile
import time
from typing import Any, Callable

from ..class_members import put_member
from ..values.temporary_paths import temporary_folder, use_folder
from .current_call import state

_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ())) or frozenset({"asyncio", "logging", "threading", "queue", "os", "time"})
#: Modules through which the project reads variables.
_OF_VARIABLES = {"os", "_collections_abc", "collections.abc", "typing"}
_OPENING = {"open", "os.chdir", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.truncate", "glob.glob"}
_MOST_PATHS = 20
_REAL_STAT = os.stat


def install(root: str) -> None:
    """Replaces what Python offers, for the rest of this process. `root` is the folder of the project."""
    if state.root:
        return
    state.root = os.path.realpath(root) + os.sep
    state.uses_random = any(map(_draws, _project_modules()))
    use_folder(os.path.join(os.path.realpath(tempfile.mkdtemp(prefix="tests-")), "test_0"))
    os.makedirs(temporary_folder() or "")
    _note_variables()
    _note_clock()
    _note_files()
    handler = _Records(0)
    root_logger = logging.getLogger()
    root_logger.addHandler(handler)
    root_logger.setLevel(logging.DEBUG)

def _project_modules() -> list[Any]:
    files = ((each, getattr(each, "__file__", None) or "") for each in list(sys.modules.values()))
    return [each for each, file in files if file.startswith(state.root) and "-packages" not in file]


def _draws(module: Any) -> bool:
    """Whether a module can reach the random numbers that all modules share."""
    shared = getattr(random.random, "__self__", None)
    return any(each is random or shared is not None and getattr(each, "__self__", None) is shared for each in vars(module).values())

def _is_of_project(frame: Any) -> bool:
    file = frame.f_code.co_filename
    return bool(file.startswith(state.root)) and "-packages" not in file


def _note_variables() -> None:
    environ: Any = type(os.environ)
    get = environ.__getitem__

    def noted(self: Any, name: Any) -> Any:
        if state.call is not None and f"variable {name}" not in state.call.around:
            frame = sys._getframe(1)
            while frame.f_globals.get("__name__") in _OF_VARIABLES and frame.f_back is not None:
                frame = frame.f_back
            if _is_of_project(frame) and isinstance(name, str) and name.isidentifier():
                state.call.asked.add(f"variable {name}")
        return get(self, name)

    environ.__getitem__ = noted


def _note_clock() -> None:
    replaced: dict[int, Any] = {}
    for name in ("time", "time_ns", "monotonic", "perf_counter", "localtime", "gmtime", "strftime", "ctime"):
        replaced[id(getattr(time, name))] = (getattr(time, name), _clock_function(name, getattr(time, name)))
        setattr(time, name, replaced[id(getattr(time, name))][1])
    sleep = time.sleep
    time.sleep = _sleep_function(sleep, "time.sleep")
    for module in _project_modules():
        for name, value in list(vars(module).items()):
            if value is sleep:
                setattr(module, name, _sleep_function(sleep, f"{module.__name__}.{name}"))
            elif id(value) in replaced and replaced[id(value)][0] is value:
                setattr(module, name, replaced[id(value)][1])
    moment = datetime.datetime
    real_now, utcnow = moment.now, moment.utcnow

    def now(cls: Any, tz: Any = None) -> Any:
        if state.call is not None and state.call.moment is not None:
            at = state.call.moment if tz is None else state.call.moment.replace(tzinfo=datetime.timezone.utc).astimezone(tz)
            return at if cls is moment else cls(*at.timetuple()[:6], at.microsecond, at.tzinfo)
        _note_asked_for_clock()
        found = real_now(tz)
        return found if cls is moment else cls(*found.timetuple()[:6], found.microsecond, found.tzinfo)

    def now_in_utc(cls: Any) -> Any:
        if state.call is not None and state.call.moment is not None:
            return state.call.moment
        _note_asked_for_clock()
        return utcnow()

    put_member(moment, "now", classmethod(now))
    put_member(moment, "utcnow", classmethod(now_in_utc))


def _note_asked_for_clock() -> None:
    if state.call is not None and "now" not in state.call.around and _is_of_project(sys._getframe(2)):
        state.call.asked.add("now")


def _clock_function(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    def asked(*values: Any) -> Any:
        call = state.call
        if call is None or values and name != "strftime" or name == "strftime" and len(values) > 1:
            return real(*values)
        frame = sys._getframe(1)
        if call.moment is None:
            if "now" not in call.around and _is_of_project(frame):
                call.asked.add("now")
            return real(*values)
        if str(frame.f_globals.get("__name__", "")).split(".")[0] in _STANDARD:
            return real(*values)
        seconds = call.moment.replace(tzinfo=datetime.timezone.utc).timestamp()
        if name == "time_ns":
            return int(seconds * 10**9)
        if name in ("localtime", "gmtime", "ctime"):
            return real(seconds)
        return real(*values, time.gmtime(seconds)) if name == "strftime" else seconds

    return asked


def _sleep_function(real: Callable[[Any], None], name: str) -> Callable[[Any], None]:
    def sleep(seconds: Any) -> None:
        if state.call is None:
            return real(seconds)
        state.call.sleeps.append(seconds)
        state.call.sleep_names.add(name)
        return None

    return sleep


def _note_files() -> None:
    def stat(path: Any, *values: Any, **named: Any) -> Any:
        _touch(path)
        return _REAL_STAT(path, *values, **named)

    os.stat = stat
    of_path = pathlib.Path.stat

    def stat_of_path(self: Any, *values: Any, **named: Any) -> Any:
        _touch(self)
        return of_path(self, *values, **named)

    pathlib.Path.stat = stat_of_path  # type: ignore[method-assign]

    def heard(event: str, values: Any) -> None:
        if state.call is not None and event in _OPENING and values:
            if isinstance(values[0], int) and 0 <= values[0] <= 2:
                # A number in place of a path would be one of this process's own descriptors.
                raise TypeError("path should be a string, bytes or os.PathLike object, not int")
            _touch(values[0])
            if event == "open":
                state.call.opened.add(str(values[0]))
            if event == "os.chdir":
                state.call.has_moved = True
            if event in ("os.listdir", "os.scandir", "glob.glob"):
                state.call.folders.add(str(values[0]))

    sys.addaudithook(heard)


def _touch(path: Any) -> None:
    if state.call is not None and isinstance(path, (str, os.PathLike)) and len(state.call.touched) < _MOST_PATHS:
        state.call.touched.add(os.fspath(path) if isinstance(path, str) else str(path))

class NotedArguments(list):  # type: ignore[type-arg]
    """Notes that the arguments of the program are asked for."""

    def _note(self) -> None:
        if state.call is not None:
            state.call.asked.add("argv")

    def __getitem__(self, at: Any) -> Any:
        self._note()
        return super().__getitem__(at)

    def __iter__(self) -> Any:
        self._note()
        return super().__iter__()

    def __len__(self) -> int:
        self._note()
        return super().__len__()


class NotedInput(io.StringIO):
    """Notes that input is asked for: there is none."""

    def _note(self) -> None:
        if state.call is not None:
            state.call.asked.add("stdin")

    def read(self, *values: Any) -> str:
        self._note()
        return super().read(*values)

    def readline(self, *values: Any) -> str:  # type: ignore[override]
        self._note()
        return super().readline(*values)

    def __iter__(self) -> Any:
        self._note()
        return super().__iter__()


class _Records(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        if state.call is not None and record.pathname.startswith(state.root) and "-packages" not in record.pathname:
            state.call.records.append(record)
