"""Compiling kernels with Numba (sandtable.compiled), with a cache that cannot give old answers.

Numba looks only at the file of a cached function: after an edit in one file, a cached caller in
another file would silently return the old answer. So every kernel is cached in a folder named by a
hash of all sources it can depend on: this package's outside its games, its own, and those of the
kernels it calls. An edit in one game so leaves what was compiled for the others.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, TypeVar

import numba
from numba.core.dispatcher import Dispatcher

from sandtable.system import temporary_folder

__all__ = ["cache_home", "copy_cells", "inlined", "kernel", "placeholder", "specialise"]

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE_FOLDER = Path(__file__).resolve().parent
GAMES_FOLDER = PACKAGE_FOLDER / "games"
MARK_OF_KERNEL_SOURCES = b"sandtable.compiled"
DAYS_UNUSED_FOLDERS_ARE_KEPT = 14
LOCK = threading.RLock()
ROOTS: dict[FunctionType | None, frozenset[Path]] = {}  # of every kernel: the sources it depends on


@functools.cache
def cache_home() -> Path:
    """Return the folder under which compiled kernels are kept.

    ``SANDTABLE_CACHE`` names another one; a home that cannot be written falls back to a
    temporary folder, so that a read-only machine still plays (and compiles once a boot).
    """
    chosen = os.environ.get("SANDTABLE_CACHE")
    if chosen:
        candidates = [Path(chosen)]
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        candidates = [Path(base) / "sandtable"]
    candidates.append(temporary_folder())
    for candidate in candidates:
        folder = candidate / "kernels"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return candidates[-1] / "kernels"


@functools.cache
def sources_digest(root: Path) -> bytes:
    """Hash all Python files of a package, of one of our games, or a single file.

    Of this package only the files that compile something count (a kernel takes constants from no
    other), so that an edit of a command or a drawing does not throw compiled rules away; its games
    are roots of their own.
    """
    digest = hashlib.blake2b(digest_size=16)
    ours = root.is_relative_to(PACKAGE_FOLDER)
    for path in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
        if root == PACKAGE_FOLDER and path.is_relative_to(GAMES_FOLDER):
            continue
        source = path.read_bytes() if path.exists() else b""  # an interactive session has no file
        if ours and MARK_OF_KERNEL_SOURCES not in source:
            continue
        digest.update(str(path.relative_to(root)).encode())
        digest.update(hashlib.blake2b(source).digest())
    return digest.digest()


@functools.cache
def cache_folder(roots: frozenset[Path]) -> Path:
    """Return the cache folder for kernels that depend on these sources."""
    digest = hashlib.blake2b(digest_size=8)
    digest.update(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for root in sorted(roots):
        digest.update(str(root).encode() + sources_digest(root))
    folder = cache_home() / digest.hexdigest()
    if not folder.exists():
        drop_unused_folders(cache_home())
        folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    return folder


def drop_unused_folders(home: Path) -> None:
    """Remove the cache folders of sources that nobody has used for a while."""
    oldest = time.time() - DAYS_UNUSED_FOLDERS_ARE_KEPT * 24 * 3600
    for folder in home.iterdir() if home.exists() else ():
        try:
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # another process was quicker
            continue


@contextmanager
def caching_in(folder: Path) -> Iterator[None]:
    """Let Numba cache what is decorated inside in this folder, and leave others' alone."""
    config: Any = numba.config
    with LOCK:  # the setting is global, and threads may import kernels at the same time
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            config.CACHE_DIR = before


def source_root(path: Path) -> Path:
    """Return the folder of the outermost package of a file, or the file if it is in none.

    Our own games are independent of each other: there it is the folder of the game.
    """
    if path.is_relative_to(GAMES_FOLDER):
        return GAMES_FOLDER / path.relative_to(GAMES_FOLDER).parts[0]
    root = path
    while (root.parent / "__init__.py").exists():
        root = root.parent
    return root


def roots_of(function: FunctionType) -> frozenset[Path]:
    """Return where all sources are that a kernel can depend on.

    Those are its own package, and the packages of all kernels that its module can name, alone or
    as a part of a module, with what those depend on in turn.
    """
    found = {PACKAGE_FOLDER, source_root(Path(function.__code__.co_filename).resolve())}
    for value in list(function.__globals__.values()):
        if isinstance(value, ModuleType):
            found |= roots_of_module(value)
        else:
            found |= ROOTS.get(plain_function(value), frozenset())
    return frozenset(found)


