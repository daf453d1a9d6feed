"""What the authors' own programs played and decided, as recorded: the yardstick of fidelity.

Every clone carries an even draw of the recordings (``games/<game>/recorded``); where the complete
ones lie beside the repository, in shared/data, they are used too.
"""

import gzip
import json
from pathlib import Path

import pytest

from beside import beside

HERE = Path(__file__).parent
COMPLETE = beside("data")
SETS = ("carried", "complete")


def recorded(game, name, which):
    """Return the recordings of this name: those carried in the repository, or all there are."""
    path = HERE / game / "recorded" / f"{name}.jsonl.gz"
    if which == "complete":
        path = COMPLETE / f"{game}_{name}.jsonl.gz"
        if not path.exists():
            pytest.skip("the complete recordings are not beside the repository (shared/data)")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
