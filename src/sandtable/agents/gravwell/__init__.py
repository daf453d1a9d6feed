"""The published agents of Gravwell, one file each."""
