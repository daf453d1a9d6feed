"""The conformance kit: does a game, or an agent, keep what the contract promises?

The same checks serve our own games and agents and those of other packages, in tests
(``assert not check_game(game).problems``) and on the command line (``sandtable check lucid``).
"""

from sandtable.conformance.agents import check_agent
from sandtable.conformance.games import check_game
from sandtable.conformance.report import BrokenContract, Problem, Report

__all__ = ["BrokenContract", "Problem", "Report", "check_agent", "check_game"]
