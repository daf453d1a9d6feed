"""What a run measures, in tries as short as they can be, and what it does without."""

import pytest

from sandtable.benchmarking import tasks as benchmark
from sandtable.benchmarking.figures import Run
from sandtable.benchmarking.ours import (
    batch_figure,
    kernel_network_agent,
    network_files,
    play_figures,
)
from sandtable.benchmarking.timing import Effort
from sandtable.benchmarking.twin import twin_figure
from sandtable.benchmarking.yardsticks import HIDDEN_HANDS, yardsticks_for
from sandtable.errors import SandtableError
from sandtable.registry import game_names, make_game

SHORT = Effort(tries=2, seconds=0.001)


def empty_run() -> Run:
    return Run({}, "sandtable bench", 8)


def test_yardsticks_follow_from_what_a_game_hides_and_throws():
    nearest = {name: yardsticks_for(make_game(name)).openspiel[0] for name in game_names()}
    assert nearest["stratego"] == "dark_chess"
    assert nearest["gravwell"].startswith("hanabi")
    assert nearest["lucid"] == "backgammon"
    assert nearest["skirmish"] == "breakthrough"


def test_networks_are_files_or_the_agent_that_has_one_in_a_kernel():
    assert "champion" in [path.stem for path in network_files("stratego")]
    assert not network_files("lucid") and not network_files("gravwell")
    assert kernel_network_agent("lucid") == "lucid/champion-blue"
    assert kernel_network_agent("gravwell") == "gravwell/champion"


def test_our_games_are_measured():
    game = make_game("lucid")
    plies, games = play_figures(game, SHORT)
    assert plies.value > games.value > 0
    figure = batch_figure(game, 8, SHORT, observe=True)
    assert figure.name == "batch of 8 with planes"
    assert figure.planes
    assert figure.value > 0


def test_the_twin_runs_the_same_rules_without_a_compiler():
    twin = twin_figure("lucid", SHORT)
    assert twin.source == "plain Python"
    assert twin.value > 0
    with pytest.raises(SandtableError, match="the plain twin of nothing stopped"):
        twin_figure("nothing", SHORT)


@pytest.mark.parametrize("name", ["kuhn_poker", HIDDEN_HANDS.openspiel[1]])
def test_games_of_openspiel_are_stepped_in_three_ways(name):
    pytest.importorskip("pyspiel", reason="needs the extra 'interop'")
    from sandtable.benchmarking.yardsticks import openspiel_figures

    alone, tensors, environment = openspiel_figures("gravwell", name, SHORT)
    assert not alone.planes
    assert tensors.planes
    assert environment.planes
    assert min(each.value for each in (alone, tensors, environment)) > 0


def test_games_of_pgx_are_stepped_at_the_same_batch():
    pytest.importorskip("pgx", reason="needs the extra 'bench'")
    from sandtable.benchmarking.yardsticks import pgx_figure

    figure = pgx_figure("skirmish", "tic_tac_toe", 8, SHORT)
    assert figure.name == "tic_tac_toe, batch of 8"
    assert figure.value > 0


def test_a_missing_package_is_one_line_and_no_error(monkeypatch):
    monkeypatch.setattr(benchmark, "find_spec", lambda name: None)
    run = empty_run()
    tasks = benchmark.tasks_of("lucid", 8, SHORT, True, run)
    tasks += benchmark.tasks_of("skirmish", 8, SHORT, True, run)
    assert run.notes == [
        "OpenSpiel is not measured: pyspiel is missing (pip install 'sandtable-games[interop]')",
        "pgx is not measured: pgx is missing (pip install 'sandtable-games[bench]')",
    ]
    assert not [task for task in tasks if "pgx" in task.label or "OpenSpiel" in task.label]


def test_what_cannot_be_measured_is_noted_and_the_rest_goes_on():
    def broken():
        raise RuntimeError("of another version\nwith many lines")

    run, begun = empty_run(), []
    tasks = [benchmark.Task("one", broken), benchmark.Task("two", lambda: ["figure"])]
    benchmark.run_tasks(tasks, run, begun.append)
    assert begun == ["one", "two"]
    assert run.figures == ["figure"]
    assert run.notes == ["one: RuntimeError: of another version"]
