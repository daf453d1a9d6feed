"""What the commands share: how they are made, and how names are completed in a shell."""

from __future__ import annotations

import typer

__all__ = ["complete_agent", "complete_game", "new_command"]


def new_command() -> typer.Typer:
    """Return an empty command; its file fills it with one function."""
    return typer.Typer(
        add_completion=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def complete_game(incomplete: str) -> list[str]:
    """Complete the name of a game in the shell."""
    from sandtable.registry import game_names

    return [name for name in game_names() if name.startswith(incomplete)]


def complete_agent(incomplete: str) -> list[str]:
    """Complete the name of an agent in the shell."""
    from sandtable.registry import agent_names

    return [name for name in agent_names() if name.startswith(incomplete)]
