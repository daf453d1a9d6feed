"""Starts one program where it reads nothing, reaches nobody and takes little. Linux, no root.

This file is run by its path as a process of its own (``python -I -S confine.py FACTS``), uses the
standard library alone and is read top to bottom: new namespaces, a file system made of nothing,
the program as an ordinary user without any rights. ``programs.py`` writes the facts. Whatever
cannot be had ends in exit code 97 with one line; the program is then not started at all. A program
that was started cannot say so: its own 97 becomes 98.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import signal
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

NO_SANDBOX = 97  # exit code, of this file alone
OWN_97 = 98  # what a program that ends with that code is said to have ended with
TOO_MUCH = 99  # what one is said to have ended with that took too much memory
SECONDS_BETWEEN_LOOKS = 0.05
USER = 1000  # inside, where the program is an ordinary user
FIRST_OUTER_USER = 2_000_000  # where root starts it: one that nobody has, another for each program
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives")
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
PROGRAM, WORK = "/bot/program", "/work"

NEW_MOUNTS, NEW_NAMES, NEW_MESSAGES = 0x00020000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = (
    1,
    2,
    4,
    32,
    4096,
    16384,
    1 << 18,
)
DETACH = 2
SET_PARENT_DEATH, SET_DUMPABLE, SET_SECCOMP, SET_NO_NEW_PRIVILEGES = 1, 4, 22, 38
FILTER_MODE = 2
MOUNT_SETATTR, HERE, ALL_BELOW = 442, -100, 0x8000

LIBC: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def called(name: str, *arguments: Any) -> None:
    """Call a function of the C library that returns -1 when it cannot."""
    if getattr(LIBC, name)(*arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    """Mount something."""
    words = [None if each is None else each.encode() for each in (source, target, kind)]
    called("mount", *words, ctypes.c_ulong(flags), data.encode() or None)


def bind(source: str, target: str, *, devices: bool = False) -> None:
    """Show a file or a folder, with all that is mounted in it, to be read only."""
    mount(source, target, None, BIND | RECURSIVE)
    flags = READ_ONLY | NO_SUID | (0 if devices else NO_DEVICES)
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    called("syscall", MOUNT_SETATTR, HERE, target.encode(), ALL_BELOW, attributes, len(attributes))


def new_namespaces(as_root: bool) -> None:
    """Leave everybody else: users, mounts, processes, network, messages, names."""
    flags = NEW_MOUNTS | NEW_NAMES | NEW_MESSAGES | NEW_PROCESSES | NEW_NETWORK
    if as_root:
        called("unshare", flags)
        return
    user, group = os.getuid(), os.getgid()
    called("unshare", flags | NEW_USERS)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{USER} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{USER} {group} 1")


def new_files(facts: dict[str, Any], program: bytes) -> None:
    """Make a file system of nothing but the system's programs, this one, and an empty folder."""
    root = facts["empty_folder"]
    mount(None, "/", None, PRIVATE | RECURSIVE)
    mount("tmpfs", root, "tmpfs", NO_SUID | NO_DEVICES, "size=128m,mode=755")
    for folder in ("/bot", "/dev", "/etc", "/proc", WORK, "/tmp"):
        Path(root + folder).mkdir()
    for folder in (WORK, "/tmp"):  # first: what is shown may lie in folders of that name
        mount("tmpfs", root + folder, "tmpfs", NO_SUID | NO_DEVICES,
              f"size={facts['work_bytes']},mode=1777,nr_inodes=4096")  # fmt: skip
    for source in (*SYSTEM_FOLDERS, *SYSTEM_FILES, *facts["shown"]):
        show(source, root)
    for device in DEVICES:
        Path(root + device).touch()
        bind(device, root + device, devices=True)
    Path(root + "/etc/passwd").write_text(f"bot:x:{USER}:{USER}::{WORK}:/bin/false\n")
    Path(root + PROGRAM).write_bytes(program)
    Path(root + PROGRAM).chmod(0o555)
    with suppress(OSError):  # not where the processes of others are masked; it can do without
        mount("proc", root + "/proc", "proc", NO_SUID | NO_DEVICES)
    os.chdir(root)
    called("pivot_root", b".", b".")
    called("umount2", b".", DETACH)
    os.chdir("/")
    mount(None, "/", None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_DEVICES)


