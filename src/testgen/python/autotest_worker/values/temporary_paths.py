"""Paths in the folder that pytest gives to a test as `tmp_path`."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass
from typing import Any, Optional

#: Stands in place of a module among the imports of a test, for fixtures that it needs.
FIXTURE = "<fixture>"

_folder: Optional[str] = None


def use_folder(path: str) -> None:
    """Takes a folder for that of the tests that are observed."""
    global _folder
    _folder = path


def temporary_folder() -> Optional[str]:
    return _folder


def names_folder(values: Any) -> bool:
    """Whether values hold a text with the folder in it: what was compared with one may have been such a path."""
    return _folder is not None and _folder in repr(values)


@dataclass(frozen=True)
class TemporaryPath:
    """A path below `tmp_path`, which is itself the empty one; as a text or as an object."""

    name: str
    is_text: bool

    def make(self) -> Any:
        path = pathlib.Path(_folder or "", self.name)
        return str(path) if self.is_text else path


def path_source(name: str) -> str:
    """Returns the expression for a path below `tmp_path`."""
    return f'tmp_path / "{name}"' if name else "tmp_path"


def source_of_text(text: str) -> Optional[str]:
    """Returns the expression for a text that holds the folder's path; None for one that does not, or has more to escape."""
    if _folder is None or _folder not in text:
        return None
    if text == _folder:
        return "str(tmp_path)"
    rest = text[len(_folder) + 1 :]
    if text.startswith(f"{_folder}/") and _is_plain(rest):
        return f'str(tmp_path / "{rest}")'
    around = text.replace(_folder, "")
    if not _is_plain(around.replace("\n", "")):
        return None
    return 'f"' + text.replace(_folder, "{tmp_path}").replace("\n", "\\n") + '"'


def _is_plain(text: str) -> bool:
    return text.isprintable() and not any(each in text for each in "\"\\{}")


def source_of_path(path: pathlib.PurePath) -> Optional[str]:
    """Returns the expression for a path in the folder; None for one that is elsewhere."""
    if _folder is None:
        return None
    try:
        rest = path.relative_to(_folder).as_posix()
    except ValueError:
        return None
    return path_source("" if rest == "." else rest)
