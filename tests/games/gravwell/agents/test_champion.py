"""The champion of Gravwell: what it sees, imagines and decides, against plain twins."""

import math

import numpy as np
import pytest

from sandtable.agents.weights import read_array_file, weights_bytes
from sandtable.arena.play.compiled_games import play_games, policies
from sandtable.conformance import check_agent
from sandtable.dice import Dice
from sandtable.errors import SandtableError, WrongSeats
from sandtable.games.gravwell.agents.champion import features, network
from sandtable.games.gravwell.agents.champion.agent import Champion
from sandtable.games.gravwell.agents.champion.network import (
    BUNDLED,
    load_weights,
)
from sandtable.games.gravwell.agents.champion.search import study_others, think
from sandtable.games.gravwell.agents.champion.turns import (
    BASE_ROWS,
    CARD_CELLS,
    CHANGE_ROW,
    DONE,
    SECOND_ROW,
    VALUE_ROW,
    WON,
    base_of_next,
    bases_without,
    carry_out,
    judge,
    new_search,
    set_order,
)
from sandtable.games.gravwell.cards import CARDS, card_numbered
from sandtable.games.gravwell.layout import (
    CURRENT,
    DRAFTING,
    FIRST_HULK,
    GATE,
    GO,
    LAST,
    MOST_SHIPS,
    MOVER,
    NOTHING,
    OPEN_HAND,
    PHASE,
    PLAYED,
    PLAYERS,
    PLAYING,
    ROUND,
    SECRET_HAND,
    SHIPS,
    STOP,
    STOPPING,
    STOPS,
    TABLE,
    TAKE,
    TRACTORS,
    TURN,
    TURNS,
    UNDEALT,
    UNKNOWN,
    WHERE,
    WINNER,
)
from sandtable.games.gravwell.rules.drafting import holds, is_on_field, stacks_taken
from sandtable.games.gravwell.rules.movement import direction_of
from sandtable.registry import make_agent, make_game

SPECS = ["gravwell", "gravwell:players=2", "gravwell:players=3,tractor=inert"]


def positions(spec, phases, games=4):
    """Whole positions of random games in which somebody is to act in one of the phases."""
    game = make_game(spec)
    for number in range(games):
        dice = Dice(3, "champion test", number)
        state = game.start(dice)
        while state.outcome is None:
            if state.position[PHASE] in phases:
                yield state
            state = state.play(state.legal[dice.below(len(state.legal))], dice)


def plain_features(view, seat, moment):
    """What describe() lists, from its definition, in no order."""
    tile = int(view[SHIPS + seat])
    others = [other for other in range(view[PLAYERS]) if other != seat]
    tiles = [int(view[SHIPS + other]) for other in others]
    hulks = [int(t) for t in view[SHIPS + FIRST_HULK : SHIPS + MOST_SHIPS] if t != NOTHING]

    def near(difference):
        return features.REACH + int(np.clip(difference, -features.REACH, features.REACH))

    listed = [features.OTHER_TILE + t for t in tiles]
    listed += [features.OTHER_OFFSET + near(t - tile) for t in tiles if t > 0]
    listed += [features.HULK_TILE + t for t in hulks]
    listed += [features.HULK_OFFSET + near(t - tile) for t in hulks]
    listed += [features.OWN_TILE + tile, features.LEAD + near(max(tiles) - tile)]
    listed += [features.DRAWN + 1 + direction_of(view, seat)]
    listed += [features.OTHER_STOPS + sum(int(view[STOPS + other]) for other in others)]
    listed += [features.OWN_STOP] * int(view[STOPS + seat])
    listed += [features.TIME + int(view[ROUND]) * features.MOMENTS + moment]
    listed += [features.SETTING + 2 * int(view[PLAYERS]) + int(view[TRACTORS])]
    for card in range(CARDS) if moment else ():
        if holds(view, seat, card):
            listed.append(features.HAND + card)
        elif any(view[WHERE + card] == OPEN_HAND + other for other in others):
            listed.append(features.SHOWN + card)
        elif is_on_field(view, card):
            listed.append(features.FIELD + card)
    return sorted(listed)