def plain_function(value: object) -> FunctionType | None:
    """Return the function that was compiled, or one that is plain; None: it is something else.

    Others' objects are asked for nothing: some, like pytest's marks, mind names they do not know.
    """
    plain = value.py_func if isinstance(value, Dispatcher) else value
    return plain if isinstance(plain, FunctionType) else None


def roots_of_module(module: ModuleType) -> set[Path]:
    """Return where the sources are of kernels and constants that are taken from a module."""
    file = getattr(module, "__file__", None)
    if file is None:
        return set()
    named = [plain_function(value) for value in list(vars(module).values())]
    found = {root for plain in named for root in ROOTS.get(plain, ())}
    path = Path(file).resolve()
    return found | ({source_root(path)} if path.is_relative_to(PACKAGE_FOLDER) else set())


def compile_function(function: FunctionType, inline: bool = False, absorbed: bool = False) -> Any:
    """Compile with the settings every kernel shares; ``nogil`` lets threads run side by side.

    Nobody calls kernels from C, and leaving out the way in for C saves a sixth of the compiling.
    """
    options: Any = {"cache": True, "nogil": True, "no_cfunc_wrapper": True}
    if absorbed:
        options["inline"] = "always"
    compiled = numba.njit(error_model="numpy", forceinline=inline, **options)
    ROOTS[function] = roots_of(function)
    with caching_in(cache_folder(ROOTS[function])):
        return compiled(function)


def kernel(function: Function) -> Function:
    """Compile a function of a game's rules, or of an agent, when it is first called.

    >>> kernel(placeholder).__name__
    'placeholder'
    """
    assert isinstance(function, FunctionType)
    return compile_function(function)  # type: ignore[no-any-return]


def inlined(function: Function) -> Function:
    """Compile a small function that becomes part of every kernel that calls it.

    Where a kernel calls another, Numba counts references to the arrays that are handed over, with
    operations that are slow on purpose so that threads can share them. For a function that only
    does a little with its arrays that takes longer than its work. It makes the kernels around it
    larger, so it is not for functions that are called in many places, nor for long ones.
    """
    assert isinstance(function, FunctionType)
    return compile_function(function, inline=True)  # type: ignore[no-any-return]


def specialise(
    template: Function, name: str, *, inline: bool = False, absorbed: bool = False, **kernels: Any
) -> Function:
    """Compile a template function in which some global names stand for the given kernels.

    A closure or a function argument would do the same, but Numba cannot keep those in its cache
    from one process to the next. The name is for people; that of the compiled function also has a
    digest of what the template is filled with, so that no two uses of it are ever mixed up. With
    ``inline`` it becomes part of its callers (see ``inlined``). With ``absorbed`` that happens
    before anything is compiled: for a large one with a single caller, which is compiled in two
    thirds of the time, since all that both call is optimised once.
    """
    plain: Any = getattr(template, "py_func", template)
    copy = FunctionType(plain.__code__, {**plain.__globals__, **kernels}, name)
    digest = hashlib.blake2b(digest_size=6)
    for key, value in sorted(kernels.items()):
        digest.update(f"{key}={identity(value)};".encode())
    copy.__qualname__ = f"{plain.__name__}.{name}.{digest.hexdigest()}"
    return compile_function(copy, inline, absorbed)  # type: ignore[no-any-return]


def identity(value: Any) -> str:
    """Return what tells a kernel or a constant apart from others, the same in every process."""
    plain = getattr(value, "py_func", value)
    if not isinstance(plain, FunctionType):
        return repr(value)
    held = [repr(cell.cell_contents) for cell in plain.__closure__ or ()]
    code = plain.__code__
    return f"{code.co_filename}:{code.co_firstlineno} {plain.__qualname__} {held}"


@inlined
def copy_cells(source: Any, destination: Any) -> None:
    """Copy a row of numbers.

    A slice would do it too, but is slow to run, and slow to compile: with it Numba compiles all it
    takes to tell in words that two shapes differ, for several seconds in every process.
    """
    for cell in range(len(source)):
        destination[cell] = source[cell]


def placeholder(*arguments: Any) -> Any:
    """Stand in a template for a kernel that it will be specialised with."""
    raise RuntimeError("a template is called only after specialise() has filled it")
