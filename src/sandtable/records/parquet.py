"""Records as a Parquet file, for tools that work with columns, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sandtable.errors import ArchiveError, BrokenRecord, MissingExtra
from sandtable.files import written_whole
from sandtable.records.lines import (
    FORMAT,
    FORMAT_VERSION,
    READER,
    WRITER,
    one_line,
    record_fields,
    record_from_fields,
)
from sandtable.records.record import Record

__all__ = ["PARQUET_ENDING", "read_parquet", "write_parquet"]

PARQUET_ENDING = ".parquet"
ROWS_AT_A_TIME = 5000


def library() -> Any:
    """Return the library that knows the format."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("a Parquet file", "parquet") from None
    return pyarrow


def columns(arrow: Any) -> Any:
    """Return names and types of the columns; docs/archive.md describes them."""
    text, whole, number = arrow.string(), arrow.int64(), arrow.float64()
    return arrow.schema(
        [
            ("id", text),
            ("experiment", text),
            ("game", text),
            ("version", whole),
            ("seats", arrow.list_(text)),
            ("seed", text),  # a seed may be larger than 64 bits
            ("number", whole),
            ("start", text),
            ("actions", text),
            ("action_count", whole),
            ("final", text),
            ("scores", arrow.list_(number)),
            ("reason", text),
            ("forfeited_by", whole),
            ("seconds", arrow.list_(number)),
            ("annotations", text),
        ],
        metadata={"format": FORMAT, "format_version": str(FORMAT_VERSION)},
    )


def row_of(record: Record) -> dict[str, Any]:
    """Return the row of a record."""
    fields = record_fields(record)
    outcome = fields.pop("outcome") or {"scores": None, "reason": None, "forfeited_by": None}
    return {
        **fields,
        **outcome,
        "seed": str(fields["seed"]),
        "action_count": len(record.actions),
        "annotations": WRITER.encode(fields["annotations"]),
    }


def write_parquet(path: Path, records: Iterable[Record]) -> int:
    """Write a file whole or not at all; return how many games it holds."""
    arrow = library()
    shape = columns(arrow)
    games, rows = 0, iter(records)
    try:
        with (
            written_whole(path) as new,
            arrow.parquet.ParquetWriter(new, shape, compression="zstd") as writer,
        ):
            while page := [row_of(record) for record in islice(rows, ROWS_AT_A_TIME)]:
                writer.write_table(arrow.Table.from_pylist(page, schema=shape))
                games += len(page)
    except (OSError, arrow.ArrowException) as problem:
        raise ArchiveError(f"cannot write {path}: {one_line(str(problem))}") from problem
    return games


def read_parquet(path: Path) -> Iterator[Record]:
    """Read the games of a file one by one; raise BrokenRecord at the first that is not sound."""
    arrow = library()
    try:
        source = arrow.parquet.ParquetFile(path)
    except (OSError, ValueError, MemoryError, arrow.ArrowException) as problem:
        raise ArchiveError(f"cannot read {path}: {one_line(str(problem))}") from problem
    with source:
        missing = [name for name in columns(arrow).names if name not in source.schema_arrow.names]
        if missing:
            raise ArchiveError(f"{path} holds no games of Sandtable: no column '{missing[0]}'")
        number = 0
        for batch in batches(source, path, arrow):
            for row in batch:
                number += 1
                yield record_of(row, f"{path}, row {number}")


def batches(source: Any, path: Path, arrow: Any) -> Iterator[list[dict[str, Any]]]:
    """Return the rows of a file, some at a time; damage inside is one line."""
    pages = source.iter_batches(ROWS_AT_A_TIME)
    while True:
        try:
            page = next(pages, None)
            rows = None if page is None else page.to_pylist()
        except (OSError, ValueError, TypeError, MemoryError, arrow.ArrowException) as problem:
            raise ArchiveError(f"cannot read {path}: {one_line(str(problem))}") from problem
        if rows is None:
            return
        yield rows


def record_of(row: dict[str, Any], where: str) -> Record:
    """Return the record of a row, with every field checked."""
    try:
        outcome = {name: row[name] for name in ("scores", "reason", "forfeited_by")}
        names = ("id", "experiment", "game", "version", "seats", "number", "start", "actions")
        fields = {
            "format": FORMAT,
            "format_version": FORMAT_VERSION,
            **{name: row[name] for name in (*names, "final", "seconds")},
            "seed": int(row["seed"]),
            "outcome": None if row["scores"] is None else outcome,
            "annotations": READER.decode(row["annotations"]),
        }
    except (BrokenRecord, TypeError, ValueError, RecursionError) as problem:
        raise BrokenRecord(f"{where}: {one_line(str(problem))}") from None
    return record_from_fields(fields, where)
