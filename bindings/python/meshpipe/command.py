"""meshpipe from Python: pipelines over the command ``meshpipe``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile


class MeshpipeError(Exception):
    """A run that failed: the words of the command, its exit code, and the report as far as it went."""

    def __init__(self, message, code, report=None):
        super().__init__(message)
        self.code = code
        self.report = report


def executable():
    """The command: that of MESHPIPE_EXECUTABLE, else the one in PATH."""
    path = os.environ.get("MESHPIPE_EXECUTABLE") or shutil.which("meshpipe")
    if not path:
        raise MeshpipeError("there is no 'meshpipe' in PATH; set MESHPIPE_EXECUTABLE", 69)
    return path


def version():
    """The version of the command."""
    return _call(["--version"]).stdout.decode().split()[-1]


def run(pipeline, input, variables=None, *, output=None, settings=None, frames=None,
        plugins=(), options=()):
    """Runs a scan through a pipeline, and returns the report of the run as a dictionary.

    pipeline   the path of a pipeline file; a dictionary with the content of one; or a list of
               stages as on the command line: ["weld", "decimate target=20%"]
    input      the path of a scan or capture
    variables  values of the pipeline's variables: {"faces": "10%"}
    output     a file or a folder (one or several, for a list of stages)
    settings   options of stages: {"decimate.target": 5000}
    frames     the capture that the frames are in, or "none"
    plugins    folders with plugins
    options    further options of 'meshpipe run', as words

    Raises MeshpipeError with the words of the command when that fails.
    """
    with tempfile.TemporaryDirectory(prefix="meshpipe-") as folder:
        words = ["run"]
        if isinstance(pipeline, dict):
            path = os.path.join(folder, "pipeline.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(pipeline, file)
            words.append(path)
        elif isinstance(pipeline, (str, os.PathLike)):
            words.append(os.fspath(pipeline))
        else:
            for stage in pipeline:
                words += ["-s", stage]
        words.append(os.fspath(input))
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
        return _reported(words + ["--quiet", "--report", report, *options], report)


def _reported(words, path):
    result = _call(words, check=False)
    report = None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    if result.returncode:
        raise MeshpipeError(_errors(result), result.returncode, report)
    return report


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
