"""Tier cli: a command-line assistant that the person pays for, asked once per turn."""

from pace.planners.cli_bridge.finding import find_program
from pace.planners.cli_bridge.planner import CliPlanner

__all__ = ["CliPlanner", "find_program"]
