"""Sandtable's games in other libraries' clothes, and theirs in ours (extra ``interop``)."""
