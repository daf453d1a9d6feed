"""Compiling kernels with Numba (sandtable.compiled), with a cache that cannot give old answers.

Numba looks only at the file of a cached function: after an edit in one file, a cached caller in
another file would silently return the old answer. So every kernel is cached in a folder named by a
hash of all sources it can depend on: this package's, and those beside the kernel itself.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numba

__all__ = ["cache_home", "kernel", "specialise", "stand_in"]

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE_FOLDER = Path(__file__).resolve().parent
MARK_OF_KERNEL_SOURCES = b"sandtable.compiled"
DAYS_UNUSED_FOLDERS_ARE_KEPT = 14


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
    candidates.append(Path(tempfile.gettempdir()) / f"sandtable-{os.getuid()}")
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
def sources_digest(folder: Path) -> bytes:
    """Hash the Python files in the folder and below it.

    Of this package only the files that compile something count (a kernel takes constants from no
    other), so that an edit of a command or a drawing does not throw compiled rules away.
    """
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        source = path.read_bytes()
        if folder.is_relative_to(PACKAGE_FOLDER) and MARK_OF_KERNEL_SOURCES not in source:
            continue
        digest.update(str(path.relative_to(folder)).encode())
        digest.update(hashlib.blake2b(source).digest())
    return digest.digest()


@functools.cache
def cache_folder(source_folders: frozenset[Path]) -> Path:
    """Return the cache folder for kernels that depend on the sources in these folders."""
    digest = hashlib.blake2b(digest_size=8)
    digest.update(f"{numba.__version__} {sys.version_info[:2]}".encode())
    for folder in sorted(source_folders | {PACKAGE_FOLDER}):
        digest.update(str(folder).encode() + sources_digest(folder))
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
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def source_folder(function: Callable[..., Any]) -> Path:
    """Return the folder of the file that defines the function."""
    plain = getattr(function, "py_func", function)
    return Path(plain.__code__.co_filename).resolve().parent


def compile_function(function: Function, folders: Iterable[Path]) -> Function:
    """Compile with the settings every kernel shares; ``nogil`` lets threads run side by side."""
    with caching_in(cache_folder(frozenset(folders))):
        compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return compiled  # type: ignore[no-any-return]


def kernel(function: Function) -> Function:
    """Compile a function of a game's rules, or of an agent, when it is first called."""
    return compile_function(function, [source_folder(function)])


def specialise(template: Function, name: str, **kernels: Any) -> Function:
    """Compile a template function in which some global names stand for the given kernels.

    A closure or a function argument would do the same, but Numba cannot keep those in its cache
    from one process to the next. The name must tell apart all uses of one template.
    """
    plain = getattr(template, "py_func", template)
    copy = FunctionType(plain.__code__, {**plain.__globals__, **kernels}, name)
    copy.__qualname__ = f"{plain.__name__}.{name}"
    folders = [source_folder(each) for each in kernels.values() if callable(each)]
    return compile_function(copy, [*folders, source_folder(plain)])  # type: ignore[return-value]


def stand_in(*arguments: Any) -> Any:
    """Stand in a template for a kernel that it will be specialised with."""
    raise RuntimeError("a template is called only after specialise() has filled it")
