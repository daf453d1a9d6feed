"""Where torch computes: on the processor, or on a GPU where there is one."""

from __future__ import annotations

import torch

from sandtable.errors import SandtableError

__all__ = ["chosen_device"]


def chosen_device(name: str) -> torch.device:
    """Return the device of this name; ``auto`` takes a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name not in ("cpu", "cuda"):
        raise SandtableError(f"device is auto, cpu or cuda, got '{name}'")
    if name == "cuda" and not torch.cuda.is_available():
        raise SandtableError("there is no GPU that torch can use; take --device cpu")
    return torch.device(name)