def show(source: str, root: str) -> None:
    """Show something of the system at its own place; what is not there is left out."""
    here, there = Path(source), Path(root + source)
    if there.exists() or there.is_symlink() or not here.exists():
        return
    there.parent.mkdir(parents=True, exist_ok=True)
    if here.is_symlink():
        there.symlink_to(here.readlink())
        return
    if here.is_dir():
        there.mkdir()
    else:
        there.touch()
    bind(source, str(there))


def become_nobody(as_root: bool, user: int) -> None:
    """Give up every right, for good."""
    called("prctl", SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if as_root:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def limit(facts: dict[str, Any]) -> None:
    """Bound what each process of the program may take."""
    import resource

    for what, most in (
        (resource.RLIMIT_AS, facts["memory_bytes"]),
        (resource.RLIMIT_CPU, facts["cpu_seconds"]),
        (resource.RLIMIT_NPROC, facts["processes"]),
        (resource.RLIMIT_FSIZE, facts["work_bytes"]),
        (resource.RLIMIT_NOFILE, facts["open_files"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (most, most))


# --- system calls ---------------------------------------------------------------------------------
# What no bot needs and what breaks out of sandboxes are made of, and memory that no process has (of
# System V, of memfd_create): a call of these gets "not permitted". All have other numbers on other
# processors; elsewhere the namespaces alone must do.

REFUSED = {
    "x86_64": (
        0xC000003E,
        (29, 64, 68, 101, 155, 161, 163, 165, 166, 167, 168, 169, 170, 171, 175, 176, 240, 246, 248,
         249, 250, 272, 298, 303, 304, 308, 310, 311, 312, 313, 319, 320, 321, 323, 425, 426, 427,
         428, 429, 430, 431, 432, 433, 438, 442, 447),
        41, 56, 435,
    ),
    "aarch64": (
        0xC00000B7,
        (39, 40, 41, 51, 60, 89, 97, 104, 105, 106, 117, 142, 161, 162, 180, 186, 190, 194, 217,
         218, 219, 224, 225, 241, 264, 265, 268, 270, 271, 272, 273, 279, 280, 282, 294, 425, 426,
         427, 428, 429, 430, 431, 432, 433, 438, 442, 447),
        198, 220, 435,
    ),
}  # fmt: skip
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NOT_PERMITTED, NO_SUCH_CALL, NO_SUCH_FAMILY = 1, 38, 97
LOCAL_SOCKETS, OTHER_NUMBERS = 1, 0x40000000
NAMESPACES = 0x7E020000  # of a call of clone


def call_filter() -> bytes | None:
    """Return a filter of system calls for this processor; None: none is known for it."""
    known = REFUSED.get(platform.machine())
    if known is None:
        return None
    processor, refused, socket, clone, clone3 = known
    code: list[tuple[int, int, int, int]] = [
        (LOAD, 0, 0, 4), (EQUAL, 1, 0, processor), (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0), (AT_LEAST, 0, 1, OTHER_NUMBERS), (RETURN, 0, 0, ERROR | NO_SUCH_CALL),
    ]  # fmt: skip
    for number in refused:
        code += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERROR | NOT_PERMITTED)]
    code += [(EQUAL, 0, 1, clone3), (RETURN, 0, 0, ERROR | NO_SUCH_CALL)]
    code += [(EQUAL, 0, 4, clone), (LOAD, 0, 0, 16), (ANY_BIT, 0, 1, NAMESPACES),
             (RETURN, 0, 0, ERROR | NOT_PERMITTED), (RETURN, 0, 0, ALLOW)]  # fmt: skip
    code += [(EQUAL, 0, 3, socket), (LOAD, 0, 0, 16), (EQUAL, 1, 0, LOCAL_SOCKETS),
             (RETURN, 0, 0, ERROR | NO_SUCH_FAMILY), (RETURN, 0, 0, ALLOW)]  # fmt: skip
    return b"".join(struct.pack("HBBI", *each) for each in code)


def refuse_calls() -> None:
    """Refuse the calls of the list from now on."""
    code = call_filter()
    if code is None:
        return
    kept = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(kept))
    called("prctl", SET_SECCOMP, FILTER_MODE, program, 0, 0)


