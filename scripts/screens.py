"""Takes a picture of every page of the browser client at four sizes of window.

    python scripts/screens.py                      all of them, for docs/screens.md and other pages
    python scripts/screens.py --only home,archive  some of them
    python scripts/screens.py --whole /tmp/look    every window as a PNG too, to look at

It starts a server of its own with games, a match, a class and a training run in it, and drives the
Chromium that the browser tests use. One picture in docs/images/screens shows one page in all four
windows; some windows are kept by themselves in docs/images.
"""

from __future__ import annotations

import argparse
import io
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, ViewportSize  # noqa: E402
from playwright.sync_api import Error as PlaywrightError  # noqa: E402

from browser.driving import Person, started  # noqa: E402
from sandtable.arena.play.game_loop import play_game  # noqa: E402
from sandtable.games.skirmish.agents.champion.evaluation import BUNDLED  # noqa: E402
from sandtable.records.lines import record_to_line  # noqa: E402
from sandtable.registry import make_agent, make_game  # noqa: E402
from server.running import Running, running, wait_until  # noqa: E402

PAGE = ROOT / "docs" / "screens.md"
IMAGES = ROOT / "docs" / "images" / "screens"
SIZES = {
    "notebook": (1366, 657),
    "screen": (1280, 900),
    "phone": (390, 844),
    "sideways": (844, 390),
}
PATIENCE = 400_000  # milliseconds; programs may have to be compiled on a busy machine
SCALE, GAP, QUALITY, ALONE_QUALITY = 0.55, 12, 50, 65
GAMES = ("lucid", "skirmish", "stratego", "gravwell")
TITLES = {
    "lucid": "Operation Lucid",
    "skirmish": "Skirmish",
    "stratego": "Stratego",
    "gravwell": "Gravwell",
}
PLAYED = {  # by game: programs whose game is looked at, where a person takes over, and the other
    "lucid": ("lucid", ("lucid/one-axis-blue", "lucid/axes-red"), 90),
    "skirmish": ("skirmish:level=3", ("skirmish/greedy", "skirmish/greedy"), 70),
    "stratego": ("stratego:max_plies=300", ("random", "random"), 240),
    "gravwell": ("gravwell:players=4", ("gravwell/decision-tree",) * 4, 40),
}


@dataclass
class World:
    """A server with something on every page, and somebody who looks at it."""

    server: Running
    browser: Browser
    size: ViewportSize  # of the window that is looked at
    archive: dict[str, str] = field(default_factory=dict)  # a finished game of each kind
    persons: list[Person] = field(default_factory=list)

    def person(self) -> Person:
        """Return somebody with an empty browser."""
        self.persons.append(Person(self.browser, self.server.host))
        self.persons[-1].context.set_default_timeout(PATIENCE)
        self.persons[-1].page.set_viewport_size(self.size)
        return self.persons[-1]

    def finished(self, game: str) -> str:
        """Return a finished game between programs."""
        if game not in self.archive:
            spec, agents, _ = PLAYED[game]
            room = self.server.room(spec, *agents)["room"]
            self.archive[game] = self.kept(room)
        return self.archive[game]

    def kept(self, room: str) -> str:
        """Wait for the end of a game, and return its place in the archive."""
        wait_until(lambda: self.server.get(f"/api/rooms/{room}")["archive"] is not None)
        place = str(self.server.get(f"/api/rooms/{room}")["archive"])
        wait_until(lambda: self.server.http.get(f"/api/archive/{place}").status_code == 200)
        return place

    def taken_over(self, game: str, ply: int | None = None) -> dict[str, Any]:
        """Give the first seat of a finished game to a person, in its middle or near its end."""
        spec, agents, middle = PLAYED[game]
        start = {"archive": self.finished(game), "ply": middle if ply is None else ply}
        return self.server.room(spec, None, *agents[1:], start=start)

    def played_out(self, game: str) -> tuple[dict[str, Any], str]:
        """Take a game over near its end, play it to the end, and return room and archive."""
        total = int(self.server.get(f"/api/archive/{self.finished(game)}")["plies"])
        links = self.taken_over(game, max(0, total - 6))
        dice = random.Random(1)
        with self.server.joined(links["room"], links["seats"][0]["token"]) as player:
            player.until_type("state")
            player.play_to_end(lambda legal: dice.choice(legal)["action"])
        return links, self.kept(links["room"])


