"""Commands that only Operation Lucid has."""

from sandtable.games.lucid.commands.label import command

__all__ = ["command"]
