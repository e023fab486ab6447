#!/usr/bin/env python3
"""Opens a page in Chromium without a window, acts as a user, and says what happened.

    page.py PAGE [STEP...]

A step is `eval:EXPRESSION` (its value is printed, a promise is awaited), `click:X,Y` and `drag:X,Y,X,Y` in pixels of the
window, `touch:X,Y,X,Y,X,Y,X,Y` for two fingers from and to, `wheel:X,Y,DELTA`, `key:NAME` with `Shift+` before it,
`picture:FILE.png`, `wait:SECONDS`, `size:WIDTHxHEIGHT`, `dark`, `narrow`, or `hash:TEXT`, which go before the page is
opened if they come first. The output is JSON: the values of the steps, the seconds until the model was there, the
errors and warnings of the console, and the addresses that the page asked for.

Only the standard library is used: commands go through a pipe (the DevTools protocol with --remote-debugging-pipe).
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 90


class Browser:
    def __init__(self, folder):
        program = os.environ.get("CHROMIUM") or next(
            (p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
        if program is None:
            sys.exit("page.py: there is no chromium")
        (ours, its_end), (its_start, self.start) = os.pipe(), os.pipe()
        self.end, self.count, self.rest, self.events = ours, 0, b"", []
        switches = [
            "--headless", "--no-sandbox", "--remote-debugging-pipe", f"--user-data-dir={folder}", "--hide-scrollbars",
            "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
            "--disable-background-networking", "--force-color-profile=srgb", "about:blank",
        ]

        def place_pipes():
            # Its commands come from 3, and its answers go to 4.
            source, target = os.dup(its_start), os.dup(its_end)
            os.dup2(source, 3)
            os.dup2(target, 4)

        self.process = subprocess.Popen(
            [program, *switches], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=place_pipes)
        os.close(its_start)
        os.close(its_end)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, until):
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.end], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            block = os.read(self.end, 1 << 20)
            if not block:
                raise EOFError("the browser ended")
            self.rest += block
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.start, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.count:
                if "error" in answer:
                    sys.exit(f"page.py: {method}: {answer['error'].get('message')}")
                return answer["result"]
            self.events.append(answer)

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            return {"exception": details.get("exception", {}).get("description", details.get("text"))}
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def step(self, step):
        name, _, text = step.partition(":")
        if name == "eval":
            return self.value(text)
        if name == "click":
            x, y = map(float, text.split(","))
            self.mouse("mousePressed", x, y, button="left", clickCount=1)
            self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        elif name == "drag":
            a, b, c, d = map(float, text.split(","))
            self.mouse("mousePressed", a, b, button="left", buttons=1, clickCount=1)
            for part in (0.25, 0.5, 0.75, 1):
                self.mouse("mouseMoved", a + (c - a) * part, b + (d - b) * part, button="left", buttons=1)
            self.mouse("mouseReleased", c, d, button="left", clickCount=1)
        elif name == "touch":
            n = list(map(float, text.split(",")))

            def points(part):
                return [{"x": n[i] + (n[i + 2] - n[i]) * part, "y": n[i + 1] + (n[i + 3] - n[i + 1]) * part, "id": i}
                        for i in range(0, len(n), 4)]
            self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=points(0))
            for part in (0.25, 0.5, 0.75, 1):
                self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=points(part))
            self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        elif name == "wheel":
            x, y, delta = map(float, text.split(","))
            self.mouse("mouseWheel", x, y, deltaX=0, deltaY=delta)
        elif name == "key":
            shift = text.startswith("Shift+")
            key = text[6:] if shift and len(text) > 6 else text
            codes = {"Enter": 13, "Escape": 27, "Home": 36, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                     "ArrowDown": 40}
            code = codes.get(key, ord(key[0]))
            typed = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                          windowsVirtualKeyCode=code, **(typed if kind == "keyDown" else {}))
        elif name == "picture":
            data = self.call("Page.captureScreenshot", format="png")["data"]
            pathlib.Path(text).write_bytes(base64.b64decode(data))
        elif name == "wait":
            time.sleep(float(text))
        elif name == "size":
            width, height = map(int, text.split("x"))
            self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        elif name == "dark":
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        else:
            sys.exit(f"page.py: unknown step '{step}'")
        # What was asked for is drawn by the next frame.
        return self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))")


def main():
    page, steps = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    folder = tempfile.mkdtemp(prefix="page-")
    browser = Browser(folder)
    try:
        browser.step("size:1280x900")
        fragment = ""
        while steps and steps[0].split(":")[0] in ("size", "dark", "hash"):
            if steps[0].startswith("hash:"):
                fragment = "#" + steps[0][5:]
            else:
                browser.step(steps[0])
            steps.pop(0)
        begin = time.monotonic()
        browser.call("Page.navigate", url=page.as_uri() + fragment)
        while browser.value("document.documentElement.dataset.state") != "ready":
            if time.monotonic() - begin > PATIENCE:
                sys.exit("page.py: the page does not become ready")
            time.sleep(0.05)
        browser.step("wait:0")
        seconds = time.monotonic() - begin
        values = [browser.step(step) for step in steps]
    finally:
        browser.process.kill()
        browser.process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    console, requests = [], []
    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            console.append(" ".join(str(a.get("value", a.get("description"))) for a in parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            console.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            console.append(parameters["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            if not url.startswith(("data:", "blob:")):
                requests.append(url.split("#")[0])
    json.dump({"seconds": round(seconds, 2), "values": values, "console": console, "requests": requests}, sys.stdout)
    print()


main()