# --- pages ------------------------------------------------------------------------------------


def home_new(world: World) -> Person:
    """Open the first page."""
    person = world.person()
    person.open("/")
    person.find(".picture svg").nth(3).wait_for()
    return person


def home_game(world: World) -> Person:
    """Choose a game."""
    person = home_new(world)
    person.click("[data-game=skirmish]")
    person.find("[data-do=start]").wait_for()
    return person


def home_more(world: World) -> Person:
    """Unfold what a newcomer does not need."""
    person = home_new(world)
    person.click("[data-game=stratego]")
    person.more()
    person.find("[data-do=more]").scroll_into_view_if_needed()
    return person


def home_yours(world: World) -> Person:
    """Leave a game open, give another up, and come back."""
    person = world.person()
    person.start("skirmish")
    person.move()
    person.my_turn()
    person.start("lucid")
    person.click("[data-do=resign]")
    person.click("[data-do=resign-now]")
    person.over()
    person.open("/")
    person.find("[data-testid=your-results]").wait_for()
    return person


def menu(world: World) -> Person:
    """Unfold the menu, where there is one."""
    person = home_new(world)
    if person.find("text=Menu").is_visible():
        person.find("text=Menu").click()
    return person


def rules(game: str) -> Callable[[World], Person]:
    """Open the rules of a game."""

    def look(world: World) -> Person:
        person = home_new(world)
        person.find(".card").filter(has=person.find(f"[data-game={game}]")).locator(
            "[data-do=rules]"
        ).click()
        person.find("[data-testid=legend] dt").first.wait_for()
        return person

    return look


def guide(game: str) -> Callable[[World], Person]:
    """Begin a guided first game."""

    def look(world: World) -> Person:
        person = world.person()
        person.open(f"/learn/{game}")
        person.my_turn()
        person.click("[data-do=guide-next]")
        person.find("[data-hint], .hinted").first.wait_for()
        return person

    return look


def room(game: str) -> Callable[[World], Person]:
    """Take a game of programs over and take up a piece."""

    def look(world: World) -> Person:
        person = world.person()
        person.open(world.taken_over(game)["seats"][0]["link"])
        person.my_turn()
        if person.find("[data-movable]").count():
            person.find("[data-movable]").last.click()
        return person

    return look


def end(game: str) -> Callable[[World], Person]:
    """See how a game ended."""

    def look(world: World) -> Person:
        person = world.person()
        person.open(world.played_out(game)[0]["seats"][0]["link"])
        person.over()
        return person

    return look


def hint(world: World) -> Person:
    """Ask for a hint."""
    person = world.person()
    person.open(world.taken_over("skirmish")["seats"][0]["link"])
    person.my_turn()
    person.click("[data-do=hint]")
    person.find("[data-testid=hint]").wait_for()
    return person


def setting_up(world: World) -> Person:
    """Set up pieces."""
    person = world.person()
    links = world.server.room("stratego:setup=choose", None, "random")
    person.open(links["seats"][0]["link"])
    person.find("[data-do=ready]").wait_for()
    return person


def friend(world: World) -> Person:
    """Wait for a friend."""
    person = world.person()
    person.open("/")
    person.click("[data-game=skirmish]")
    person.find("label:has([data-level=person])").click()
    person.click("[data-do=start]")
    person.find("[data-turn]").wait_for()
    return person


def replay(world: World) -> Person:
    """Ask about a position and a whole game."""
    person = world.person()
    person.open(f"/replay/{world.finished('lucid')}?ply=58")
    person.click("[data-do=curve]")
    person.find("figure svg .line").first.wait_for()
    person.click("[data-do=candidates]")
    person.find("[aria-label='Candidate moves']").wait_for()
    person.page.evaluate("scrollTo(0, 0)")
    return person