def plain_facts(view, seat, moment):
    """What describe_fully() lists, from its definition, in no order."""
    listed, tile = plain_features(view, seat, moment), view[SHIPS + seat]
    for other in range(view[PLAYERS]):
        if other != seat:
            ahead = int(view[SHIPS + other] > tile)
            listed.append(features.OTHER_DRAWN + 3 * ahead + 1 + direction_of(view, other))
    for card in range(CARDS) if moment else ():
        if holds(view, seat, card):
            listed.append(features.HAND_DRAWN + CARDS * (1 + direction_of(view, seat)) + card)
    return sorted(listed)


def any_parameters():
    """Networks in which every feature counts."""
    drawn = np.random.Generator(np.random.PCG64(26))
    return (0.2 * drawn.standard_normal(network.PARAMETERS)).astype(np.float32)


def described(view, seat, moment):
    active = np.zeros(features.MOST_ACTIVE, dtype=np.uint16)
    count = features.describe(view, seat, moment, active)
    assert count <= features.MOST_ACTIVE
    return active, count


def plain_value(parameters, listed):
    """The value network as matrices."""
    first = parameters[network.FIRST : network.FIRST_BIAS].reshape(-1, network.HIDDEN)
    bias = parameters[network.FIRST_BIAS : network.SECOND]
    second = parameters[network.SECOND : network.SECOND_BIAS].reshape(network.HIDDEN, -1)
    second_bias = parameters[network.SECOND_BIAS : network.OUTPUT]
    output = parameters[network.OUTPUT : network.OUTPUT_BIAS]
    hidden = np.maximum(first[listed].sum(axis=0) + bias, 0)
    deeper = np.maximum(hidden @ second + second_bias, 0)
    return 1 / (1 + math.exp(-float(deeper @ output + parameters[network.OUTPUT_BIAS])))


@pytest.mark.parametrize("spec", SPECS)
def test_describe_lists_what_it_says(spec):
    for state in positions(spec, (DRAFTING, PLAYING), games=2):
        for seat in range(state.position[PLAYERS]):
            view = np.array(state.view(seat).position)
            drafting = view[PHASE] == DRAFTING
            moment = stacks_taken(view, seat) if drafting else 4 + int(view[TURN])
            active, count = described(view, seat, moment)
            assert sorted(active[:count].tolist()) == plain_features(view, seat, moment)
            count = features.describe_fully(view, seat, moment, active)
            assert count <= features.MOST_ACTIVE
            assert sorted(active[:count].tolist()) == plain_facts(view, seat, moment)


def test_networks_are_the_matrices_they_say():
    parameters, search = load_weights(), new_search()
    for state in list(positions("gravwell", (PLAYING,), games=1))[::7]:
        seat = state.turn
        view = np.array(state.view(seat).position)
        active, count = described(view, seat, 4 + int(view[TURN]))
        sums, listed = search.sums, active[:count].tolist()
        network.sum_up(parameters, active, count, sums, VALUE_ROW)
        value = network.value_of(parameters, sums, VALUE_ROW, SECOND_ROW)
        assert value == pytest.approx(plain_value(parameters, listed), abs=1e-5)
        network.sum_up_habits(parameters, active, count, sums, VALUE_ROW)
        gains = np.array([network.gain_of(view, seat, c) for c in range(CARDS)], dtype=np.int8)
        network.wishes_of(parameters, sums, VALUE_ROW, gains, SECOND_ROW)
        habits = parameters[network.HABITS : network.HABITS_BIAS].reshape(-1, network.HABITS_HIDDEN)
        bias = parameters[network.HABITS_BIAS : network.WISHES]
        wishes = parameters[network.WISHES : network.WISHES_BIAS].reshape(-1, CARDS)
        plain = np.maximum(habits[listed].sum(axis=0) + bias, 0) @ wishes
        plain += parameters[network.WISHES_BIAS : network.WISHES_GAINS]
        plain += parameters[network.WISHES_GAINS : network.STOPPING][gains]
        assert np.allclose(sums[SECOND_ROW, :CARDS], plain, atol=1e-4)


