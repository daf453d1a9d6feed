"""Authors and their bots: who may register what.

A bot never changes: a new version is a new bot, and the old one may be retired. What it plays by:

- ``agent``: the spec of a registered agent, without files and without programs;
- ``weights``: the spec of an agent that takes weights, and the file of them, whose graph workers
  run in a sandbox;
- ``program``: one executable file, which workers run in a sandbox;
- ``remote``: nothing here; the author's own machine answers over a WebSocket.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from inspect import signature
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from sandtable.errors import SandtableError, suggestion
from sandtable.league import tables
from sandtable.league.kinds import AGENT, KINDS, PROGRAM, REMOTE, WEIGHTS, digest_of
from sandtable.league.names import checked_name
from sandtable.league.store import League, NoSuchThing, Store, new_token, now_text
from sandtable.registry import agent_factory, check_seats, make_agent
from sandtable.server.allowed_specs import NEVER, ONLY_WITH_PERMISSION, allowed_hint
from sandtable.specs import parse_spec, without_files
from sandtable.types import Game

__all__ = ["Author", "Bot", "add_author", "add_bot", "author_by_token", "bots_in",
           "bots_of", "expel", "file_data", "numbers", "renew_token", "retire"]  # fmt: skip

OPTION = "weights"
LARGEST_FILE = 64 * 2**20
MOST_BOTS = 1000  # of a league, that play
MOST_BOTS_OF_AUTHOR = 50
MOST_EVER_OF_AUTHOR = 500  # bots, those that are retired too
MOST_BYTES_OF_AUTHOR = 512 * 2**20  # of files, those of retired bots too: their games stay
MOST_BYTES = 16 * 2**30  # of a league
MOST_AUTHORS = 2000  # that are not expelled
EXPELLED = "expelled "  # before a token that nobody has; digests have no blanks
EXECUTABLE = (b"#!", b"\x7fELF")


@dataclass(frozen=True)
class Author:
    """Somebody who may register bots in a league."""

    id: int
    league: int
    name: str


@dataclass(frozen=True)
class Bot:
    """A bot as everybody may know it, and what it plays by."""

    id: int
    name: str
    author: str
    kind: str
    spec: str
    file: str | None
    made_at: str
    retired_at: str | None

    @property
    def plays(self) -> bool:
        """Whether it is still chosen."""
        return self.retired_at is None

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        shown = ("name", "author", "kind", "spec", "file", "made_at", "retired_at")
        return {name: getattr(self, name) for name in shown}


def add_author(store: Store, league: League, name: str) -> str:
    """Let somebody join a league; return the token, which is told once and kept as a digest."""
    checked_name(name, "an author")
    token = new_token()
    with store.writing() as connection:
        own = tables.authors.c.league == league.id
        known = func.lower(tables.authors.c.name) == name.lower()
        if connection.scalar(select(tables.authors.c.id).where(own, known)) is not None:
            raise SandtableError(
                f"'{name}' has joined already; choose another name (who has lost the token gets "
                "another from whoever runs the league: sandtable league token)"
            )
        may = tables.authors.c.token.not_like(f"{EXPELLED}%")
        count = select(func.count()).select_from(tables.authors).where(own, may)
        if int(connection.scalar(count) or 0) >= MOST_AUTHORS:
            raise SandtableError("this league has as many authors as there may be")
        values = {
            "league": league.id,
            "name": name,
            "token": digest_of(token),
            "made_at": now_text(),
        }
        connection.execute(insert(tables.authors).values(values))
    return token


def author_by_token(store: Store, token: str) -> Author | None:
    """Return whose token that is; None: nobody's."""
    query = select(tables.authors).where(tables.authors.c.token == digest_of(token))
    with store.reading() as connection:
        row = connection.execute(query).first()
    return None if row is None else Author(row.id, row.league, row.name)


def keep_file(connection: Connection, data: bytes) -> str:
    """Keep a file under the digest of what is in it."""
    digest = digest_of(data)
    known = select(tables.files.c.digest).where(tables.files.c.digest == digest)
    if connection.scalar(known) is None:
        connection.execute(insert(tables.files).values(digest=digest, data=data))
    return digest


