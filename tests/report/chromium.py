"""chromium.py - drives a headless Chromium over its debugging pipe: pages, clicks, keys, pictures.

    with Browser() as browser:
        page = browser.open("file:///tmp/run.html")
        page.wait_for("document.body.dataset.ready")
        page.click(300, 200)

Source: the Chrome DevTools Protocol; with --remote-debugging-pipe the browser reads requests from descriptor 3 and
writes answers to 4, each a JSON text that ends with a zero byte.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 240  # seconds; a loaded machine is slow


def found():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    def __init__(self, width=1400, height=1000):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        asked, to_browser = os.pipe()
        answers, from_browser = os.pipe()
        self.to, self.answers, self.buffer, self.number = to_browser, answers, b"", 0
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
                 f"--window-size={width},{height}", f"--user-data-dir={self.profile.name}", "about:blank"]
        # The shell puts the pipes where the browser looks for them.
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{asked} 4>&{from_browser}', found(), *flags],
            pass_fds=(asked, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(asked)
        os.close(from_browser)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("Browser.close")
            self.process.wait(20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def ask(self, method, session=None, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.read(deadline)
            if answer.get("id") != self.number:
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            return answer["result"]

    def read(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError("the browser does not answer")
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise RuntimeError("the browser has ended")
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def open(self, address):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        page.go(address)
        return page


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def go(self, address):
        self.ask("Page.navigate", url=address)

    def value(self, script):
        """What the expression gives; a promise is waited for."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait_for(self, script):
        deadline = time.monotonic() + PATIENCE
        while not (found := self.value(script)):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {script}")
            time.sleep(.02)
        return found

    def text(self, element):
        return self.value(f"document.getElementById({json.dumps(element)}).textContent")

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * part / 4, y + (to_y - y) * part / 4, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def wheel(self, x, y, by):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=by)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=13 if key == "Enter" else 0)

    def picture(self, file):
        Path(file).write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
