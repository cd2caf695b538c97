"""Replaces members of classes that Python itself defines, such as `datetime.now`, which assignment refuses.

The class stays the same object: a class in its place would no longer be the one that schemas and converters of packages know.
"""

from __future__ import annotations

import ctypes
import gc
from typing import Any


def put_member(cls: type, name: str, member: Any) -> Any:
    """Puts a member into a class; returns the one that was there, None if it was inherited."""
    [members] = gc.get_referents(cls.__dict__)
    before = members.get(name)
    if member is None:
        members.pop(name, None)
    else:
        members[name] = member
    # What the interpreter remembers of the class's members is out of date.
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(cls))
    return before
