"""meshpipe from Python: pipelines over the command ``meshpipe``, and scenes from and to files."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import threading

from .scene import Scene
from .wire import WireError, read_message, write_message


class MeshpipeError(Exception):
    """A run that failed: the message of the command, its exit code, and the report up to the failure."""

    def __init__(self, message, code, report=None):
        super().__init__(message)
        self.code = code
        self.report = report


def executable():
    """The command: that of MESHPIPE_EXECUTABLE, else the one installed with this module, else that in PATH."""
    own = os.path.join(sysconfig.get_path("scripts"), "meshpipe")
    path = os.environ.get("MESHPIPE_EXECUTABLE") or shutil.which(own) or shutil.which("meshpipe")
    if not path:
        raise MeshpipeError("there is no 'meshpipe' in PATH; set MESHPIPE_EXECUTABLE", 69)
    return path


def version():
    """The version of the command."""
    return _call(["--version"]).stdout.decode().split("\n")[0].split()[-1]


def run(pipeline, input, variables=None, *, output=None, settings=None, frames=None,
        plugins=(), options=(), on_progress=None, cancel=None):
    """Runs a scan through a pipeline, and returns the report of the run as a dictionary.

    pipeline   the path of a pipeline file; a dictionary with the content of one; or a list of
               stages as on the command line: ["weld", "decimate target=20%"]
    input      the path of a scan or capture, or a Scene
    variables  values of the pipeline's variables: {"faces": "10%"}
    output     a file or a folder (one or several, for a list of stages)
    settings   options of stages: {"decimate.target": 5000}
    frames     the capture that the frames are in, or "none"
    plugins    folders with plugins
    options    further options of 'meshpipe run', as words
    on_progress  called with each event of the run, a dictionary: {"event": "progress", "name": "light",
               "overall": 0.4, …}, warnings and finished stages among them
    cancel     a threading.Event; once it is set the run ends, leaving no file, with exit code 130

    Raises MeshpipeError with the message of the command when that fails.
    """
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        words = ["run"]
        if isinstance(pipeline, (dict, str, os.PathLike)):
            words.append(_pipeline_path(pipeline, folder))
        else:
            for stage in pipeline:
                words += ["-s", stage]
        words.append(_path(input, folder))
        outputs = [] if output is None else output
        for path in [outputs] if isinstance(outputs, (str, os.PathLike)) else outputs:
            words += ["-o", os.fspath(path)]
        for name, value in (variables or {}).items():
            words += ["--var", f"{name}={_text(value)}"]
        for name, value in (settings or {}).items():
            words += ["--set", f"{name}={_text(value)}"]
        for path in plugins:
            words += ["--plugins", os.fspath(path)]
        if frames is not None:
            words += ["--frames", os.fspath(frames)]
        report = os.path.join(folder, "report.json")
        words += ["--report", report, *options]
        if on_progress is None and cancel is None:
            return _reported(words + ["--quiet"], report)
        return _reported(
            words + ["--progress", "json"], report, lambda words: _watched(words, on_progress, cancel))


def info(path, *, options=()):
    """What a scan, a model or a capture holds, as a dictionary: faces, size, classes, textures, frames…

    options are further ones of 'meshpipe info', as words.
    """
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        found = json.loads(_call(["info", "--json", _path(path, folder), *options]).stdout)
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def check(pipeline, input=None, *, variables=None, options=()):
    """The mistakes and warnings in a pipeline, each a line with file, line and column; none when all is well.

    pipeline is a path, the name of an installed pipeline, or a dictionary with the content of a file.
    """
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        words = ["check", _pipeline_path(pipeline, folder)]
        if input is not None:
            words.append(_path(input, folder))
        for name, value in (variables or {}).items():
            words += ["--var", f"{name}={_text(value)}"]
        result = _call([*words, *options], check=False)
        lines = result.stderr.decode(errors="replace").splitlines()
    return [line for line in lines if line.strip()]


def preview(scene, path=None, *, size=None, view=None, options=()):
    """A picture of a scan, a model or a Scene: written to a path, or returned as the bytes of a PNG.

    Notebooks show the bytes by IPython.display.Image(preview(scene)).
    """
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        target = os.fspath(path) if path is not None else os.path.join(folder, "preview.png")
        words = ["preview", _path(scene, folder), "-o", target]
        if size is not None:
            words += ["--size", size if isinstance(size, str) else "x".join(map(str, size))]
        if view is not None:
            words += ["--view", view]
        _call([*words, *options])
        if path is not None:
            return None
        with open(target, "rb") as file:
            return file.read()


def read(path, *, options=()):
    """Reads a scan or model in any format that meshpipe reads, and returns its Scene.

    options are further ones of 'meshpipe run', as words: ("--input-unit", "mm").
    """
    path = os.fspath(path)
    if path.endswith(SCENE):
        return _read_scene(path)
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        target = os.path.join(folder, "scene" + SCENE)
        _call(["run", path, "-o", target, "--quiet", *options])
        return _read_scene(target)


def write(scene, path, *, options=()):
    """Writes a Scene in the format that the path's extension names."""
    path = os.fspath(path)
    if path.endswith(SCENE):
        return _write_scene(scene, path)
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        _call(["run", _path(scene, folder), "-o", path, "--quiet", *options])


SCENE = ".meshscene"


def _pipeline_path(pipeline, folder):
    if not isinstance(pipeline, dict):
        return os.fspath(pipeline)
    path = os.path.join(folder, "pipeline.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(pipeline, file)
    return path


def _path(input, folder):
    if not isinstance(input, Scene):
        return os.fspath(input)
    path = os.path.join(folder, (input.name.replace("/", "_") or "scene") + SCENE)
    _write_scene(input, path)
    return path


def _read_scene(path):
    with open(path, "rb") as file:
        message = read_message(file)
    if message is None or message["kind"] != "scene":
        raise WireError(f"{path} holds no scene")
    return message["scene"]


def _write_scene(scene, path):
    with open(path, "wb") as file:
        write_message(file, "scene", scene=scene)


def _reported(words, path, call=None):
    result = call(words) if call else _call(words, check=False)
    report = None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    if result.returncode:
        raise MeshpipeError(_errors(result), result.returncode, report)
    return report


def _watched(words, on_progress, cancel):
    """Runs the command, passes its events on, and interrupts it when told to."""
    process = subprocess.Popen(
        [executable(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, errors="replace")
    done = threading.Event()

    def watch():
        while not done.is_set():
            if cancel.wait(0.1):
                process.send_signal(signal.SIGINT)
                return

    watcher = threading.Thread(target=watch, daemon=True) if cancel is not None else None
    if watcher:
        watcher.start()
    errors = []
    try:
        for line in process.stderr:
            try:
                event = json.loads(line)
            except ValueError:
                errors.append(line)
                continue
            if event.get("event") == "error":
                errors.append(event.get("message", ""))
            if on_progress:
                on_progress(event)
        process.wait()
    finally:
        done.set()
        if watcher:
            watcher.join()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait()
        process.stderr.close()
    return subprocess.CompletedProcess(
        words, process.returncode, b"", "\n".join(errors).encode())


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(_text(element) for element in value)
    return str(value)


def _call(words, check=True):
    result = subprocess.run([executable(), *words], stdin=subprocess.DEVNULL, capture_output=True)
    if check and result.returncode:
        raise MeshpipeError(_errors(result), result.returncode)
    return result


def _errors(result):
    return result.stderr.decode(errors="replace").strip() or f"exit code {result.returncode}"
