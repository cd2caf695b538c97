"""Keys of this process. A child that runs the project's code overwrites those that it inherits."""

from __future__ import annotations

_held: list[bytearray] = []


def hold(secret: bytearray) -> bytearray:
    """Keeps a key until it is let go or this process is forked."""
    _held.append(secret)
    return secret


def let_go(secret: bytearray) -> None:
    for at, each in enumerate(_held):
        if each is secret:
            del _held[at]
            break
    _overwrite(secret)


def forget_all_but(kept: bytearray) -> None:
    for each in _held:
        if each is not kept:
            _overwrite(each)
    _held.clear()


def _overwrite(secret: bytearray) -> None:
    secret[:] = bytes(len(secret))
