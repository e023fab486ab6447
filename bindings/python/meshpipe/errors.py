"""The errors of this module: one family, so that scripts catch all of it with MeshpipeError.

It imports nothing that a plugin would wait for.
"""

from __future__ import annotations

from typing import Any, Dict, Optional


class MeshpipeError(Exception):
    """What went wrong, in words for the user: mostly a run that failed, with the message of the command.

    code is the exit code of the command (docs/command.md lists them), or that of the same case where this module
    found the mistake; report is the report up to the failure of a run, else None.
    """

    code: int
    report: Optional[Dict[str, Any]]

    # Only the message is an argument of all of the family: so they can be pickled, as between processes.
    def __init__(self, message: str, code: int = 70, report: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.report = report


class WireError(MeshpipeError):
    """Bytes that are not a message or a scene of meshpipe, or a scene whose arrays don't fit together."""

    def __init__(self, message: str, code: int = 65) -> None:
        super().__init__(message, code)


class Fault(MeshpipeError):
    """What is wrong with a scan, in words for the user: plugins raise it, and the run ends with them.

    The code is one of sysexits: 65 the scan is unusable, 69 something is not available, 75 it may
    work another time.
    """

    def __init__(self, message: str, code: int = 65) -> None:
        super().__init__(message, code)


class UnknownAttributeError(MeshpipeError, AttributeError):
    """An attribute that a scene, or a part of one, does not have."""

    def __init__(self, message: str, code: int = 64) -> None:
        super().__init__(message, code)


class MeshpipeWarning(UserWarning):
    """What the command warns of while it reads or writes a scene: what was assumed, repaired or lost."""


class ArgumentTypeError(MeshpipeError, TypeError):
    """An argument of a type that a function does not take."""

    def __init__(self, message: str, code: int = 64) -> None:
        super().__init__(message, code)