def mistakes(world: World) -> Person:
    """Have mistakes found, and look at one."""
    agents = [make_agent("random"), make_agent("random")]  # who makes some
    game, names = make_game("skirmish:max_turns=6"), ("human", "random")
    record = play_game(game, agents, specs=names, seed=3, number=0).record
    world.server.post("/api/archive", {"lines": record_to_line(record)})
    person = world.person()
    person.open(f"/replay/{record.identity}?mistakes")
    person.find("[data-mistake]").first.wait_for()
    person.find("[data-testid=mistakes] [role=status]").wait_for(state="detached")
    person.click("[data-mistake]")
    person.page.evaluate("scrollTo(0, 0)")
    return person


def archive(world: World) -> Person:
    """List what is kept."""
    for game in GAMES:
        world.finished(game)
    person = arena(world)
    person.open("/archive")
    person.find("tbody tr").first.wait_for()
    return person


def puzzles(world: World) -> Person:
    """See which games have puzzles."""
    person = world.person()
    person.open("/puzzles")
    person.find("[data-puzzles] svg").nth(3).wait_for()
    return person


def puzzle(game: str) -> Callable[[World], Person]:
    """Open a puzzle; that of Skirmish with its solution."""

    def look(world: World) -> Person:
        person = world.person()
        person.open(f"/puzzles/{game}/3")
        person.find("[data-testid=task]").wait_for()
        if game == "skirmish":
            person.click("[data-do=solution]")
            person.find("[data-testid=verdict] tbody tr").first.wait_for()
        return person

    return look


def class_new(world: World) -> Person:
    """Fill in the form of a class."""
    person = world.person()
    person.open("/class")
    person.find("[data-do=make-class], [data-testid=class-name]").first.wait_for()
    return person


def class_host(world: World) -> Person:
    """Look at a class as its host."""
    links, _ = school(world.server)
    person = world.person()
    person.open(links["host_link"])
    person.find("[data-do=start-round]").wait_for()
    return person


def class_guest(world: World) -> Person:
    """Look at a class as a player whose game is ready."""
    links, tokens = school(world.server)
    path = f"/api/classes/{links['name']}"
    mine = next(
        token
        for token in tokens
        if world.server.get(f"{path}/me", headers={"Authorization": f"Bearer {token}"})["games"]
    )
    person = world.person()
    person.open("/")
    key = f"sandtable.class.{links['name']}.player"
    for store in ("localStorage", "sessionStorage"):
        person.page.evaluate(f"{store}.setItem('{key}', '{mine}')")
    person.open(f"/class/{links['name']}")
    person.find("[data-do=play]").wait_for()
    return person


def school(server: Running) -> tuple[dict[str, Any], list[str]]:
    """Make a class of four in its third round; return its links and the tokens of its players."""
    links = server.post("/api/classes", {"game": "skirmish", "title": "Class 8b", "kind": "swiss"})
    path, host = f"/api/classes/{links['name']}", {"Authorization": f"Bearer {links['host']}"}
    tokens = [
        server.post(f"{path}/players", {"name": name})["token"]
        for name in ("Ada", "Blaise", "Carl", "Emmy")
    ]
    for number in range(3):
        rounds = server.post(f"{path}/rounds", {}, headers=host)["rounds"]
        for meeting in rounds[-1]["meetings"][: 2 if number < 2 else 1]:
            wanted = {"room": meeting["games"][0]["room"], "seat": max(0, 1 - number)}
            server.post(f"{path}/decisions", wanted, headers=host)
    return links, tokens


def plain(path: str, ready: str) -> Callable[[World], Person]:
    """Open a page that needs nothing else."""

    def look(world: World) -> Person:
        person = world.person()
        person.open(path)
        person.find(ready).first.wait_for()
        return person

    return look


def label(world: World) -> Person:
    """Train from labels, and see how well that went."""
    person = plain("/label", "fieldset[data-group]")(world)
    person.find("[data-testid=examples]").fill("200")
    person.click("[data-do=retrain]")
    person.find("[data-testid=training]:has-text('done')").wait_for()
    return person


def training(world: World) -> Person:
    """See the curves of a run."""
    label(world)
    person = plain("/training", "[data-run]")(world)
    person.find("[data-weights]").first.wait_for()
    return person


