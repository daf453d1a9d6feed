"""The games; each folder has the same files."""