def file_data(store: Store, digest: str) -> bytes:
    """Return what is in a file."""
    query = select(tables.files.c.data).where(tables.files.c.digest == digest)
    with store.reading() as connection:
        data = connection.scalar(query)
    if data is None:
        raise NoSuchThing("there is no such file")
    return bytes(data)


def add_bot(
    store: Store,
    league: League,
    author: Author,
    name: str,
    kind: str,
    spec: str = "",
    data: bytes | None = None,
) -> Bot:
    """Register a bot; an error says what is wrong with it."""
    checked_name(name, "a bot")
    clean = checked_bot(league.game, kind, spec, data)
    with store.writing() as connection:
        own = tables.bots.c.league == league.id
        if connection.scalar(
            select(tables.bots.c.id).where(own, func.lower(tables.bots.c.name) == name.lower())
        ):
            raise SandtableError(
                f"there is a bot '{name}' already; a new version of it is a bot of another name"
            )
        for condition, most, whose in (
            (tables.bots.c.author == author.id, MOST_BOTS_OF_AUTHOR, "you have"),
            (own, MOST_BOTS, "this league has"),
        ):
            playing = tables.bots.c.retired_at.is_(None)
            count = select(func.count()).select_from(tables.bots).where(condition, playing)
            if int(connection.scalar(count) or 0) >= most:
                raise SandtableError(f"{whose} {most} bots that play; retire one first")
        check_room(connection, own, author, data)
        connection.execute(
            insert(tables.bots).values(
                league=league.id,
                author=author.id,
                name=name,
                kind=kind,
                spec=clean,
                file=None if data is None else keep_file(connection, data),
                made_at=now_text(),
            )
        )
    return next(bot for bot in bots_of(store, league) if bot.name == name)


def check_room(
    connection: Connection, own: ColumnElement[bool], author: Author, data: bytes | None
) -> None:
    """Refuse what is more than an author, or a league, may ever register."""
    bots, files = tables.bots.c, tables.files.c
    ever = select(func.count()).select_from(tables.bots).where(bots.author == author.id)
    if int(connection.scalar(ever) or 0) >= MOST_EVER_OF_AUTHOR:
        raise SandtableError(f"you have registered {MOST_EVER_OF_AUTHOR} bots, and no more may be")
    if data is None:
        return
    new = digest_of(data)
    for condition, most, whose in (
        (bots.author == author.id, MOST_BYTES_OF_AUTHOR, "you have"),
        (own, MOST_BYTES, "this league has"),
    ):
        named = select(bots.file).where(condition, bots.file.is_not(None), bots.file != new)
        kept = select(func.sum(func.length(files.data))).where(files.digest.in_(named))
        if int(connection.scalar(kept) or 0) + len(data) > most:
            raise SandtableError(
                f"{whose} files of nearly {most / 2**20:g} MiB, those of retired bots included, "
                "and there is no room for this one"
            )


def checked_bot(game: Game, kind: str, spec: str, data: bytes | None) -> str:
    """Return the clean spec of a bot, or say what is wrong; no file of ours is looked at."""
    if kind not in KINDS:
        raise SandtableError(f"a bot is one of {', '.join(KINDS)}")
    if (kind in (WEIGHTS, PROGRAM)) != (data is not None):
        how = "with" if data is None else "without"
        raise SandtableError(f"a bot of the kind '{kind}' comes {how} a file")
    if data is not None and not 0 < len(data) <= LARGEST_FILE:
        raise SandtableError(f"a file has 1 byte to {LARGEST_FILE // 2**20} MiB")
    if kind == PROGRAM and not (data or b"").startswith(EXECUTABLE):
        raise SandtableError(
            "a program is one file that can be run: for Linux, or a script that begins with #! and "
            "the program that runs it"
        )
    if kind in (PROGRAM, REMOTE):
        if spec:
            raise SandtableError(f"a bot of the kind '{kind}' has no spec of an agent")
        return ""
    if parse_spec(spec).name in ONLY_WITH_PERMISSION:
        raise SandtableError("programs are registered with their file, and not as agents")
    if parse_spec(spec).name in NEVER:
        raise SandtableError(f"'{parse_spec(spec).name}' is a person at a terminal, and no bot")
    with without_files():
        clean = modest(spec)
        check_seats(game, [clean] * len(game.seats))
        if kind == AGENT:
            made = make_agent(clean)
            made.check()
        elif OPTION not in signature(agent_factory(parse_spec(clean).name)).parameters:
            raise SandtableError(f"the agent '{parse_spec(clean).name}' takes no weights")
        elif OPTION in parse_spec(clean).options:
            raise SandtableError("leave the option 'weights' out: they are the file")
    return clean


