"""What a plugin's program needs: stages, readers and writers out of functions, and the talk around them."""

from __future__ import annotations

import json
import os
import sys

from .scene import Amount, RelativeLength, Scene
from .wire import ATTRIBUTES, PROTOCOL, WireError, read_message, write_message

_stages = {}
_readers = {}
_writers = {}
_opened = []
_output = None
_shared = None
_task = {}


class Fault(Exception):
    """What is wrong with a scan, in words for the user; the run ends with them.

    The code is one of sysexits: 65 the scan is unusable, 69 something is not available, 75 it may
    work another time.
    """

    def __init__(self, message, code=65):
        super().__init__(message)
        self.code = code


def stage(function=None, *, name=None):
    """Makes a function of a scene and parameters a stage; it changes the scene or returns another."""

    def register(function):
        _stages[name or function.__name__.replace("_", "-")] = function
        return function

    return register(function) if function is not None else register


def reader(format):
    """Makes a function of a path the reader of a format, named by its id; it returns a scene."""

    def register(function):
        _readers[format] = function
        return function

    return register


def writer(format):
    """Makes a function of a scene and a path the writer of a format, named by its id.

    It writes the file at the path, and may write more beside it.
    """

    def register(function):
        _writers[format] = function
        return function

    return register


def opened(path):
    """Tells of a file that was read besides the one that was asked for, so that builds know of it."""
    _opened.append(os.path.abspath(path))


def progress(fraction):
    """Tells how far the work is, from 0 to 1."""
    _send("progress", fraction=float(fraction))


def log(message):
    """Adds a line to the report."""
    _send("log", message=str(message))


def warn(message):
    """Tells the user of something suspicious that does not stop the work."""
    _send("warning", message=str(message))


def note(key, value):
    """Adds a figure to the report."""
    _send("report", key=str(key), value=value)


def task():
    """What is asked for: "stage", "parameters", and a "seed" for random numbers."""
    return _task


def _send(kind, **members):
    if _output is None:  # a test calls the function by itself
        print(f"{kind}: {members}", file=sys.stderr)
    else:
        write_message(_output, kind, **members)


def main():
    """Answers meshpipe on standard input and output; standard output is then standard error."""
    global _output
    if sys.stdin.isatty():
        sys.exit(f"this is a plugin of meshpipe with {_contents()}")
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 20)
    _output = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    try:
        _serve(source)
    except Fault as fault:
        _fail(str(fault), fault.code)
    except WireError as error:
        _fail(str(error), 70)


def _fail(message, code):
    _send("failure", message=message, exitCode=code)
    sys.exit(code)


def _serve(source):
    global _shared
    hello = read_message(source)
    if hello is None or hello["kind"] != "hello":
        raise WireError("meshpipe did not greet")
    if hello["protocol"] != PROTOCOL:
        raise Fault(
            f"this plugin's meshpipe module speaks version {PROTOCOL} of the protocol, "
            f"meshpipe version {hello['protocol']}", 69)
    name, version = _identity()
    accepted = {}
    if "sharedMemory" in hello:
        from .shared import SharedMemory

        _shared = SharedMemory.accepting(hello["sharedMemory"])
        accepted = {"sharedMemory": True} if _shared else {}
    _send(
        "hello", protocol=PROTOCOL, name=name, version=version, customAttributes=True,
        attributes=ATTRIBUTES, **accepted)
    request = read_message(source, _shared)
    if request is None:
        return
    answer = {"run": _run, "read": _read, "write": _write}.get(request["kind"])
    if answer is None:
        raise WireError(f"a message '{request['kind']}' is not understood")
    answer(request)


def _contents():
    kinds = (("stages", _stages), ("readers of", _readers), ("writers of", _writers))
    parts = [f"{words} {', '.join(sorted(names))}" for words, names in kinds if names]
    return "; ".join(parts) or "nothing"


def _of_format(functions, request, what):
    function = functions.get(request["format"])
    if function is None:
        raise Fault(
            f"there is no {what} of '{request['format']}' in the program; it has {_contents()}", 69)
    return function


def _read(request):
    function = _of_format(_readers, request, "reader")
    scene = function(request["path"])
    if not isinstance(scene, Scene):
        raise WireError(f"the reader returned a {type(scene).__name__}, not a scene")
    _send("scene", scene=scene, shared=_shared, openedFiles=_opened)


def _write(request):
    function = _of_format(_writers, request, "writer")
    function(request["scene"], os.path.abspath(request["path"]))
    _send("done")


def _run(request):
    function = _stages.get(request["stage"])
    if function is None:
        raise Fault(
            f"there is no stage '{request['stage']}' in the program; it has "
            f"{', '.join(sorted(_stages)) or 'none'}", 69)
    scene = request.pop("scene")
    _task.update(
        stage=request["stage"], parameters=request["parameters"], seed=request["seed"])
    _send("scene", scene=_call(function, scene, request["parameters"]), shared=_shared)


def _call(function, scene, parameters):
    import inspect

    values = {key: _value(value) for key, value in parameters.items()}
    accepted = inspect.signature(function).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in accepted.values())
    names = {key: key.replace("-", "_") for key in values}
    arguments = {
        names[key]: value for key, value in values.items() if takes_all or names[key] in accepted
    }
    result = function(scene, **arguments)
    if result is None:
        result = scene
    if not isinstance(result, Scene):
        raise WireError(f"the stage returned a {type(result).__name__}, not a scene")
    return result


def _value(value):
    if isinstance(value, dict) and "count" in value:
        return Amount(value["count"], value["fraction"])
    if isinstance(value, dict) and "meters" in value:
        return RelativeLength(value["meters"], value["fraction"])
    if isinstance(value, list):
        return [_value(element) for element in value]
    return value


def _identity():
    """Name and version out of the manifest beside the program."""
    program = os.path.basename(sys.argv[0])
    folder = os.path.dirname(os.path.realpath(sys.argv[0]))
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".meshpipe-plugin.json"):
            continue
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                manifest = json.load(file)
            if manifest.get("executable") == program:
                return manifest["name"], manifest["version"]
        except (OSError, ValueError, KeyError):
            continue
    return os.path.splitext(program)[0], "0"