def run_inside(facts: dict[str, Any], as_root: bool, user: int, command: list[str]) -> None:
    """Become the program."""
    os.chdir(WORK)
    limit(facts)
    become_nobody(as_root, user)
    refuse_calls()
    environment = {
        "HOME": WORK, "LANG": "C.UTF-8", "PATH": facts["path"], "TMPDIR": "/tmp",
        "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    try:
        os.execve(command[0], command, environment)
    except OSError as problem:
        print(f"the program cannot be started: {problem.strerror}", file=sys.stderr)
        os._exit(126)


def first_process(facts: dict[str, Any], as_root: bool, user: int, program: bytes) -> int:
    """Be process 1 inside: set the place up, start the program, watch it to its end."""
    called("prctl", SET_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    new_files(facts, program)
    called("prctl", SET_DUMPABLE, 0, 0, 0, 0)
    outcome, told = os.pipe()  # closed by the system when the program begins
    child = os.fork()
    if child == 0:
        try:
            run_inside(facts, as_root, user, [*facts["interpreter"], PROGRAM, *facts["arguments"]])
        except BaseException as problem:
            print(f"no sandbox: {problem!r}", file=sys.stderr, flush=True)
            os.write(told, b"!")
        os._exit(NO_SANDBOX)
    os.close(told)
    for descriptor in (0, 1):  # the program's alone: it ends when that closes them
        os.close(descriptor)
    started = os.read(outcome, 1) == b""
    code = watched_until_it_ends(child, facts["memory_bytes"])
    return OWN_97 if started and code == NO_SANDBOX else code


# --- memory of all processes together -------------------------------------------------------------


def watched_until_it_ends(child: int, most: int) -> int:
    """Wait for the program, and end it with all it started once they take too much together."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        gone, status = os.waitpid(-1, os.WNOHANG)
        if gone == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if gone == 0:
            if resident_bytes() > most and shared_out_bytes() > most:
                said = f"its processes took more than {most >> 20} MiB of memory together"
                print(f"\n{said}", file=sys.stderr, flush=True)
                return TOO_MUCH
            signal.sigtimedwait({signal.SIGCHLD}, SECONDS_BETWEEN_LOOKS)


def processes() -> list[Path]:
    """Return the folders of all processes but this one; none where they cannot be seen."""
    try:
        return [each for each in Path("/proc").glob("[0-9]*") if each.name != "1"]
    except OSError:
        return []


def resident_bytes() -> int:
    """Add up what processes have in memory; what several share counts for each of them."""
    return sum(map(resident_bytes_of, processes()))


def resident_bytes_of(folder: Path) -> int:
    """Return what one process has in memory; 0: it has ended."""
    try:
        pages = int((folder / "statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


def shared_out_bytes() -> int:
    """Add up the same with what is shared divided by those who share it, which takes longer."""
    total = 0
    for folder in processes():
        try:
            lines = (folder / "smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended, or tells nobody
            total += resident_bytes_of(folder)
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) << 10
    return total


def main() -> int:
    """Start the program of the facts, and end as it ends."""
    facts = json.loads(sys.argv[1])
    as_root = os.geteuid() == 0
    user = FIRST_OUTER_USER + os.getpid()
    program = Path(facts["program"]).read_bytes()
    called("prctl", SET_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
    try:
        new_namespaces(as_root)
        inside = os.fork()
    except OSError as problem:
        print(f"no sandbox: {problem.strerror}", file=sys.stderr)
        return NO_SANDBOX
    if inside == 0:
        try:
            os._exit(first_process(facts, as_root, user, program))
        except OSError as problem:
            print(f"no sandbox: {problem.strerror}", file=sys.stderr)
        except BaseException as problem:
            print(f"no sandbox: {problem!r}", file=sys.stderr)
        os._exit(NO_SANDBOX)
    for descriptor in (0, 1):
        os.close(descriptor)
    _, status = os.waitpid(inside, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
