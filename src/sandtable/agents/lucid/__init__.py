"""The published agents of Operation Lucid, one file each."""
