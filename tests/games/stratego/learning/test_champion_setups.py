"""Set-ups for training Stratego's champion: legal, varied, and of the kinds they should be."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sandtable.batch import Batch  # noqa: E402
from sandtable.dice import Dice  # noqa: E402
from sandtable.games.stratego import layout  # noqa: E402
from sandtable.games.stratego.agents.champion.setups import draw_setup  # noqa: E402
from sandtable.games.stratego.learning.champion.config import TINY  # noqa: E402
from sandtable.games.stratego.learning.champion.games import SelfPlay, training_game  # noqa: E402
from sandtable.games.stratego.named_setups import FIRST_NAMED, NAMED_RANKS  # noqa: E402
from sandtable.games.stratego.setups import Setup, check_setup  # noqa: E402

SIDE, BACK = layout.SIDE, 3
VARIED_FROM = TINY.stages[2].first_round


def drawn(count):
    """Return set-ups [count, 4, 10], front row first."""
    ranks, dice = np.zeros((count, 40), dtype=np.int64), Dice(5)
    for each in ranks:
        draw_setup(each, dice.array)
    return ranks.reshape(count, 4, SIDE)


def ranks_of(position, seat):
    """Return the ranks [40] of a seat as it sees them, front row first."""
    squares = [layout.setup_square(position, seat, index) for index in range(40)]
    return position[layout.BOARD + np.array(squares)] & layout.RANK_BITS


def test_drawn_setups_are_legal_and_no_two_alike():
    setups = drawn(400)
    assert len({each.tobytes() for each in setups}) == 400
    for each in setups:
        assert check_setup(Setup(layout.CLASSIC, tuple(map(int, each.ravel())))) == []


def test_flags_stand_behind_and_mostly_beside_bombs():
    guarded, cornered, behind = 0, 0, 0
    for each in drawn(400):
        row, column = np.argwhere(each == layout.FLAG)[0]
        around = np.pad(each, 1)[row : row + 3, column : column + 3]
        beside = [around[0, 1], around[1, 0], around[1, 2], around[2, 1]]
        guarded += beside.count(layout.BOMB) >= 2
        cornered += column in (0, 1, 8, 9)
        behind += row == BACK
        assert row >= BACK - 1
    assert 200 < guarded < 360
    assert 200 < cornered < 320  # half by choice, and two fifths of the others
    assert 320 < behind < 400


def test_each_side_has_a_setup_of_any_kind():
    games = Batch(training_game(long_scouts=True, varied=True), 1600, seed=1, observe=False)
    known = NAMED_RANKS[FIRST_NAMED[layout.CLASSIC] : FIRST_NAMED[layout.CLASSIC + 1]]
    tables = known.reshape(-1, 4, SIDE)
    names = {each.tobytes() for table in tables for each in (table, table[:, ::-1].copy())}
    named = np.zeros((1600, 2), dtype=bool)
    for row, position in enumerate(games.positions):
        for seat in (0, 1):
            ranks = ranks_of(position, seat).astype(tables.dtype)
            named[row, seat] = ranks.tobytes() in names
            counts = np.bincount(ranks, minlength=layout.RANKS)
            assert np.array_equal(counts, layout.PIECE_COUNTS[layout.CLASSIC])
    share = named.mean(axis=0)
    assert share == pytest.approx(0.125, abs=0.035)  # four deviations
    both = named.all(axis=1).mean()
    assert both == pytest.approx(0.125**2, abs=0.0125)


def test_games_go_on_when_setups_change_and_new_ones_are_varied():
    games = SelfPlay(TINY, torch.device("cpu"), 1)
    for _ in range(5):
        games.batch.step(games.batch.random_actions())
    before = {name: array.copy() for name, array in games.batch.saved().items()}
    plain = games.batch
    games.begin_round(VARIED_FROM - 1)
    assert games.batch is plain
    games.begin_round(VARIED_FROM)
    assert games.batch is not plain
    after = games.batch.saved()
    assert all(np.array_equal(array, after[name]) for name, array in before.items())
    resumed = SelfPlay(TINY, torch.device("cpu"), 1, number=VARIED_FROM)
    resumed.batch.restore(before)
    flags_in_front = 0
    for _ in range(400):
        for each in (games, resumed):
            each.batch.step(each.batch.random_actions())
        assert np.array_equal(games.batch.positions, resumed.batch.positions)
    games.batch.reset(1000)
    for position in games.batch.positions:
        for seat in (0, 1):
            flags_in_front += layout.FLAG in ranks_of(position, seat)[: BACK * SIDE]
    assert flags_in_front  # random set-ups have it on the back row
