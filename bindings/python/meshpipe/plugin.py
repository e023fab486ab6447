"""What a plugin's program needs: stages, readers and writers out of functions, and the talk around them."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import (
    TYPE_CHECKING, Any, BinaryIO, Callable, Dict, List, Mapping, NoReturn, Optional, Tuple, TypeVar, Union, overload,
)

from .errors import Fault as Fault
from .errors import WireError
from .scene import Amount, RelativeLength, Scene
from .wire import ATTRIBUTES, PROTOCOL, read_message, write_message

if TYPE_CHECKING:
    from .shared import SharedMemory

    Stage = TypeVar("Stage", bound=Callable[..., Optional[Scene]])
    Reader = TypeVar("Reader", bound=Callable[[str], Scene])
    Writer = TypeVar("Writer", bound=Callable[[Scene, str], object])
    Function = TypeVar("Function")

_stages: Dict[str, Callable[..., Optional[Scene]]] = {}
_readers: Dict[str, Callable[[str], Scene]] = {}
_writers: Dict[str, Callable[[Scene, str], object]] = {}
_opened: List[str] = []
_output: Optional[BinaryIO] = None
_shared: Optional[SharedMemory] = None
_task: Dict[str, Any] = {}


@overload
def stage(function: Stage, *, name: Optional[str] = None) -> Stage: ...


@overload
def stage(function: None = None, *, name: Optional[str] = None) -> Callable[[Stage], Stage]: ...


def stage(
    function: Optional[Stage] = None, *, name: Optional[str] = None
) -> Union[Stage, Callable[[Stage], Stage]]:
    """Makes a function of a scene and parameters a stage; it changes the scene or returns another."""

    def register(function: Stage) -> Stage:
        _stages[name or function.__name__.replace("_", "-")] = function
        return function

    return register(function) if function is not None else register


def reader(format: str) -> Callable[[Reader], Reader]:
    """Makes a function of a path the reader of a format, named by its id; it returns a scene."""

    def register(function: Reader) -> Reader:
        _readers[format] = function
        return function

    return register


def writer(format: str) -> Callable[[Writer], Writer]:
    """Makes a function of a scene and a path the writer of a format, named by its id.

    It writes the file at the path, and may write more beside it.
    """

    def register(function: Writer) -> Writer:
        _writers[format] = function
        return function

    return register


def opened(path: Union[str, os.PathLike[str]]) -> None:
    """Tells of a file that was read besides the one that was asked for, so that builds know of it."""
    _opened.append(os.path.abspath(path))


def progress(fraction: float) -> None:
    """Tells how far the work is, from 0 to 1."""
    _send("progress", fraction=float(fraction))


def log(message: object) -> None:
    """Adds a line to the report."""
    _send("log", message=str(message))


def warn(message: object) -> None:
    """Tells the user of something suspicious that does not stop the work."""
    _send("warning", message=str(message))


def note(key: str, value: Any) -> None:
    """Adds a figure to the report."""
    _send("report", key=str(key), value=value)


def task() -> Dict[str, Any]:
    """What is asked for: "stage", "parameters", and a "seed" for random numbers."""
    return _task


def _send(kind: str, **members: Any) -> None:
    if _output is None:  # a test calls the function by itself
        print(f"{kind}: {members}", file=sys.stderr)
    else:
        write_message(_output, kind, **members)


def main() -> None:
    """Answers meshpipe on standard input and output; standard output is then standard error."""
    global _output
    if sys.stdin.isatty():
        sys.exit(f"this is a plugin of meshpipe with {_contents()}")
    source = io.BufferedReader(io.FileIO(os.dup(0)), 1 << 20)
    _output = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    try:
        _serve(source)
    except Fault as fault:
        _fail(str(fault), fault.code)
    except WireError as error:
        _fail(str(error), 70)


def _fail(message: str, code: int) -> NoReturn:
    _send("failure", message=message, exitCode=code)
    sys.exit(code)


def _serve(source: io.BufferedIOBase) -> None:
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


def _contents() -> str:
    kinds: Tuple[Tuple[str, Mapping[str, object]], ...] = (
        ("stages", _stages), ("readers of", _readers), ("writers of", _writers))
    parts = [f"{words} {', '.join(sorted(names))}" for words, names in kinds if names]
    return "; ".join(parts) or "nothing"


def _of_format(functions: Mapping[str, Function], request: Dict[str, Any], what: str) -> Function:
    function = functions.get(request["format"])
    if function is None:
        raise Fault(
            f"there is no {what} of '{request['format']}' in the program; it has {_contents()}", 69)
    return function


def _read(request: Dict[str, Any]) -> None:
    function = _of_format(_readers, request, "reader")
    scene = function(request["path"])
    if not isinstance(scene, Scene):
        raise WireError(f"the reader returned a {type(scene).__name__}, not a scene")
    _send("scene", scene=scene, shared=_shared, openedFiles=_opened)


def _write(request: Dict[str, Any]) -> None:
    function = _of_format(_writers, request, "writer")
    function(request["scene"], os.path.abspath(request["path"]))
    _send("done")


def _run(request: Dict[str, Any]) -> None:
    function = _stages.get(request["stage"])
    if function is None:
        raise Fault(
            f"there is no stage '{request['stage']}' in the program; it has "
            f"{', '.join(sorted(_stages)) or 'none'}", 69)
    scene = request.pop("scene")
    _task.update(
        stage=request["stage"], parameters=request["parameters"], seed=request["seed"])
    _send("scene", scene=_call(function, scene, request["parameters"]), shared=_shared)


def _call(
    function: Callable[..., Optional[Scene]], scene: Scene, parameters: Dict[str, Any]
) -> Scene:
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


def _value(value: Any) -> Any:
    if isinstance(value, dict) and "count" in value:
        return Amount(value["count"], value["fraction"])
    if isinstance(value, dict) and "meters" in value:
        return RelativeLength(value["meters"], value["fraction"])
    if isinstance(value, list):
        return [_value(element) for element in value]
    return value


def _identity() -> Tuple[str, str]:
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
