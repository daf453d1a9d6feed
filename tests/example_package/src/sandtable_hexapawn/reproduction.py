"""What is known about hexapawn, played again: ``sandtable reproduce hexapawn``."""

import json
from importlib.resources import files

from sandtable import (
    ComparedMeans,
    Comparison,
    Figure,
    make_plan,
    play_row_match,
    wanted_rows,
)

GAMES, QUICK_GAMES = 10_000, 500
NOTES = (
    "Black, who moves second, can always win: that is Gardner's result, and his machine finds it. "
    "The figure of random moves is not his; it is exact, summed over all games.",
)


def reproduce(settings, report):
    """Play every row as Black against random moves."""
    table = json.loads((files(__package__) / "published.json").read_text("utf-8"))
    wanted = wanted_rows(settings, [row["row"] for row in table["rows"]])
    games = settings.games or (QUICK_GAMES if settings.quick else GAMES)
    rows, complete = [], True
    for row in table["rows"]:
        if row["row"] not in wanted:
            continue
        ours = None
        if complete:  # Ctrl-C ends a row early; those after it are not played
            plan = make_plan("hexapawn", ["random", row["agent"]], games, settings.seed)
            result = play_row_match(plan, row["label"], settings, report)
            complete = result.complete
            ours = Figure.of(result.seats[1].score) if complete else None
        published = Figure(row["mean"], row["mean"], row["mean"], games=0)
        note = "" if ours else "broken off"
        rows.append(Comparison(row["label"], row["agent"], published, ours, note=note))
    return ComparedMeans(
        game="hexapawn",
        title=table["title"],
        source=table["source"],
        seed=settings.seed,
        rows=tuple(rows),
        complete=complete,
        notes=NOTES,
    )
