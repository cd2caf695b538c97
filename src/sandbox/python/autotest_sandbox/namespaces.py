"""Enters namespaces of its own as an ordinary user may: of users, mounts, processes, network, and what processes share.

Of the file system only what is named is there, read-only but for what may be written. The steps are those of bubblewrap.
"""

from __future__ import annotations

import ctypes
import os
import struct

# What `signal` documents, without its enumerations.
import _signal as signal
import rights

_NEW_NS, _NEW_CGROUP, _NEW_UTS, _NEW_IPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PID, _NEW_NET = 0x10000000, 0x20000000, 0x40000000
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE, _MS_SLAVE = 2, 4, 8, 4096, 16384, 1 << 18, 1 << 19
_MNT_DETACH = 2
_PR_SET_PDEATHSIG = 1
#: Equal on all architectures since Linux 5.12.
_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41, "ppc64le": 203, "s390x": 217, "armv7l": 218, "i686": 217}
#: Who root is in there: nobody that the system's own files belong to.
_NOBODY = 65534
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_OLD, _NEW = "/.outside", "/.inside"

_libc = ctypes.CDLL(None, use_errno=True)


def enter(wanted: dict, first) -> None:
    """Runs `first` as the first process of new namespaces, and ends as it ends."""
    user, group = os.geteuid(), os.getegid()
    everything = _NEW_USER | _NEW_NS | _NEW_PID | _NEW_NET | _NEW_IPC | _NEW_UTS | _NEW_CGROUP
    _checked(_libc.unshare(everything), "namespaces")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user or _NOBODY} {user} 1")
    _write("/proc/self/gid_map", f"{group or _NOBODY} {group} 1")
    child = os.fork()
    if child == 0:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _raise_loopback()
        _build(wanted)
        os.chdir(wanted["cwd"])
        first()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    rights.hide()
    rights.drop_capabilities()
    rights.follow(child)


def _build(wanted: dict) -> None:
    """Puts together the file system that is seen, and leaves the other."""
    # Sources are resolved while everything is still in its place.
    binds = [
        *((path, path, True) for path in wanted["readable"]),
        *((path, path, False) for path in wanted["writable"]),
        *((folder, at, how == "ro") for folder, at, how in wanted["placed"]),
    ]
    resolved = [(os.path.realpath(source), at, os.path.realpath(at), only) for source, at, only in binds if os.path.exists(source)]
    devices = [name for name in _DEVICES if os.path.exists(f"/dev/{name}")]
    _mount("none", "/", None, _MS_REC | _MS_SLAVE)
    _mount("tmpfs", "/tmp", "tmpfs", _MS_NOSUID | _MS_NODEV)
    for folder in (_OLD, _NEW):
        os.mkdir(f"/tmp{folder}", 0o755)
    _mount(f"/tmp{_NEW}", f"/tmp{_NEW}", None, _MS_BIND)
    _pivot("/tmp", f"/tmp{_OLD}")
    os.chdir("/")
    _mount("none", _OLD, None, _MS_REC | _MS_PRIVATE)
    for folder in ("/tmp", "/var/tmp", "/dev", "/proc"):
        os.makedirs(_NEW + folder, exist_ok=True)
    for folder in ("/tmp", "/var/tmp"):
        _mount("tmpfs", _NEW + folder, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=1777")
    _devices(devices)
    # A folder comes before what lies in it; of two in one place the later holds.
    for source, at, real, read_only in sorted(resolved, key=lambda each: each[2].count("/") if each[2] != "/" else 0):
        _bind(_OLD + source, _NEW + real, read_only)
        _link(at, real)
    _mount("proc", f"{_NEW}/proc", "proc", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    if os.path.exists(f"{_NEW}/proc/keys"):
        # It names the keys of the user, whoever that is in here.
        _mount(f"{_OLD}/dev/null", f"{_NEW}/proc/keys", None, _MS_BIND)
    # The system's settings are files there, which belong to root whoever that is in here.
    _attributes(f"{_NEW}/proc", _ATTR_RDONLY)
    _checked(_libc.umount2(_OLD.encode(), _MNT_DETACH), "the outside is left")
    os.chdir(_NEW)
    _pivot(".", ".")
    _checked(_libc.umount2(b".", _MNT_DETACH), "the first root is left")
    os.chdir("/")


def _bind(source: str, at: str, read_only: bool) -> None:
    if os.path.isdir(source):
        os.makedirs(at, exist_ok=True)
    elif not os.path.exists(at):
        os.makedirs(os.path.dirname(at), exist_ok=True)
        open(at, "x").close()
    _mount(source, at, None, _MS_BIND | _MS_REC)
    _attributes(at, (_ATTR_RDONLY if read_only else 0) | _ATTR_NOSUID | _ATTR_NODEV)


def _link(at: str, real: str) -> None:
    """Lets a path be found by the name that it was given, where links lead to it."""
    place = _NEW + at
    if at != real and not os.path.lexists(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(os.path.relpath(real, os.path.dirname(at)), place)


def _devices(names: list[str]) -> None:
    _mount("tmpfs", f"{_NEW}/dev", "tmpfs", _MS_NOSUID, "mode=755")
    for name in names:
        open(f"{_NEW}/dev/{name}", "x").close()
        _mount(f"{_OLD}/dev/{name}", f"{_NEW}/dev/{name}", None, _MS_BIND)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{_NEW}/dev/{name}")
    for name in ("shm", "pts"):
        os.mkdir(f"{_NEW}/dev/{name}")
    os.chmod(f"{_NEW}/dev/shm", 0o1777)
    _mount("devpts", f"{_NEW}/dev/pts", "devpts", _MS_NOSUID | _MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620")
    os.symlink("pts/ptmx", f"{_NEW}/dev/ptmx")


def _raise_loopback() -> None:
    """Lets programs in there talk with each other."""
    import _socket
    import fcntl

    one = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    fcntl.ioctl(one, 0x8914, struct.pack("16sh22x", b"lo", 0x41))
    one.close()


def _attributes(path: str, flags: int) -> None:
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    found = _libc.syscall(
        _MOUNT_SETATTR, _AT_FDCWD, path.encode(), _AT_RECURSIVE, attributes, ctypes.c_size_t(len(attributes))
    )
    _checked(found, f"{path} is restricted")


def _mount(source: str, at: str, kind: "str | None", flags: int, options: str = "") -> None:
    found = _libc.mount(
        os.fsencode(source), os.fsencode(at), None if kind is None else kind.encode(), ctypes.c_ulong(flags), options.encode()
    )
    _checked(found, f"mount of {at}")


def _pivot(new: str, old: str) -> None:
    number = _PIVOT_ROOT.get(os.uname().machine)
    if number is None:
        raise OSError(f"the number of pivot_root is not known for {os.uname().machine}")
    _checked(_libc.syscall(number, new.encode(), old.encode()), "pivot_root")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def _checked(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
