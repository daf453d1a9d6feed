"""Measures how long a newcomer waits from opening the page to the first move of a first game.

    python scripts/first_move.py            as installed, kernels compiled before
    python scripts/first_move.py --cold     with an empty cache of compiled kernels

It starts ``sandtable serve``, opens the first page in a Chromium that has never been there, and
does what page and guide say, without a pause: so the seconds are those of the machine, and what a
person needs to read comes on top; the words that the guide says are counted for that.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from playwright.sync_api import Browser  # noqa: E402

from browser.driving import Person, started  # noqa: E402
from server.running import Process  # noqa: E402

PATIENCE = 600_000  # milliseconds; a level may have to be compiled on a busy machine
GAMES = ("lucid", "skirmish", "stratego", "gravwell")


class Newcomer:
    """Somebody who clicks what the page offers; clicks, seconds and words are counted."""

    def __init__(self, browser: Browser, host: str) -> None:
        self.person = Person(browser, host)
        self.person.context.set_default_timeout(PATIENCE)
        self.began = time.perf_counter()
        self.clicks = self.words = 0
        self.person.open("/")
        self.person.find("[data-game]").first.wait_for()
        self.shown = time.perf_counter() - self.began

    def click(self, selector: str) -> None:
        """Click the first of these as soon as it is there."""
        self.person.find(selector).first.click()
        self.clicks += 1

    def read(self) -> None:
        """Count the words of the guide."""
        self.words += len(self.person.find("[data-testid=guide] p").inner_text().split())

    def move(self, marked: bool) -> None:
        """Make the first move: a piece and a place, or a stack of cards."""
        self.person.find("[data-turn=yours]").wait_for()
        before = self.person.ply
        if self.person.find("[data-movable]").count():
            self.click("[data-movable]")
            if marked:
                self.read()
            self.click("[data-target]")
        else:
            self.click("button.hinted" if marked else "button.choice")
        self.person.find(f"[data-ply]:not([data-ply='{before}'])").wait_for()

    def result(self) -> str:
        """Return what it took, and go."""
        seconds = time.perf_counter() - self.began
        self.person.close()
        words = f", {self.words} words of the guide" if self.words else ""
        return f"{self.clicks} clicks, {seconds:.1f} s ({self.shown:.1f} s to the page){words}"


def guided(newcomer: Newcomer, game: str) -> None:
    """Choose a game, and its guided first game."""
    newcomer.click(f"[data-game={game}]")
    newcomer.click("[data-do=guided]")
    newcomer.person.find("[data-testid=guide]").wait_for()
    newcomer.read()
    newcomer.click("[data-do=guide-next]")
    newcomer.read()
    newcomer.move(True)


def alone(newcomer: Newcomer, game: str) -> None:
    """Choose a game, and start it as it is offered."""
    newcomer.click(f"[data-game={game}]")
    newcomer.click("[data-do=start]")
    newcomer.move(False)


WAYS: dict[str, Callable[[Newcomer, str], None]] = {"guided": guided, "alone": alone}


def load() -> str:
    """Say how busy the machine is: others who work on it make everything slower."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def main() -> None:
    """Measure every game both ways, each with a browser of its own."""
    parser = argparse.ArgumentParser(description="From opening the page to the first move.")
    parser.add_argument("--cold", action="store_true", help="with an empty cache of kernels")
    parser.add_argument("--way", choices=list(WAYS), help="only this way (default: all)")
    chosen = parser.parse_args()
    ways = {way: do for way, do in WAYS.items() if chosen.way in (None, way)}
    with tempfile.TemporaryDirectory() as folder:
        if chosen.cold:
            os.environ["SANDTABLE_CACHE"] = str(Path(folder) / "cache")
        began = time.perf_counter()
        server = Process(Path(folder), Path(folder), mode=())
        print(f"the server answers after {time.perf_counter() - began:.1f} s; {load()}", flush=True)
        try:
            with started() as browser:
                for game in GAMES:
                    for way, do in ways.items():
                        newcomer = Newcomer(browser, server.host)
                        do(newcomer, game)
                        print(f"{game}, {way}: {newcomer.result()}", flush=True)
        finally:
            server.stop()
    print(load())


if __name__ == "__main__":
    main()
