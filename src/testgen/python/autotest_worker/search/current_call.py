"""The call that is under way: what it finds arranged, what it asks for, what it does to the outside."""

from __future__ import annotations

import datetime
import logging
import pathlib
from typing import Any, Optional

from ..values.recorders import made
from ..values.temporary_paths import temporary_folder

#: What a test arranges, by name: `variable NAME`, `file NAME`, `argv`, `stdin`, `now`, `seed`, `cwd`.
Around = dict[str, Any]
#: What stands for a folder among files.
FOLDER = "<folder>"
_MOST_FILES = 20
_MOST_TEXT = 1500


class Call:
    """What one call asked for and did."""

    def __init__(self, around: Around) -> None:
        self.around = around
        self.asked: set[str] = set()
        #: Paths that it looked at, as it named them, and those of folders.
        self.touched: set[str] = set()
        self.folders: set[str] = set()
        self.opened: set[str] = set()
        #: Whether what is arranged contradicts itself: a file where a folder has to be.
        self.is_impossible = False
        #: Whether the working directory may be another one.
        self.has_moved = False
        self.sleeps: list[Any] = []
        #: Dotted names of what it called to wait.
        self.sleep_names: set[str] = set()
        self.records: list[logging.LogRecord] = []
        #: Objects that record calls, of the arguments first.
        self.recorders: list[Any] = []
        self.files: dict[str, Optional[str]] = {}

    @property
    def moment(self) -> Optional[datetime.datetime]:
        found: Optional[datetime.datetime] = self.around.get("now")
        return found

    def end(self) -> None:
        """Notes no more: what follows is no longer done by the function."""
        state.call = None
        self.recorders = list(made)
        if any(name.startswith("file ") for name in self.around):
            self.files = _files_in(temporary_folder() or "")


def _files_in(folder: str) -> dict[str, Optional[str]]:
    """Returns the texts of files below a folder by name; None for one that is not text."""
    found: dict[str, Optional[str]] = {}
    for path in sorted(pathlib.Path(folder).rglob("*"))[:_MOST_FILES]:
        name = path.relative_to(folder).as_posix()
        if path.is_dir():
            found[name] = FOLDER
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            found[name] = None
            continue
        found[name] = text if len(text) <= _MOST_TEXT else None
    return found


class _State:
    """What this process knows of calls."""

    call: Optional[Call] = None
    #: The folder of the project, with a slash; empty before anything is noted.
    root = ""
    #: Whether the project can reach the random numbers that all modules share.
    uses_random = False


state = _State()
