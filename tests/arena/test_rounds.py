"""Rounds for people: everybody meets everybody once, Swiss pairs equals, byes are shared out."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest

from sandtable.arena.tournaments.points import GameResult, MeetingResult, meeting_points, table_of
from sandtable.arena.tournaments.rounds import SWISS, circle_rounds, swiss_round
from sandtable.registry import make_game

WINNERS = make_game("skirmish")
SCORES = make_game("lucid")


@pytest.mark.parametrize("count", range(2, 14))
def test_in_a_round_robin_all_meet_once_and_seats_are_shared_fairly(count):
    rounds = circle_rounds(range(count))
    assert len(rounds) == count - 1 + count % 2
    for each in rounds:
        playing = [player for pair in each.pairs for player in pair] + list(each.byes)
        assert sorted(playing) == list(range(count))
        assert len(each.byes) == count % 2
    met = Counter(frozenset(pair) for each in rounds for pair in each.pairs)
    assert met == Counter(map(frozenset, combinations(range(count), 2)))
    firsts = Counter(pair[0] for each in rounds for pair in each.pairs)
    assert {firsts[player] for player in range(count)} <= {(count - 1) // 2, count // 2}
    assert len({player for each in rounds for player in each.byes}) == count * (count % 2)


@pytest.mark.parametrize("count", [2, 5, 8, 13, 31])
def test_swiss_pairs_equals_never_twice_and_gives_every_bye_to_another(count):
    dice = random.Random(count)
    points, met, byes = dict.fromkeys(range(count), 0.0), [], []
    for _ in range(min(5, count - 1)):
        ranking = sorted(points, key=lambda player: (-points[player], player))
        made = swiss_round(ranking, points, met, byes)
        seated = [player for pair in made.pairs for player in pair] + list(made.byes)
        assert sorted(seated) == list(range(count))
        for one, other in made.pairs:
            assert (one, other) not in met and (other, one) not in met
            points[dice.choice((one, other))] += 1
        for player in made.byes:
            points[player] += 1
        met += made.pairs
        byes += made.byes
    assert len(set(byes)) == len(byes)
    if count == 31:  # nobody meets somebody far away while equals are there
        ranking = sorted(points, key=lambda player: (-points[player], player))
        apart = [
            abs(points[one] - points[other])
            for one, other in swiss_round(ranking, points, met, byes).pairs
        ]
        assert max(apart) <= 2


def test_when_all_have_met_they_meet_again():
    assert set(swiss_round([0, 1], {}, [(0, 1), (1, 0)]).pairs[0]) == {0, 1}
    met = list(combinations(range(4), 2))
    assert len(swiss_round([0, 1, 2, 3], {}, met).pairs) == 2


def won(one: int, other: int, room: str, **more) -> MeetingResult:
    return MeetingResult((one, other), (GameResult((one, other), (1.0, -1.0), (room, 0), **more),))


def test_points_ties_and_byes():
    names = ["Ann", "Ben", "Eve", "Max"]
    drawn = MeetingResult((0, 1), (GameResult((1, 0), (0.0, 0.0), ("a", 0)),))
    table = table_of(WINNERS, SWISS, names, [drawn, won(2, 3, "b")], {})
    assert [(row.player, row.place, row.points) for row in table.rows] == [
        (2, 1, 1.0), (0, 2, 0.5), (1, 2, 0.5), (3, 4, 0.0),
    ]  # fmt: skip
    assert [row.tie_break for row in table.rows] == [0.0, 0.5, 0.5, 1.0]
    rested = table_of(WINNERS, "round-robin", names[:3], [won(0, 1, "c")], {2: 1})
    assert [(row.player, row.byes, row.points) for row in rested.rows][:2] == [
        (0, 0, 1.0), (2, 1, 1.0),
    ]  # fmt: skip
    assert rested.rows[0].meetings == 1


def test_few_games_have_no_interval_and_the_table_says_why():
    meetings = [won(0, 1, "a"), won(0, 1, "b"), won(1, 0, "c")]
    table = table_of(WINNERS, SWISS, ["Ann", "Ben"], meetings, {})
    assert table.rows[0].rated is not None
    assert table.rows[0].rated.rating.rating > table.rows[1].rated.rating.rating
    assert any("fewer than 20 observations" in reason for reason in table.reasons)
    assert table_of(WINNERS, SWISS, ["Ann", "Ben"], [], {}).reasons == ()


def test_who_was_replaced_gets_nothing_and_the_game_says_nothing_about_strength():
    lost = GameResult((0, 1), (1.0, -1.0), ("a", 0), (True, False))
    assert meeting_points(WINNERS, MeetingResult((0, 1), (lost,))) == (0.0, 0.0)
    beaten = GameResult((0, 1), (-1.0, 1.0), ("a", 0), (True, False))
    meeting = MeetingResult((0, 1), (beaten,))
    assert meeting_points(WINNERS, meeting) == (0.0, 1.0)
    assert table_of(WINNERS, SWISS, ["Ann", "Ben"], [meeting], {}).rows[0].rated is None


def test_where_only_scores_count_the_better_sum_of_both_sides_wins():
    games = (
        GameResult((0, 1), (9.0, -9.0), ("a", 0)),
        GameResult((1, 0), (7.0, -7.0), ("b", 0)),
    )
    meeting = MeetingResult((0, 1), games)
    assert meeting_points(SCORES, meeting) == (1.0, 0.0)
    table = table_of(SCORES, "round-robin", ["Ann", "Ben"], [meeting], {}, 2)
    assert (table.rows[0].points, table.rows[0].margin.mean) == (1.0, 2.0)
    assert table.rows[0].rated is None
