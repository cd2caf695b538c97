"""Sees to it that code which runs leaves the project's code as it is: what a test changed, the next one would be judged by."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import Iterator, Optional

from .forged import Forged

#: What Python, or pytest as it starts, loads from a project.
_LOADED = (".py", ".pyc", ".pyd", ".so", ".pth", ".egg-link")
_CONFIGURATIONS = {"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"}

_Stamp = tuple[int, int, int, int]
#: Contents by path, for as long as a file's stamp is the same.
_known: dict[str, tuple[_Stamp, bytes]] = {}


@contextlib.contextmanager
def unchanged(root: str = ".") -> Iterator[None]:
    """Raises Forged if files that are loaded were changed or removed meanwhile; new ones are taken away."""
    before = _digests(root)
    try:
        yield
    finally:
        after = _digests(root)
        for path in after.keys() - before.keys():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        changed = sorted(path for path, digest in before.items() if after.get(path) != digest)
        if changed:
            raise Forged(f"it changed {', '.join(os.path.relpath(path, root) for path in changed[:3])}")


def _digests(root: str) -> dict[str, Optional[bytes]]:
    found: dict[str, Optional[bytes]] = {}
    folders = [root]
    while folders:
        try:
            entries = list(os.scandir(folders.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.is_symlink() or entry.name.endswith(_LOADED) or entry.name in _CONFIGURATIONS:
                found[entry.path] = _digest(entry)
    return found


def _digest(entry: "os.DirEntry[str]") -> Optional[bytes]:
    """Returns the hash of a file, which is read again only if it was touched; None for what is no readable file."""
    try:
        if entry.is_symlink():
            return os.fsencode(os.readlink(entry.path))
        status = entry.stat(follow_symlinks=False)
        stamp = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known = _known.get(entry.path)
        if known is not None and known[0] == stamp:
            return known[1]
        if not entry.is_file(follow_symlinks=False):
            return None
        with open(entry.path, "rb") as file:
            digest = hashlib.blake2b(file.read(), digest_size=16).digest()
        _known[entry.path] = (stamp, digest)
        return digest
    except (FileNotFoundError, PermissionError):
        return None