def arena(world: World) -> Person:
    """Play a match."""
    person = world.person()
    person.open("/arena")
    person.find("select").first.select_option("gravwell")
    person.find("[data-testid=player-1]").wait_for()
    person.find("[data-testid=player-0]").fill("gravwell/decision-tree")
    person.find("[data-testid=player-1]").fill("gravwell/random-no-stop")
    person.click("[data-do=match]")
    person.find("[data-testid=match][data-status=done]").wait_for()
    return person


def dark(world: World) -> Person:
    """Play in the dark theme."""
    person = room("stratego")(world)
    person.page.emulate_media(color_scheme="dark")
    return person


def tournament(world: World) -> Person:
    """Play a tournament."""
    person = world.person()
    person.open("/arena")
    person.find("select").first.select_option("skirmish")
    person.find("[data-testid=player-1]").wait_for()
    person.click("[data-do=kind]")
    person.find("[data-testid=field]").fill("skirmish/greedy\nrandom\nlevel:beginner")
    person.find("[data-testid=games]").fill("20")
    person.click("[data-do=match]")
    person.find("[aria-label='Cross table'] tbody tr").nth(2).wait_for()
    person.find("[data-testid=played]:has-text('120 of 120')").wait_for()
    return person


PAGES: dict[str, tuple[str, Callable[[World], Person]]] = {
    "home": ("The first page, opened for the first time", home_new),
    "menu": ("The menu on a phone", menu),
    "home-game": ("A game is chosen", home_game),
    "home-more": ("What is behind More", home_more),
    "home-yours": ("The first page of somebody with games and results", home_yours),
    **{f"rules-{game}": (f"Rules of {TITLES[game]}", rules(game)) for game in GAMES},
    **{f"guide-{game}": (f"Guided first game of {TITLES[game]}", guide(game)) for game in GAMES},
    **{f"room-{game}": (f"{TITLES[game]} while it is played", room(game)) for game in GAMES},
    **{f"end-{game}": (f"The end of {TITLES[game]}", end(game)) for game in GAMES},
    "hint": ("A hint", hint),
    "setting-up": ("Setting up in Stratego", setting_up),
    "friend": ("Waiting for a friend", friend),
    "replay": ("A replay with questions", replay),
    "mistakes": ("Learn from your mistakes", mistakes),
    "archive": ("The archive", archive),
    "series": ("A series", plain("/series/lucid/expert", "[data-testid=series-beside]")),
    "puzzles": ("Puzzles", puzzles),
    **{f"puzzle-{game}": (f"A puzzle of {TITLES[game]}", puzzle(game)) for game in GAMES},
    "class-new": ("Making a class", class_new),
    "class-host": ("A class as its host sees it", class_host),
    "class-guest": ("A class as a player sees it", class_guest),
    "setups": ("Set-ups of Stratego", plain("/setups", "[data-place]")),
    "levels": ("Maps of Skirmish", plain("/levels", "[data-do=start]")),
    "scenarios": ("Scenarios of Operation Lucid", plain("/scenarios", "[data-do=start]")),
    "label": ("Labels of Operation Lucid", label),
    "training": ("Training runs", training),
    "arena": ("A match", arena),
    "tournament": ("A tournament", tournament),
    "dark": ("The dark theme", dark),
}
# Windows that stand by themselves in other documents.
ALONE = {
    "home": ("home-game", "screen"),
    "lucid": ("room-lucid", "screen"),
    "skirmish": ("room-skirmish", "screen"),
    "phone": ("room-skirmish", "phone"),
    "stratego": ("room-stratego", "screen"),
    "stratego-dark": ("dark", "screen"),
    "gravwell": ("room-gravwell", "screen"),
    "replay": ("replay", "screen"),
    "setups": ("setups", "screen"),
    "arena": ("arena", "screen"),
    "label": ("label", "screen"),
    "class": ("class-host", "screen"),
    "class-phone": ("class-guest", "phone"),
}


# Made once and then seen in windows of other sizes.
SLOW = ("home-yours", "hint", "mistakes", "archive", "class-host", "class-guest", "label",
        "training", "arena", "tournament", *(f"end-{game}" for game in GAMES))  # fmt: skip


# --- pictures ---------------------------------------------------------------------------------


