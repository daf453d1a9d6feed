"""Join four pages of the browser into the picture of the first page: docs/images/overview.webp.

    python scripts/overview_picture.py

The pages themselves are taken by scripts/screens.py.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PAGES = ("lucid", "arena", "stratego-dark", "replay")  # play, measure, play, look back
WIDTH, GAP, QUALITY = 800, 8, 82
COLUMNS = 2


def main() -> None:
    """Write the picture."""
    pages = [Image.open(IMAGES / f"{name}.webp").convert("RGB") for name in PAGES]
    height = WIDTH * pages[0].height // pages[0].width
    rows = len(pages) // COLUMNS
    size = (COLUMNS * WIDTH + (COLUMNS - 1) * GAP, rows * height + (rows - 1) * GAP)
    whole = Image.new("RGB", size, "#9a9a94")
    for number, page in enumerate(pages):
        row, column = divmod(number, COLUMNS)
        place = (column * (WIDTH + GAP), row * (height + GAP))
        whole.paste(page.resize((WIDTH, height), Image.Resampling.LANCZOS), place)
    whole.save(IMAGES / "overview.webp", quality=QUALITY, method=6)


if __name__ == "__main__":
    main()
