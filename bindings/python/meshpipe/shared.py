"""Memory that meshpipe and a plugin both see, for large arrays: they are neither sent nor copied."""

from __future__ import annotations

import math
import mmap
import os
import stat
from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np

from .errors import WireError

if TYPE_CHECKING:
    from .scene import Array

ALIGNMENT = 64


class SharedMemory:
    """A file in memory, mapped; what is written into arrays of it is what meshpipe reads."""

    # Arrays of fewer bytes in all go through the stream.
    smallest = 1 << 20

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self._bytes = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
        self._address = _address(self._bytes)
        self._end = 0

    @classmethod
    def accepting(cls, offer: Any) -> Optional[SharedMemory]:
        """What meshpipe offers in its first message; None when it can't be used, or there is no offer."""
        try:
            descriptor, size = offer["descriptor"], offer["bytes"]
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size != size:
                return None
            return cls(descriptor, size)
        except (KeyError, TypeError, ValueError, OSError):
            return None

    def array(self, place: int, type_: str, shape: Tuple[int, ...]) -> Array:
        """The array that begins at a place; changing it changes the memory."""
        length = np.dtype(type_).itemsize * math.prod(shape)
        if not 0 <= place <= place + length <= len(self._bytes):
            raise WireError("an array reaches beyond the end of the shared memory")
        self._end = max(self._end, place + length)
        return self._bytes[place:place + length].view(type_).reshape(shape)

    def place(self, array: Array) -> Optional[int]:
        """Where an array is in the memory, put there if need be; None when there is no room."""
        place = _address(array) - self._address
        if 0 <= place <= place + array.nbytes <= len(self._bytes):
            return place
        place = -(-self._end // ALIGNMENT) * ALIGNMENT
        if place + array.nbytes > len(self._bytes):
            return None
        rest = array.data.cast("B") if array.nbytes else b""
        self._end = place
        while len(rest):
            count = os.pwrite(self._descriptor, rest, self._end)
            self._end += count
            rest = rest[count:]
        return place


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
