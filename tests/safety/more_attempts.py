"""Makes the attempts of the product, and many more: every way to change a file, by every way to get at it, as oneself and as root of a namespace."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys

sys.path.insert(0, sys.argv.pop(1))

import attempts  # noqa: E402
from attempts import apart, attempt, checked, deeper, opened, told  # noqa: E402

FILES = "files outside"
METADATA = "modes and times of files outside"


def chdir_and(act, path):
    def run():
        os.chdir(os.path.dirname(path))
        act(os.path.basename(path))

    return lambda: apart(run) or False


def through_link(act, path):
    def run():
        link = f"{told['workspace']}/link-{os.getpid()}-{len(attempts.found)}"
        os.symlink(path, link)
        try:
            act(link)
        finally:
            os.unlink(link)

    return run


def through_folder(act, path):
    def run():
        folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
        try:
            act(f"/proc/self/fd/{folder}/{os.path.basename(path)}")
        finally:
            os.close(folder)

    return run


def through_file(act, path):
    def run():
        file = os.open(path, os.O_PATH)
        try:
            act(f"/proc/self/fd/{file}")
        finally:
            os.close(file)

    return run


def in_chroot(act, path):
    def run():
        checked(attempts._libc.unshare(0x10000000))
        os.chroot("/")
        act(path)

    return lambda: apart(run) or False


def in_namespaces(act, path):
    return lambda: apart(deeper(lambda: act(path))) or False


ROUTES = {
    "by its path": lambda act, path: lambda: act(path),
    "from its folder": chdir_and,
    "through a link": through_link,
    "through its opened folder": through_folder,
    "through its opened file": through_file,
    "through /proc/self/root": lambda act, path: lambda: act(f"/proc/self/root{path}"),
    "through the folder of the parent": lambda act, path: lambda: act(f"/proc/{told['parent']}/root{path}"),
    "up from the workspace": lambda act, path: lambda: act(f"{told['workspace']}/../../../../../../../..{path}"),
    "in namespaces of its own": in_namespaces,
    "after a change of root": in_chroot,
}


def append(path):
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")


def shorten(path):
    os.truncate(path, 0)


def read(path):
    with open(path, encoding="utf-8") as file:
        file.read()


WAYS = {
    "read": (FILES, "read", read),
    "append to": (FILES, "write", append),
    "shorten": (FILES, "write", shorten),
    "delete": (FILES, "delete", os.unlink),
    "rename": (FILES, "rename", lambda path: os.rename(path, f"{path}-renamed")),
    "replace": (FILES, "link", lambda path: os.replace(f"{told['workspace']}/own", path)),
    "change the mode of": (METADATA, "mode", lambda path: os.chmod(path, 0o640)),
    "change the times of": (METADATA, "times", lambda path: os.utime(path, (2, 2))),
    "set an attribute of": (METADATA, "xattr", lambda path: os.setxattr(path, "user.more", b"x")),
}


def every_way():
    for folder in told["outside"][-1:]:
        for way, (promise, name, act) in WAYS.items():
            for route, through in ROUTES.items():
                if way == "replace" and route == "through a link":
                    # It is the link that is replaced, which lies in the workspace.
                    continue
                append(f"{told['workspace']}/own")
                attempt(f"{way} a file {route}", promise, through(act, f"{folder}/{name}"))


def every_setting():
    for path in (
        "kernel/panic", "kernel/sysrq", "kernel/ns_last_pid", "kernel/yama/ptrace_scope", "kernel/randomize_va_space",
        "net/ipv4/ip_forward", "vm/drop_caches", "fs/suid_dumpable", "user/max_user_namespaces", "kernel/domainname",
    ):  # fmt: skip
        attempt(f"open /proc/sys/{path}", "settings of the system", lambda path=path: opened(f"/proc/sys/{path}", os.O_WRONLY))
        attempt(
            f"open /proc/sys/{path} in namespaces of its own",
            "settings of the system",
            lambda path=path: apart(deeper(lambda: opened(f"/proc/sys/{path}", os.O_WRONLY))),
        )


def every_process():
    place = "other processes"
    libc = ctypes.CDLL(None, use_errno=True)
    for name in ("process", "parent"):
        pid = told[name]
        now = (ctypes.c_long * 2)(8, 8)
        attempt(f"read the memory of the {name}", place, lambda pid=pid: checked(libc.process_vm_readv(pid, now, 1, now, 1, 0)))
        attempt(f"look into the files of the {name}", place, lambda pid=pid: os.listdir(f"/proc/{pid}/fd"))
        attempt(f"read what the {name} has mapped", place, lambda pid=pid: opened(f"/proc/{pid}/maps", os.O_RDONLY))
        attempt(f"take a descriptor of the {name}", place, lambda pid=pid: checked(libc.syscall(438, checked_descriptor(libc, pid), 0, 0)))
        attempt(f"enter the namespaces of the {name}", place, lambda pid=pid: apart(lambda: opened(f"/proc/{pid}/ns/mnt", os.O_RDONLY)) or False)
    for number in (signal.SIGTERM, signal.SIGCONT):
        attempt(f"send {number.name}", "signals", lambda number=number: os.kill(told["process"], number))


def checked_descriptor(libc, pid):
    found = libc.syscall(434, pid, 0)
    checked(found)
    return found


def every_socket():
    def raw():
        socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).close()

    attempt("open a raw socket", "rights of root", raw)
    attempt("open a packet socket", "rights of root", lambda: socket.socket(17, socket.SOCK_RAW, 3).close())


told.update(__import__("json").loads(sys.argv[1]))
every_way()
every_setting()
every_process()
every_socket()
attempts.main()
