"""Small files of expert games for tests."""

from functools import cache

from sandtable.games.lucid.learning.expert_database import record_games, write_games

EXPERT = "lucid/one-axis-blue"


@cache
def expert_records(games=4, agent=EXPERT):
    """Return labelled games of a quick expert."""
    return tuple(record_games(agent, "lucid/axes-red", 0, range(games), 5))


def expert_file(folder, games=4, agent=EXPERT):
    """Write such games into a folder and return the file."""
    path = folder / "expert.jsonl"
    write_games(path, expert_records(games, agent))
    return path
