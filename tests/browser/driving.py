"""A real browser for tests: headless Chromium, clicking what a person would click."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "src" / "sandtable" / "server" / "static"
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
PATIENCE = 120_000  # milliseconds; kernels may have to be compiled on a busy machine
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
expect.set_options(timeout=PATIENCE)
AT_ONCE = "localStorage.setItem('sandtable.pace', 'instant')"  # nothing waits to be seen


def chromium() -> str | None:
    """Return the browser of this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((found for name in names if (found := shutil.which(name))), None)


@contextmanager
def started() -> Iterator[Browser]:
    """Start the browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


class Person:
    """Somebody with a browser of their own; errors of the page fail the test at the end."""

    def __init__(self, browser: Browser, host: str, *, phone: bool = False, dark: bool = False):
        size = {"width": 360, "height": 740} if phone else {"width": 1280, "height": 900}
        self.context: BrowserContext = browser.new_context(
            viewport=size,
            has_touch=phone,
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",  # nothing is half faded in when colours are judged
            base_url=f"http://{host}",
        )
        self.context.add_init_script(AT_ONCE)
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("console", self.heard)
        self.dice = random.Random(3)

    def heard(self, message: object) -> None:
        """Remember what the page complains of, but not that it was refused or left on purpose."""
        text = str(getattr(message, "text", ""))
        error = getattr(message, "type", "") == "error"
        if error and not re.search("WebSocket|ERR_CONN|status of 40", text):
            self.problems.append(text)

    def close(self) -> None:
        self.context.close()
        assert self.problems == []

    def open(self, path: str) -> None:
        self.page.goto(path)

    def find(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def click(self, selector: str) -> None:
        self.find(selector).first.click()

    def start(self, game: str, preset: str | None = None, **seats: str) -> None:
        """Fill in the form of a new game: ``seat_1='agent:random'``."""
        self.open("/")
        self.click(f"[data-game={game}]")
        if preset is not None:
            self.find("[data-testid=preset]").select_option(preset)
        if seats:
            self.more()
        for seat, who in seats.items():
            select = self.find(f"[data-testid={seat.replace('_', '-')}]")
            select.select_option(who)
        self.click("[data-do=start]")
        self.my_turn()

    def more(self) -> None:
        """Open what a newcomer does not need."""
        self.find("[data-do=more]").wait_for()
        if self.find("details[open] > [data-do=more]").count() == 0:
            self.click("[data-do=more]")

    def my_turn(self) -> bool:
        """Wait until it is this person's turn; False: the game is over."""
        self.find("[data-turn=yours], [data-turn=over]").wait_for()
        return self.find("[data-turn=yours]").count() > 0

    @property
    def ply(self) -> int:
        return int(self.find("[data-ply]").get_attribute("data-ply") or 0)

    def act(self, *doings: Callable[[], object]) -> None:
        """Do something that plays, and wait until the server has taken it."""
        before = self.ply
        for do in doings:
            do()
        self.find(f"[data-ply]:not([data-ply='{before}'])").wait_for()

    def any_of(self, selector: str) -> Locator:
        found = self.find(selector)
        found.first.wait_for(state="attached")  # the board may still be on its way
        return found.nth(self.dice.randrange(found.count()))

    def move(self, source: str | None = None, target: str | None = None) -> None:
        """Tap a piece and a place it can go to."""
        start = f"[data-place='{source}']" if source else "[data-movable]"
        end = f"[data-place='{target}']" if target else "[data-target]"
        self.act(lambda: self.any_of(start).click(), lambda: self.any_of(end).click())

    def over(self) -> None:
        expect(self.find("[data-testid=outcome]")).to_contain_text("Game over")

    def axe(self, *rules: str) -> list[str]:
        """Return what axe finds wrong with the page as it is, by all rules or by these."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        how = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
        found = self.page.evaluate("(how) => axe.run(how).then((one) => one.violations)", how)
        return [
            f"{each['id']}: {each['help']}: {node['html'][:120]}: {node['failureSummary'][-160:]}"
            for each in found
            for node in each["nodes"][:2]
        ]