@pytest.mark.parametrize("spec", SPECS)
def test_an_imagined_turn_is_the_real_one_and_is_judged_by_the_real_view(spec):
    """All cards known and everybody letting them take effect: the sums put together piece by
    piece must be those of the view that the game itself then shows."""
    parameters, search, seen = any_parameters(), new_search(), 0
    parameters[network.STOPPING : network.END] = -1.0  # nobody stops
    for state in positions(spec, (PLAYING,)):
        position = np.array(state.position)
        if state.turn != 0:
            continue
        own = int(position[ROUND] + position[TURN]) % int(position[PLAYERS])
        dice = Dice(5, "turn", seen)
        played = [
            [c for c in range(CARDS) if holds(position, s, c)] for s in range(position[PLAYERS])
        ]
        cards = [hand[dice.below(len(hand))] for hand in played]
        view = np.array(state.view(own).position)
        base_of_next(search, parameters, view, own, BASE_ROWS)
        if view[TURN] < TURNS - 1:
            bases_without(search, parameters, BASE_ROWS, BASE_ROWS, cards[own])
        search.sums[CHANGE_ROW] = 0.0
        for seat, card in enumerate(cards):
            search.numbers[CARD_CELLS + seat] = card
            if seat != own and view[WHERE + card] == OPEN_HAND + seat and view[TURN] < TURNS - 1:
                row = network.FIRST + (features.SHOWN + card) * network.HIDDEN
                search.sums[CHANGE_ROW] -= parameters[row : row + network.HIDDEN]
        search.erratic[:] = False
        search.coins[:] = 0.0
        scene, rolls = np.array(position), Dice(6, "pull", seen)
        count = set_order(search.numbers, position[PLAYERS], 0)
        outcome = carry_out(scene, search, parameters, 0, count, own, GO, rolls.array)
        value = judge(scene, search.active, search.sums, parameters, BASE_ROWS, own, outcome)
        after, rolls = state, Dice(6, "pull", seen)
        for card in cards:
            after = after.play(card, rolls)
        while after.outcome is None and after.position[PHASE] == STOPPING:
            after = after.play(GO, rolls)
        assert scene[SHIPS : SHIPS + MOST_SHIPS].tolist() == (
            after.position[SHIPS : SHIPS + MOST_SHIPS].tolist()
        )
        if after.outcome is not None:
            expected = after.outcome.scores[own]
            won = outcome >= WON
            assert won == (after.position[SHIPS + after.position[WINNER]] == GATE)
        else:
            assert outcome == DONE
            seen_next = np.array(after.view(own).position)
            moment = 0 if seen_next[PHASE] == DRAFTING else 4 + int(seen_next[TURN])
            expected = plain_value(parameters, plain_facts(seen_next, own, moment))
        assert value == pytest.approx(expected, abs=1e-5)
        seen += 1
    assert seen > 100


def test_draft_takes_the_best_mean_over_what_may_lie_below():
    parameters, search = any_parameters(), new_search()
    for state in list(positions("gravwell:players=3", (DRAFTING,), games=1))[::5]:
        seat = state.turn
        view = np.array(state.view(seat).position)
        chosen = think(search, parameters, view, view, seat, 1, 0.3, Dice(1).array)
        moment = 1 + int(stacks_taken(view, seat))
        unknown = [card for card in range(CARDS) if view[WHERE + card] == UNKNOWN]
        worth = {}
        for action in state.legal:
            values = []
            for below in unknown:
                after = view.copy()
                after[WHERE + action - TAKE] = OPEN_HAND + seat
                after[WHERE + below] = SECRET_HAND + seat
                values.append(plain_value(parameters, plain_facts(after, seat, moment)))
            worth[action] = float(np.mean(values))
            assert search.worth[action] == pytest.approx(worth[action], abs=1e-5)
        assert worth[chosen] == pytest.approx(max(worth.values()), abs=1e-5)


