"""What can be found out about a position; this runs in the processes of programs.

Positions here are those of games that are over or hide nothing, or the view of the one who asks.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sandtable.agent import Agent, Analysis, offers
from sandtable.agents.explanations import can_explain, explanation
from sandtable.agents.human.hints import Adviser, usual_adviser
from sandtable.agents.human.turn import compact
from sandtable.arena.statistics.intervals import estimate_grouped_share, estimate_mean, win_shares
from sandtable.compiled import copy_cells, placeholder, specialise
from sandtable.dice import Dice
from sandtable.errors import SandtableError
from sandtable.registry import agent_factory, check_seat, make_agent
from sandtable.screens import screen_of
from sandtable.specs import parse_spec
from sandtable.types import OVER, Game, Position, Rules, State

__all__ = ["answer", "hint", "play_out", "values_of"]

# What the template below is specialised with.
turn = random_action = apply = score = placeholder

NO_ACTION = -1

MOST_CURVE_POINTS = 60
MOST_CANDIDATES = 40
MOST_SHOWN = 12
SMALLEST_CHANCE = 0.001  # of a belief that is told


def play_out_template(
    start: Position,
    first_action: int,
    dice: NDArray[np.uint64],
    results: NDArray[np.float64],
) -> None:
    """Play the first action, if there is one, and then random ones, once for each row."""
    position = start.copy()
    for row in range(len(results)):
        copy_cells(start, position)
        if first_action != NO_ACTION:
            apply(position, first_action, dice)
        while turn(position) != OVER:
            apply(position, random_action(position, dice), dice)
        score(position, results[row])


@functools.cache
def play_out_in(name: str, rules: Rules) -> Any:
    """Compile the template for one game."""
    names = ("turn", "random_action", "apply", "score")
    return specialise(play_out_template, name, **{each: getattr(rules, each) for each in names})


def play_out(
    game: Game, position: Position, action: int | None, count: int, dice: Dice
) -> NDArray[np.float64]:
    """Return the scores [playout, seat] of random games from a position."""
    results = np.zeros((count, len(game.seats)))
    first = NO_ACTION if action is None else action
    kernel = play_out_in(game.name, game.rules)
    kernel(np.array(position), first, dice.array, results)
    return results


def values_of(
    game: Game, scores: NDArray[np.float64]
) -> list[tuple[float, float | None, float | None]]:
    """Return mean and interval of every seat: of wins where there are winners, else of scores.

    Where too little is known for an interval its ends are None, and nothing is drawn.
    """
    shares = win_shares(scores) if game.has_winner else None
    found: list[tuple[float, float | None, float | None]] = []
    for seat in range(scores.shape[1]):
        if shares is not None:
            each = estimate_grouped_share(shares[:, seat])
        else:
            each = estimate_mean(scores[:, seat], bounds=game.score_bounds[seat])
        mean = round(each.mean, 4)
        found.append((mean, round(each.low, 4), round(each.high, 4)) if each.shown
                     else (mean, None, None))  # fmt: skip
    return found


def hint(view: State, spec: str | None, dice: Dice) -> dict[str, Any]:
    """Return what a program would play to the end of the turn, and what it thinks if it tells."""
    adviser = Adviser(view.game, view.turn, usual_adviser(view.game, view.turn))
    try:
        name, actions = adviser.turn(view, spec, dice)
    finally:
        adviser.close()
    told = {"agent": name, "actions": actions, "text": compact(view.game, actions)}
    analysis = None
    if offers(agent_factory(parse_spec(name).name), "analyse"):
        with closing(analyst(view.game, name)) as agent:
            analysis = agent.analyse(view, dice)
    return told | {"thoughts": None if analysis is None else analysis_data(view.game, analysis)}


def analyst(game: Game, text: str) -> Agent:
    """Return an agent that values the positions of a game; whoever asks it closes it."""
    spec = parse_spec(text)
    if not offers(agent_factory(spec.name), "analyse"):
        raise SandtableError(f"'{spec.name}' has no values of its own; ask for random playouts")
    if not any(can_take(game, seat, text) for seat in game.seats):
        check_seat(game, game.seats[0], spec)  # which says why not
    return checked_agent(text)


def checked_agent(text: str) -> Agent:
    """Return an agent that can be used, or say why it cannot."""
    agent = make_agent(text)
    try:
        agent.check()
    except BaseException:
        agent.close()
        raise
    return agent


def can_take(game: Game, seat: str, text: str) -> bool:
    """Say whether an agent can play a seat."""
    try:
        check_seat(game, seat, parse_spec(text))
    except SandtableError:
        return False
    return True


def analysis_data(game: Game, analysis: Analysis) -> dict[str, Any]:
    """Return what an agent makes of a position as data."""
    return {
        "scale": analysis.scale,
        "value": rounded(analysis.value),
        "candidates": [
            {
                "action": each.actions[0],
                "text": compact(game, list(each.actions)),
                "value": rounded(each.value),
                "share": rounded(each.share),
                "low": None,
                "high": None,
            }
            for each in analysis.candidates[:MOST_SHOWN]
        ],
        "beliefs": [
            {"place": place, "ranks": likely(chances)}
            for place, chances in analysis.beliefs.items()
        ],
    }


def rounded(value: float | None) -> float | None:
    """Return a number as it is told."""
    return None if value is None else round(float(value), 4)


def likely(chances: Mapping[str, float]) -> dict[str, float]:
    """Return the chances that are worth telling, the greatest first."""
    found = sorted(chances.items(), key=lambda each: -each[1])
    return {what: round(chance, 4) for what, chance in found if chance >= SMALLEST_CHANCE}


def answer(game: Game, positions: list[Position], question: dict[str, Any]) -> dict[str, Any]:
    """Answer a question; ``positions`` are one position, or all of a game for a curve."""
    dice = Dice(int(question["seed"]), "analysis")
    position = positions[0]
    what = question["what"]
    if what == "curve":
        return curve(game, positions, question, dice)
    if what == "move":
        return move(State(game, position), question, dice)
    if what == "candidates":
        return candidates(State(game, position), question, dice)
    return screen_of(game).answer_question(what, State(game, position), question, dice)


def move(state: State, question: dict[str, Any], dice: Dice) -> dict[str, Any]:
    """Return what an agent would play, and why if it can tell."""
    game, seat = state.game, state.turn
    if seat == OVER:
        raise SandtableError("the game is over there; nobody is to move")
    if not question.get("agent"):
        raise SandtableError("name an agent to ask")
    spec = parse_spec(question["agent"])
    check_seat(game, game.seats[seat], spec)
    view = state.view(seat)
    with closing(checked_agent(str(spec))) as agent:
        told = explanation(agent, view, dice) if can_explain(agent) else None
        if told is not None:
            actions = [int(action) for action in told.actions]
            words, picture = told.text, told.svg
        else:
            agent.begin(game, seat, dice)
            chosen = agent.choose(view, dice)
            turn = [chosen] if isinstance(chosen, (int, np.integer)) else list(chosen)
            actions = [int(action) for action in turn]
            words, picture = None, None
    text = compact(game, actions)
    return {"actions": actions, "text": text, "explanation": words, "svg": picture}


def candidates(state: State, question: dict[str, Any], dice: Dice) -> dict[str, Any]:
    """Return moves with their values for the mover, the best first: an agent's, or by playouts."""
    if state.turn == OVER:
        raise SandtableError("the game is over there; nobody is to move")
    about = {"by": question.get("agent"), "seat": state.turn}
    if question.get("agent"):
        with closing(analyst(state.game, question["agent"])) as agent:
            analysis = agent.analyse(state.view(state.turn), dice)
        if analysis is None or analysis.value is None:
            raise SandtableError(f"'{question['agent']}' has no opinion about this position")
        return about | {"playouts": None} | analysis_data(state.game, analysis)
    return about | by_playouts(state, int(question["playouts"]), dice)


