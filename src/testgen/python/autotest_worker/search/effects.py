"""What a call did to the outside, as expressions of a test and their values: what it logged, how long it waited, what it wrote."""

from __future__ import annotations

import logging
from typing import Any

from ..values.render import NotRenderable, render
from ..values.temporary_paths import path_source
from ..values.recorders import named_recorders
from .current_call import FOLDER, Call
from .target import Input, values_of

_MOST_MESSAGES = 12


def effects_of(call: Call, given: Input) -> dict[str, str]:
    """Returns sources by the expressions that are equal to them."""
    found: dict[str, str] = {}
    names = named_recorders(values_of(given))
    if len(names) == len(call.recorders):
        for name, recorder in zip(names, call.recorders):
            if len(recorder.calls) <= _MOST_MESSAGES:
                _add(found, f"{name}.calls", recorder.calls)
    messages = [_message(each) for each in call.records]
    if messages and len(messages) <= _MOST_MESSAGES and all(each is not None and " at 0x" not in each for each in messages):
        _add(found, "caplog.messages", messages)
    if 0 < len(call.sleeps) <= _MOST_MESSAGES:
        _add(found, "waited", call.sleeps)
    before = {name[5:]: value for name, value in call.around.items() if name.startswith("file ") and value is not None}
    above = {name.rsplit("/", at)[0] for name in before for at in range(1, name.count("/") + 1)}
    for name in sorted({*before, *call.files}):
        path = f"({path_source(name)})"
        if '"' in name or "\\" in name:
            continue
        if name not in call.files:
            found[f"{path}.exists()"] = "False"
        elif name not in before or before[name] != call.files[name]:
            text = call.files[name]
            if text == FOLDER:
                if name not in above and not any(each.startswith(f"{name}/") for each in call.files):
                    found[f"{path}.is_dir()"] = "True"
            elif text is not None:
                _add(found, f"{path}.read_text({'' if text.isascii() else _ENCODING})", text)
    return found


_ENCODING = 'encoding="utf-8"'


def needs_low_level(call: Call) -> bool:
    """Whether something was logged that is not shown without being asked for."""
    return any(each.levelno < logging.WARNING for each in call.records)


def _message(record: logging.LogRecord) -> "str | None":
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001 - arguments that do not fit the format
        return None


def _add(found: dict[str, str], expression: str, value: Any) -> None:
    try:
        found[expression] = render(value)[0]
    except NotRenderable:
        return
