"""How soon the first page can be used in a real browser, and how large the client is.

    python benchmarks/web_page.py --json benchmarks/web.json

The server runs as people start it. Headless Chromium opens the first page again and again, each
time with an empty cache. A page can be used when its games are there to be clicked. The size is
that of all files of the client, each compressed by gzip.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import sandtable.server

STATIC = Path(sandtable.server.__file__).parent / "static"
NAMES = ("chromium", "chromium-browser", "google-chrome")
GAME = "[data-game]:not([disabled])"
# Notes in the page itself when the first game is there, and what the browser has painted.
WATCHING = """
window.seen = {}
new MutationObserver((_, watcher) => {
  if (!document.querySelector('SELECTOR')) return
  window.seen.usable = performance.now()
  watcher.disconnect()
}).observe(document, { childList: true, subtree: true })
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) window.seen.largest_paint = each.startTime
}).observe({ type: 'largest-contentful-paint', buffered: true })
""".replace("SELECTOR", GAME)
TOLD = """() => ({
  ...window.seen,
  first_paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  loaded: performance.getEntriesByType('navigation')[0].loadEventEnd,
  requests: performance.getEntriesByType('resource').length + 1,
})"""


def opened(browser: Browser, address: str) -> dict[str, float]:
    """Open the page with an empty cache; return what happened when, in milliseconds."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.add_init_script(WATCHING)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(GAME)
    page.wait_for_timeout(300)  # until the largest paint is noted
    found: dict[str, float] = page.evaluate(TOLD)
    context.close()
    return found


def sizes() -> dict[str, int]:
    """Return the bytes of the client, as they are and compressed."""
    files = [each.read_bytes() for each in STATIC.rglob("*") if each.is_file()]
    compressed = sum(len(gzip.compress(each)) for each in files)
    return {"files": len(files), "bytes": sum(map(len, files)), "compressed_bytes": compressed}


def measure(tries: int) -> dict[str, Any]:
    """Start server and browser, and open the page."""
    chromium = next((found for name in NAMES if (found := shutil.which(name))), None)
    if chromium is None:
        raise SystemExit("there is no Chromium on this machine; 'make tools' installs it")
    with tempfile.TemporaryDirectory() as folder:
        words = ["serve", "--port", "0", "--data", folder]
        server = subprocess.Popen(
            [sys.executable, "-m", "sandtable", *words], stdout=subprocess.PIPE, text=True
        )
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            address = re.search(r"http://[0-9.:]+/", line)
            if not address:
                raise SystemExit(f"the server did not start: {line}")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
                )
                first = opened(browser, address[0])  # the server has just been started
                later = [opened(browser, address[0]) for _ in range(tries)]
                browser.close()
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
    return {
        "first_visit_ms": {name: round(value) for name, value in first.items()},
        "median_ms": {
            name: round(statistics.median(each[name] for each in later)) for name in first
        },
        "slowest_usable_ms": round(max(each["usable"] for each in later)),
        "visits": tries,
        "client": sizes(),
        "load_average": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result = measure(options.tries)
    print(json.dumps(result, indent=2))
    if options.json:
        kept = json.loads(options.json.read_text("utf-8")) if options.json.is_file() else {}
        text = json.dumps(kept | {"first_page": result}, indent=2) + "\n"
        options.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
