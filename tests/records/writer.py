"""A process that stores games bit by bit; tests kill it, or run two of them at once.

    python writer.py SOURCE STORE BATCH

Reads the games of SOURCE, says it is ready, waits for a line, then adds them to STORE in batches,
and prints after each batch how many of its games were new.
"""

import sys
import warnings
from pathlib import Path

from sandtable.records.files import read_records
from sandtable.records.store import open_store

if __name__ == "__main__":
    warnings.simplefilter("ignore")  # half a line that a killed writer left is no surprise here
    source, path, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
    records = list(read_records(Path(source)))
    print("ready", flush=True)
    sys.stdin.readline()
    store = open_store(path)
    for first in range(0, len(records), size):
        print(store.add(records[first : first + size]), flush=True)
    store.close()
