"""Where what lies beside the repository is: papers and recordings that no clone carries."""

from __future__ import annotations

from pathlib import Path

__all__ = ["ROOT", "beside"]

ROOT = Path(__file__).resolve().parents[1]


def beside(part: str) -> Path:
    """Return a part of the nearest folder ``shared`` above the repository, which may not be there.

    A second working tree of the same repository lies deeper than the first, so all folders above
    are looked into.
    """
    places = [folder / "shared" / part for folder in ROOT.parents]
    return next((place for place in places if place.is_dir()), places[0])
