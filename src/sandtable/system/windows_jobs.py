"""Jobs of Windows: processes that the system ends together, at the latest when their owner ends."""

from __future__ import annotations

import ctypes
from typing import Any

__all__ = ["Job", "job_with"]

SET_QUOTA, TERMINATE = 0x0100, 0x0001  # what we want to do with a process
EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION."""

    _fields_ = [
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    ]


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_ = [
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    ]


def kernel32() -> Any:
    """Return the part of Windows that knows jobs, its handles as wide as they are."""
    found = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    found.CreateJobObjectW.restype = ctypes.c_void_p
    found.CreateJobObjectW.argtypes = [ctypes.c_void_p, ctypes.c_wchar_p]
    found.OpenProcess.restype = ctypes.c_void_p
    found.OpenProcess.argtypes = [ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32]
    found.AssignProcessToJobObject.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    found.TerminateJobObject.argtypes = [ctypes.c_void_p, ctypes.c_uint32]
    found.CloseHandle.argtypes = [ctypes.c_void_p]
    found.SetInformationJobObject.argtypes = [
        ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32,
    ]  # fmt: skip
    return found


class Job:
    """A job with one process in it, and all that this will start."""

    def __init__(self, system: Any, handle: int) -> None:
        self.system, self.handle = system, handle

    def end(self) -> None:
        """End all that is in it."""
        if self.handle:
            self.system.TerminateJobObject(self.handle, 1)
            self.system.CloseHandle(self.handle)
            self.handle = 0

    __del__ = end


def job_with(number: int) -> Job | None:
    """Put a process into a new job; None: this system cannot do that."""
    if not hasattr(ctypes, "WinDLL"):
        return None
    system = kernel32()
    process = system.OpenProcess(SET_QUOTA | TERMINATE, False, number)
    if not process:
        return None  # it has ended
    job = Job(system, system.CreateJobObjectW(None, None) or 0)
    limits = ExtendedLimits()
    limits.BasicLimitInformation.LimitFlags = KILL_ON_CLOSE
    size = ctypes.sizeof(limits)
    try:
        limited = system.SetInformationJobObject(
            job.handle, EXTENDED_LIMITS, ctypes.byref(limits), size
        )
        inside = limited and system.AssignProcessToJobObject(job.handle, process)
    finally:
        system.CloseHandle(process)
    return job if inside else None