def test_it_reads_hands_off_the_view():
    search, parameters = new_search(), load_weights()
    for state in positions("gravwell", (PLAYING,), games=1):
        own = state.turn
        view = np.array(state.view(own).position)
        unknown = study_others(search, parameters, view, view, own)
        assert unknown == int((view[WHERE : WHERE + CARDS] == UNKNOWN).sum())


@pytest.mark.parametrize("spec", SPECS)
def test_it_cannot_tell_exchanged_hidden_cards_apart(spec):
    """Hidden cards of others change places; with the same dice the choice stays the same."""
    agent, compared = make_agent("gravwell/champion:samples=3"), 0
    for number, state in enumerate(positions(spec, (DRAFTING, PLAYING, STOPPING), games=2)):
        seat = state.turn
        hidden = state.view(seat).position[WHERE : WHERE + CARDS] == UNKNOWN
        cards = np.flatnonzero(hidden)
        table = state.position[TABLE : TABLE + state.position[PLAYERS]].tolist()
        free = [card for card in cards if card not in table]
        if len(free) < 2 or number % 3:
            continue
        position = np.array(state.position)
        position[WHERE + np.array(free)] = position[WHERE + np.roll(free, 1)]
        other = type(state)(state.game, position)
        answers = []
        for each in (state, other):
            agent.begin(state.game, seat, Dice(1))
            answers.append(agent.choose(each.view(seat), Dice(9, "exchange", number)))
        assert answers[0] == answers[1]
        compared += 1
    assert compared > 30


def scene(ships, hands, phase=PLAYING, turn=2):
    """A position of four players made by hand; cards are given by name, all known to all."""
    game = make_game("gravwell")
    position = np.array(game.start(Dice(1)).position)
    position[SHIPS : SHIPS + MOST_SHIPS] = ships
    position[WHERE : WHERE + CARDS] = UNDEALT
    for seat, hand in enumerate(hands):
        for name in hand.split():
            position[WHERE + card_numbered(name)] = OPEN_HAND + seat
    position[TABLE : TABLE + 4] = NOTHING
    position[LAST : LAST + 4] = NOTHING
    position[PHASE], position[MOVER], position[TURN], position[ROUND] = phase, 0, turn, 3
    position[CURRENT] = NOTHING
    return game, position


def answer(game, position):
    """What the champion does in seat 0 with the usual options."""
    chosen = np.zeros(90, dtype=np.int16)
    policy = Champion().policy(game)
    memory = np.array(policy.memory, dtype=np.int64)
    view = position.copy()
    game.rules.hide(view, 0)
    policy.act(view, Dice(4).array, memory, policy.constants, chosen)
    return int(chosen[0])


def test_it_takes_a_card_that_wins():
    hands = ["B H U Zr", "C Es F Ga", "Dy Li O V", "Pu Ra Si W"]
    game, position = scene([50, 48, 12, 9, 36, 26], hands)
    assert answer(game, position) == card_numbered("U")  # repelled by the ship behind it


def asked_about(card, ships):
    """Seat 0 is asked whether it stops this card, the last of the turn."""
    game, position = scene(ships, ["B H U", "C F Ga", "Dy Li O", "Pu Ra Si"], STOPPING)
    for seat, name in enumerate([card, "Ar", "Es", "Ir"]):
        position[TABLE + seat] = card_numbered(name)
        position[WHERE + card_numbered(name)] = PLAYED + seat
    position[CURRENT] = card_numbered(card)
    return answer(game, position)


def test_it_stops_a_card_that_carries_it_far_back_and_lets_a_winning_one_go():
    assert asked_about("Mg", [30, 26, 12, 9, 40, 25]) == STOP
    assert asked_about("Mg", [45, 20, 12, 9, 47, 26]) == GO
    assert asked_about("W", [20, 8, 12, 9, 22, 36]) == GO