def by_playouts(state: State, count: int, dice: Dice) -> dict[str, Any]:
    """Return the legal actions with the mean results of random games after them."""
    game, position, legal = state.game, np.array(state.position), state.legal
    if len(legal) > MOST_CANDIDATES:  # first a rough look at all, then a close one at the best
        rough = {each: mean_for(game, position, each, max(count // 10, 10), dice) for each in legal}
        legal = tuple(sorted(rough, key=lambda each: -rough[each])[:MOST_CANDIDATES])
    found: list[dict[str, Any]] = []
    for action in legal:
        values = values_of(game, play_out(game, position, action, count, dice))
        mean, low, high = values[state.turn]
        name = game.notation.action_name(action)
        told = {"action": action, "text": name, "value": mean, "low": low, "high": high}
        found.append(told | {"share": None})
    found.sort(key=lambda each: -float(each["value"]))
    return {
        "playouts": count,
        "scale": scale_of(game),
        "value": found[0]["value"],
        "candidates": found[:MOST_SHOWN],
        "beliefs": [],
    }


def scale_of(game: Game) -> str:
    """Return what playouts tell of a game."""
    return "chance" if game.has_winner else "score"


def mean_for(game: Game, position: Position, action: int, count: int, dice: Dice) -> float:
    """Return the mean score of the mover after an action."""
    seat = State(game, position).turn
    return float(play_out(game, position, action, count, dice)[:, seat].mean())


def curve(
    game: Game, positions: list[Position], question: dict[str, Any], dice: Dice
) -> dict[str, Any]:
    """Return the values of every seat along a game: an agent's, or by playouts."""
    name = question.get("agent")
    if name:
        with closing(analyst(game, name)) as agent:
            points = agent_points(agent, game, positions, question["plies"], dice)
            scale: str = agent.scale
    else:
        points, scale = playout_points(game, positions, question, dice), scale_of(game)
    return {"by": name, "scale": scale, "seats": list(game.seats), "points": points}


def agent_points(
    agent: Agent, game: Game, positions: list[Position], plies: list[int], dice: Dice
) -> list[dict[str, Any]]:
    """Return what an agent thinks along a game; positions it has no opinion of are left out."""
    points: list[dict[str, Any]] = []
    for ply, position in zip(plies, positions, strict=True):
        state = State(game, position)
        known = outcome_values(state) if agent.scale == scale_of(game) else None
        values = known or (None if state.turn == OVER else seat_values(agent, state, dice))
        if values is not None:
            means = [rounded(value) for value in values]
            points.append({"ply": ply, "means": means, "lows": None, "highs": None})
    return points


def playout_points(
    game: Game, positions: list[Position], question: dict[str, Any], dice: Dice
) -> list[dict[str, Any]]:
    """Return the mean results of random games along a game, with their intervals."""
    points: list[dict[str, Any]] = []
    for ply, position in zip(question["plies"], positions, strict=True):
        values = values_of(game, play_out(game, position, None, int(question["playouts"]), dice))
        means, lows, highs = (list(column) for column in zip(*values, strict=True))
        points.append({"ply": ply, "means": means, "lows": lows, "highs": highs})
    return points


def seat_values(agent: Agent, state: State, dice: Dice) -> list[float | None] | None:
    """Return what a whole position is worth to every seat; None: the agent has no opinion.

    Seats that wait are asked by their own views where the agent values those. Otherwise it is the
    opinion of whoever is to move: where things are hidden, what the other side thinks is not known.
    """
    seats = range(len(state.game.seats))
    if agent.values_waiting:
        values = [agent.value_of(state.view(seat), dice) for seat in seats]
        known = [value for value in values if value is not None]
        if agent.scale == "chance" and len(known) == len(values):
            total = sum(known) or 1.0
            return [value / total for value in known]
        return values
    value = agent.value_of(state.view(state.turn), dice)
    if value is None or len(seats) != 2:
        return None
    other = None
    if not state.game.hidden:
        other = 1.0 - value if agent.scale == "chance" else -value
    return [value, other] if state.turn == 0 else [other, value]


def outcome_values(state: State) -> list[float | None] | None:
    """Return what is known of a position whose game is over; None if it is not."""
    outcome = state.outcome if state.turn == OVER else None
    if outcome is None:
        return None
    if not state.game.has_winner:
        return list(outcome.scores)
    return [float(share) for share in win_shares(np.array([outcome.scores]))[0]]
