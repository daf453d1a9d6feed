"""What the server answers about work in the background: jobs, training runs and their weights."""

from __future__ import annotations

from typing import Any, Literal

from sandtable.server.client_messages import Strict

__all__ = ["Job", "PlayableWeights", "TrainingCurve", "TrainingRun"]


class JobProgress(Strict):
    """How far a job has come; a training has the name of its run."""

    done: int | None = None
    total: int | None = None
    run: str | None = None


class Job(Strict):
    """Work in the background; what its progress and result hold depends on its kind."""

    job: str
    kind: str
    title: str
    status: str
    progress: JobProgress | None
    result: Any
    error: str | None
    seconds: float


class TrainingRun(Strict):
    """A training run."""

    run: str
    lines: int
    state: Literal["running", "stopped", "finished", "failed"]
    reason: str  # why it failed
    unit: str  # what it consists of; empty: not known
    done: int | None
    total: int | None
    columns: list[str]


class PlayableWeights(Strict):
    """A file of trained weights, and an agent that can play with it."""

    file: str
    agent: str
    game: str
    title: str
    seats: list[str]  # that the agent can take
    all_seats: list[str]


class TrainingCurve(Strict):
    """What a training run wrote down."""

    run: str
    config: dict[str, Any]
    columns: list[str]
    rows: list[list[float | None]]
    total: int