def shots(world: World, name: str) -> dict[str, Image.Image]:
    """Return what is seen in each window, after everything has stopped moving."""
    found: dict[str, Image.Image] = {}
    person = None
    for size, (width, height) in SIZES.items():
        world.size = {"width": width, "height": height}
        if person is None or name not in SLOW:  # opened in a window of this size
            person = PAGES[name][1](world)
        person.page.set_viewport_size(world.size)
        person.page.wait_for_timeout(400)
        found[size] = Image.open(io.BytesIO(person.page.screenshot())).convert("RGB")
    for each in world.persons:
        each.close()
    world.persons.clear()
    return found


def sheet(seen: dict[str, Image.Image]) -> Image.Image:
    """Put the four windows beside each other: two wide ones on the left, the phone on the right."""
    small = {
        name: each.resize(
            (round(each.width * SCALE), round(each.height * SCALE)), Image.Resampling.LANCZOS
        )
        for name, each in seen.items()
    }
    left = max(small["notebook"].width, small["screen"].width) + GAP
    places = {
        "notebook": (0, 0),
        "screen": (0, small["notebook"].height + GAP),
        "phone": (left, 0),
        "sideways": (left, small["phone"].height + GAP),
    }
    corners = [(x + small[name].width, y + small[name].height) for name, (x, y) in places.items()]
    made = Image.new("RGB", (max(x for x, _ in corners), max(y for _, y in corners)), "white")
    for name, place in places.items():
        made.paste(small[name], place)
    return made


def page_text() -> str:
    """Return the page of the docs that shows the pictures."""
    sizes = ", ".join(f"{wide} x {high}" for wide, high in SIZES.values())
    lines = [
        "# Screens",
        "",
        "Every page of the [browser client](browser.md) in four windows:",
        f"{sizes} (a phone upright and sideways).",
        "`python scripts/screens.py` takes them anew in a real Chromium, from a server of its own.",
        "",
    ]
    for name, (title, _) in PAGES.items():
        lines += [f"## {title}", "", f"![{title}, in four windows](images/screens/{name}.webp)", ""]
    return "\n".join(lines)


def main() -> None:
    """Take all of them, or some."""
    parser = argparse.ArgumentParser(description="Pictures of every page of the browser client.")
    parser.add_argument("--only", default="", help="names of pages, with commas between them")
    parser.add_argument("--whole", type=Path, help="keep every window as a PNG in this folder")
    chosen = parser.parse_args()
    names = [name for name in chosen.only.split(",") if name] or list(PAGES)
    if unknown := [name for name in names if name not in PAGES]:
        sys.exit(f"there is no page {', '.join(unknown)}; there are: {', '.join(PAGES)}")
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "weights"
        weights.mkdir()
        shutil.copy(BUNDLED, weights / "mine.safetensors")
        with running(Path(folder), weights=weights) as server, started() as browser:
            world = World(server, browser, {"width": 1366, "height": 657})
            failed = [name for name in names if not taken(world, name, chosen.whole)]
    PAGE.write_text(page_text(), encoding="utf-8")
    if failed:
        sys.exit(f"no new pictures of {', '.join(failed)}")


def taken(world: World, name: str, whole: Path | None) -> bool:
    """Take the pictures of one page; False: it went wrong, the others are taken nevertheless."""
    try:
        seen = shots(world, name)
    except (AssertionError, PlaywrightError) as problem:
        told = [complaint for person in world.persons for complaint in person.problems]
        print(f"{name}: {problem} {told}"[:600], flush=True)
        world.persons.clear()
        return False
    IMAGES.mkdir(parents=True, exist_ok=True)
    sheet(seen).save(IMAGES / f"{name}.webp", quality=QUALITY, method=6)
    for alone, (page, size) in ALONE.items():
        if page == name:
            path = IMAGES.parent / f"{alone}.webp"
            seen[size].save(path, quality=ALONE_QUALITY, method=6)
    if whole is not None:
        whole.mkdir(parents=True, exist_ok=True)
        for size, each in seen.items():
            each.save(whole / f"{name}-{size}.png")
    print(name, flush=True)
    return True


if __name__ == "__main__":
    main()
