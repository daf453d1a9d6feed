"""How the threads of a batch talk to each other, without Python and its lock.

Every thread has a few numbers in an array that all of them see. The thread that calls, number 0,
writes a task into the word of each other one; whoever reads it there takes rows, some at a time,
first of its own part and then of those that others have not come to. So nobody waits for a thread
that wakes up late or is held up: its rows are done by the others. A thread without a task looks at
its word again and again for a very short while, and then goes to sleep in Python.

The numbers are read and written by operations of the processor that cannot be torn apart, nor be
moved before or behind the work around them (LLVM: sequentially consistent).
"""

from __future__ import annotations

import functools
import os
import platform
import time
from typing import Any

import numpy as np
from llvmlite import ir  # comes with Numba, which is built on it
from numba.core import types
from numba.extending import intrinsic
from numba.np import arrayobj
from numpy.typing import NDArray

from sandtable.compiled import kernel

__all__ = ["gather", "new_signals", "next_rows", "patience_of", "post", "take_order", "task_ended"]

Signals = NDArray[np.int64]  # [threads * STRIDE]

# Where the numbers of a thread are. Those that others write often lie on lines of cache apart.
WORD, WOKEN = 0, 1
NEXT, FIRST, END, SOME = 8, 9, 10, 11  # of its part: the row to take next, its bounds, how many
STRIDE = 16

# What stands in a word. Tasks are larger numbers.
IDLE, ASLEEP, BUSY, AWAITED, LAST_WORD = 0, 1, 2, 3, 3  # from BUSY on: at work

PIECES = 16  # in which a thread takes the rows of its part
SECONDS_AWAKE = 5e-5  # that a thread looks for a task, or the caller for the end of one
SPINS = 2_000  # to find out how long one takes

MAKERS_OF_PAUSE = {  # the name for LLVM, and what it is called with
    "x86_64": ("llvm.x86.sse2.pause", []),
    "AMD64": ("llvm.x86.sse2.pause", []),
    "aarch64": ("llvm.aarch64.hint", [1]),
    "arm64": ("llvm.aarch64.hint", [1]),
}


def cell(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Build the address of the number that the first two arguments name."""
    array = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def build_look(typing: Any, signals: Any, place: Any) -> Any:
    """Read a number."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = cell(context, builder, signature, arguments)
        return builder.load_atomic(address, "seq_cst", 8)

    return types.int64(signals, types.int64), build


def build_swap(typing: Any, signals: Any, place: Any, value: Any) -> Any:
    """Write a number; return what was there."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = cell(context, builder, signature, arguments)
        return builder.atomic_rmw("xchg", address, arguments[2], "seq_cst")

    return types.int64(signals, types.int64, types.int64), build


def build_add(typing: Any, signals: Any, place: Any, value: Any) -> Any:
    """Add to a number; return what was there."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = cell(context, builder, signature, arguments)
        return builder.atomic_rmw("add", address, arguments[2], "seq_cst")

    return types.int64(signals, types.int64, types.int64), build


def build_swap_if(typing: Any, signals: Any, place: Any, there: Any, value: Any) -> Any:
    """Write a number if a certain one is there; say whether it was."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = cell(context, builder, signature, arguments)
        both = builder.cmpxchg(address, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(both, 1)

    return types.boolean(signals, types.int64, types.int64, types.int64), build


def build_pause(typing: Any) -> Any:
    """Tell the processor that this thread only waits, so that it saves power and leaves room."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        name, numbers = MAKERS_OF_PAUSE.get(platform.machine(), ("", []))
        if name:
            whole = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [whole for _ in numbers])
            function = builder.module.declare_intrinsic(name, (), kind)
            builder.call(function, [ir.Constant(whole, number) for number in numbers])
        return context.get_dummy_value()

    return types.void(), build


look: Any = intrinsic(build_look)
swap: Any = intrinsic(build_swap)
add: Any = intrinsic(build_add)
swap_if: Any = intrinsic(build_swap_if)
pause: Any = intrinsic(build_pause)


def new_signals(rows: int, threads: int) -> Signals:
    """Return the numbers of so many threads that share so many rows."""
    signals = np.zeros((threads, STRIDE), dtype=np.int64)
    signals[:, FIRST] = [rows * part // threads for part in range(threads)]
    signals[:, END] = [rows * part // threads for part in range(1, threads + 1)]
    signals[:, SOME] = max(rows // (threads * PIECES), 1)
    return signals.reshape(-1)


@kernel
def post(signals: Signals, task: int, wake: bool) -> int:
    """Give a task to all threads, or only to those awake; return how many are to be woken."""
    sleepers = 0
    for base in range(0, len(signals), STRIDE):
        swap(signals, base + NEXT, signals[base + FIRST])
    for base in range(STRIDE, len(signals), STRIDE):
        if not wake:
            swap_if(signals, base + WORD, IDLE, task)
        elif swap(signals, base + WORD, task) == ASLEEP:
            signals[base + WOKEN] = 1
            sleepers += 1
    return sleepers


@kernel
def take_order(signals: Signals, thread: int, patience: int) -> int:
    """Wait for a task and return it; when patience ends, mark the thread as asleep: IDLE."""
    place = thread * STRIDE + WORD
    swap_if(signals, place, ASLEEP, IDLE)
    while True:
        for _ in range(patience + 1):
            word = look(signals, place)
            if word > LAST_WORD and swap_if(signals, place, word, BUSY):
                return int(word)
            pause()
        if swap_if(signals, place, IDLE, ASLEEP):
            return IDLE


@kernel
def next_rows(signals: Signals, thread: int, tried: int) -> tuple[int, int, int]:
    """Take rows that nobody has: first of the thread's own part, then of the others'.

    Return in how many parts none are left, and the rows, from one up to another: none at last.
    """
    threads = len(signals) // STRIDE
    while tried < threads:
        base = (thread + tried) % threads * STRIDE
        low = add(signals, base + NEXT, signals[base + SOME])
        if low < signals[base + END]:
            return tried, low, min(low + signals[base + SOME], signals[base + END])
        tried += 1
    return tried, 0, 0


@kernel
def task_ended(signals: Signals, thread: int) -> bool:
    """Mark that a thread has ended its task; say whether the caller sleeps until it has."""
    return bool(swap(signals, thread * STRIDE + WORD, IDLE) == AWAITED)


@kernel
def gather(signals: Signals, patience: int) -> int:
    """Wait until no thread is at work any more: 0; when patience ends, return one that is.

    A thread that has not read its task yet need not do it: there are no rows left.
    """
    waited = 0
    for base in range(STRIDE, len(signals), STRIDE):
        while True:
            word = look(signals, base + WORD)
            if word > LAST_WORD:
                swap_if(signals, base + WORD, word, IDLE)
            elif word < BUSY:
                break
            elif waited < patience:
                waited += 1
                pause()
            elif word == AWAITED or swap_if(signals, base + WORD, BUSY, AWAITED):
                return base // STRIDE
    return 0


@kernel
def spin(times: int) -> None:
    """Do nothing, so many times."""
    for _ in range(times):
        pause()


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def spins_while_awake() -> int:
    """Return how often a thread looks for a task before it sleeps."""
    spin(1)
    tries = []
    for _ in range(3):
        began = time.perf_counter()
        spin(SPINS)
        tries.append(time.perf_counter() - began)
    return int(SECONDS_AWAKE * SPINS / max(min(tries), 1e-6))


def patience_of(threads: int) -> int:
    """Return how often each of so many threads looks; none does where others need its core."""
    return spins_while_awake() if 1 < threads <= cores() else 0
