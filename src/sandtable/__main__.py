"""``python -m sandtable`` is the same as ``sandtable``."""

from sandtable.cli.main import run

run()
