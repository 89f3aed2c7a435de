"""A browser for tests of pages: Chromium without a window, which loads a page and reports what a script of ours saw."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr")
HARNESS = """<!doctype html><title>harness</title>
<iframe id="page" width="{width}" height="900" src="{address}"></iframe>
<pre id="seen"></pre><script>
const frame = document.getElementById("page");
frame.onload = async () => {{
  const win = frame.contentWindow, doc = win.document;
  let seen;
  try {{ seen = await (async () => {{ {script} }})(); }} catch (error) {{ seen = {{ error: String(error) }}; }}
  document.getElementById("seen").textContent = JSON.stringify(seen);
}};
</script>"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def browser(tmp_path):
    """Call with a page below tmp_path and a script that sees `win` and `doc`; returns what it returns and the console.

    The page is in a frame as wide as asked for, since a window cannot be as narrow as a phone.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        if os.environ.get("NEEDS_BROWSER"):
            pytest.fail("no Chromium, which .ci/run installs")
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=tmp_path))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def run(address: str, script: str, width: int = 1280, *options: str):
        (tmp_path / "harness.html").write_text(HARNESS.format(address=address, script=script, width=width))
        url = f"http://127.0.0.1:{server.server_port}/harness.html"
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [program, *OPTIONS, profile, *options, "--virtual-time-budget=20000", "--dump-dom", url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
        found = re.search(r'<pre id="seen">(.+?)</pre>', done.stdout, re.DOTALL)
        assert found, f"the browser saw nothing: {done.stderr}"
        return json.loads(unescape(found[1])), [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    yield run
    server.shutdown()