@pytest.mark.parametrize("spec", SPECS)
def test_it_keeps_the_contract(spec):
    assert not check_agent("gravwell/champion:samples=2", spec, games=1).problems


def test_it_beats_random_players():
    game = make_game("gravwell")
    agents = policies(
        game, [make_agent("gravwell/champion:samples=8"), *(make_agent("random") for _ in "123")]
    )
    games = play_games(game, agents, 11, 0, 300, False)
    assert games.scores[:, 0].mean() > 0.6


def answers_to_stop(spec):
    """What the champion in seat 0 answered when asked about its Emergency Stop in 20 games."""
    game = make_game("gravwell")
    agents = policies(game, [make_agent(spec), *(make_agent("random") for _ in "123")])
    games, answers = play_games(game, agents, 1, 0, 20, True), set()
    for number, (actions, length) in enumerate(zip(games.actions, games.lengths, strict=True)):
        dice = Dice(1, "game", number)
        state = game.start(dice)
        for action in actions[:length].tolist():
            if state.turn == 0 and state.position[PHASE] == STOPPING:
                answers.add(action)
            state = state.play(action, dice)
    return answers


def test_parts_can_be_left_out():
    assert answers_to_stop("gravwell/champion:samples=1") == {GO, STOP}
    assert answers_to_stop("gravwell/champion:samples=1,without=stop+draft") == {GO}


def test_the_first_champion_plays_on_in_wider_networks():
    """Its values come out as they did in the layout of its file, to the last bits."""
    former = read_array_file(network.weights_named("first").read_bytes())[0]["parameters"]
    parameters, search = load_weights(network.weights_named("first")), new_search()
    units, deeper = network.FORMER_HIDDEN, network.SECOND_HIDDEN
    sizes = np.cumsum([features.FEATURES * units, units, units * deeper, deeper, deeper])
    first, bias, second, second_bias, output, rest = np.split(former, sizes)
    for state in list(positions("gravwell:players=3", (PLAYING,), games=1))[::5]:
        view = np.array(state.view(state.turn).position)
        listed = plain_features(view, state.turn, 4 + int(view[TURN]))
        hidden = np.maximum(first.reshape(-1, units)[listed].sum(axis=0) + bias, 0)
        wished = np.maximum(hidden @ second.reshape(units, deeper) + second_bias, 0)
        value = 1 / (1 + math.exp(-float(wished @ output + rest[0])))
        active, _ = described(view, state.turn, 4 + int(view[TURN]))
        count = features.describe_fully(view, state.turn, 4 + int(view[TURN]), active)
        network.sum_up(parameters, active, count, search.sums, VALUE_ROW)
        assert network.value_of(parameters, search.sums, VALUE_ROW, SECOND_ROW) == pytest.approx(
            value, abs=1e-6
        )
    kept = network.END - network.HABITS
    assert np.array_equal(parameters[network.HABITS : network.END], rest[1 : 1 + kept])


def test_wrong_use_is_told_in_one_line(tmp_path):
    with pytest.raises(ValueError, match="samples is 1 to"):
        Champion(samples=0)
    with pytest.raises(ValueError, match="randomness lies between"):
        Champion(randomness=1.5)
    with pytest.raises(ValueError, match="Did you mean 'stop'"):
        Champion(without="stopp")
    with pytest.raises(WrongSeats, match="plays gravwell, not skirmish"):
        Champion().policy(make_game("skirmish"))
    with pytest.raises(SandtableError, match="cannot read the weights"):
        Champion(weights=str(tmp_path / "none"))
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(BUNDLED.read_bytes()[:-8])
    with pytest.raises(SandtableError, match="damaged"):
        load_weights(damaged)
    short = tmp_path / "short.safetensors"
    short.write_bytes(weights_bytes(load_weights()[:10], {}))
    with pytest.raises(SandtableError, match="does not fit"):
        load_weights(short)