def modest(spec: str) -> str:
    """Return the clean spec of an agent that strangers may let work here: none thinks for hours.

    >>> modest("mcts:simulations=50")
    'mcts:simulations=50'
    """
    try:
        return allowed_hint(spec)
    except SandtableError as problem:
        line = str(problem).replace("in a hint", "in a league")
        raise SandtableError(line.replace("in the browser", "here; --weights sends one")) from None


def renew_token(store: Store, league: League, name: str) -> str:
    """Give an author another token, in place of one that is lost; return it."""
    own = (tables.authors.c.league == league.id) & (tables.authors.c.name == name)
    token = new_token()
    with store.writing() as connection:
        kept = connection.scalar(select(tables.authors.c.token).where(own))
        if kept is None:
            raise no_such_author(connection, league, name)
        if kept.startswith(EXPELLED):
            raise SandtableError(f"'{name}' has been expelled and gets no token")
        changed = update(tables.authors).where(own).values(token=digest_of(token))
        connection.execute(changed)
    return token


def no_such_author(connection: Connection, league: League, name: str) -> NoSuchThing:
    """Return the error that tells an author of nearly that name."""
    names = select(tables.authors.c.name).where(tables.authors.c.league == league.id)
    near = suggestion(name, list(connection.scalars(names)))
    return NoSuchThing(f"there is no author '{name}' in this league.{near}")


def expel(store: Store, league: League, name: str) -> int:
    """Let an author do nothing more, and retire all bots of that author; return how many."""
    own = (tables.authors.c.league == league.id) & (tables.authors.c.name == name)
    with store.writing() as connection:
        author = connection.scalar(select(tables.authors.c.id).where(own))
        if author is None:
            raise no_such_author(connection, league, name)
        barred = update(tables.authors).where(tables.authors.c.id == author)
        connection.execute(barred.values(token=EXPELLED + digest_of(new_token())))
        playing = (tables.bots.c.author == author) & tables.bots.c.retired_at.is_(None)
        retired = update(tables.bots).where(playing).values(retired_at=now_text())
        return int(connection.execute(retired).rowcount)


def bots_of(store: Store, league: League) -> list[Bot]:
    """Return all bots of a league, the oldest first."""
    with store.reading() as connection:
        return bots_in(connection, league)


def bots_in(connection: Connection, league: League) -> list[Bot]:
    """Return all bots of a league, in a transaction that has begun."""
    query = (
        select(tables.bots, tables.authors.c.name.label("author_name"))
        .join(tables.authors, tables.authors.c.id == tables.bots.c.author)
        .where(tables.bots.c.league == league.id)
        .order_by(tables.bots.c.id)
    )
    return [bot_of(row) for row in connection.execute(query)]


def bot_of(row: Row[Any]) -> Bot:
    """Return a bot from its row."""
    return Bot(
        row.id, row.name, row.author_name, row.kind, row.spec, row.file, row.made_at, row.retired_at
    )


def retire(store: Store, league: League, author: Author | None, name: str) -> None:
    """Choose a bot no more; its games stay. Only its author may, or the operator (None)."""
    own = (tables.bots.c.league == league.id) & (tables.bots.c.name == name)
    if author is not None:
        own &= tables.bots.c.author == author.id
    with store.writing() as connection:
        found = connection.scalar(select(tables.bots.c.id).where(own))
        if found is None:
            raise NoSuchThing(f"there is no bot '{name}' of yours in this league")
        connection.execute(
            update(tables.bots)
            .where(tables.bots.c.id == found, tables.bots.c.retired_at.is_(None))
            .values(retired_at=now_text())
        )


def numbers(text: str) -> tuple[int, ...]:
    """Return the bots of a deal.

    >>> numbers("[3, 1]")
    (3, 1)
    """
    return tuple(json.loads(text))
