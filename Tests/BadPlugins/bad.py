#!/usr/bin/env python3
"""A plugin that goes wrong in the way that its argument names; it needs nothing but Python."""

import ctypes
import errno
import json
import math
import os
import signal
import socket
import struct
import subprocess
import sys
import time

KEYCTL = 219 if os.uname().machine == "aarch64" else 250
FRAME = struct.Struct("<8sIIQ")
OUTPUT = os.fdopen(1, "wb", buffering=0)
INPUT = os.fdopen(0, "rb")


def send(header, arrays=b"", version=1, payload=None):
    text = json.dumps(header).encode()
    length = len(arrays) if payload is None else payload
    OUTPUT.write(FRAME.pack(b"meshpipe", version, len(text), length) + text + arrays)


def receive():
    _, _, length, payload = FRAME.unpack(INPUT.read(FRAME.size))
    return json.loads(INPUT.read(length)), INPUT.read(payload)


def greet(**more):
    receive()
    send({"kind": "hello", "protocol": 1, "name": "bad", "version": "1", **more})


def scene(vertices, faces, positions=(0, 0, 0, 1, 0, 0, 0, 1, 0), indices=(0, 1, 2)):
    header = {
        "kind": "scene",
        "coordinateSystem": {
            "up": "y", "forward": "-z", "handedness": "right", "metersPerUnit": 1},
        "meshes": [{"name": "bad", "vertices": vertices, "faces": faces}],
    }
    return header, struct.pack(f"<{len(positions)}f{len(indices)}I", *positions, *indices)


def well():
    """Keeps the agreement for once."""
    send(*scene(3, 1))


def abort():
    os.abort()


def measure():
    raise ValueError("too flat")


def loop():
    while True:
        pass


def nan():
    send(*scene(3, 1, positions=(math.nan, 0, 0, 1, 0, 0, 0, 1, 0)))


def index():
    send(*scene(3, 1, indices=(0, 1, 3)))


def length():
    header, _ = scene(2**32 - 1, 2**32 - 1)
    send(header, payload=24 * (2**32 - 1))


def surplus():
    send(*scene(3, 1))
    OUTPUT.write(b"one more thing")


def fork():
    """Leaves a child in a session of its own, which would end only in an hour."""
    subprocess.Popen(
        [sys.executable, "-c", f"import time; time.sleep(3600)  # {__file__}"],
        start_new_session=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sys.exit(9)


def chatter():
    words = b"bla " * 4096
    while True:
        os.write(2, words)


def stubborn():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(3600)


def silence():
    sys.exit(0)


def version():
    """Speaks another version from the first word on."""
    receive()
    send({"kind": "hello", "protocol": 7, "name": "bad", "version": "1"}, version=7)


def drip():
    header, arrays = scene(3, 1)
    text = json.dumps(header).encode()
    for byte in FRAME.pack(b"meshpipe", 1, len(text), len(arrays)) + text + arrays:
        OUTPUT.write(bytes([byte]))
        time.sleep(0.1)


def memory():
    eaten = []
    while True:
        eaten.append(bytearray(b"x" * (1 << 24)))


def trespass():
    """Tells what succeeded of what must not."""
    done = []

    def attempt(deed, action):
        try:
            action()
            done.append(deed)
        except (OSError, PermissionError):
            pass

    def secret():
        if "MESHPIPE_TEST_SECRET" not in os.environ:
            raise PermissionError

    place = os.path.dirname(os.path.abspath(__file__))
    attempt("write beside itself", lambda: open(os.path.join(place, "new"), "w"))
    attempt("write elsewhere", lambda: open("/tmp/meshpipe-trespass", "w"))
    attempt("write over itself", lambda: open(__file__, "r+"))
    attempt("open a socket", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM))
    attempt("reach a local service", lambda: socket.socket(socket.AF_UNIX))
    attempt("see a secret", secret)
    libc = ctypes.CDLL(None, use_errno=True)

    def call(result):
        if result < 0:
            raise OSError(ctypes.get_errno(), "refused")

    attempt("leave memory behind", lambda: call(libc.shmget(0, 4096, 0o1600)))
    attempt("look into keyrings", lambda: call(libc.syscall(KEYCTL, 0, -3, 1)))

    def x32():
        """Asks for the process's number as x32 does; without a filter, most kernels know no such call."""
        refused = libc.syscall(0x40000000 | 39) < 0 and ctypes.get_errno() == errno.EPERM
        call(-1 if refused else 0)

    if os.uname().machine == "x86_64":
        attempt("call as x32", x32)
    attempt("read the terminal", lambda: open("/dev/tty"))
    attempt("restart the machine", lambda: call(libc.reboot(0)))
    with open("scratch", "w") as file:
        file.write("allowed")
    with open("/dev/null", "w") as file:
        file.write("allowed")
    assert os.path.realpath(os.environ["TMPDIR"]) == os.getcwd()
    send({"kind": "failure", "message": "succeeded: " + (", ".join(done) or "nothing")})


def words():
    send({"kind": "failure", "message": "the scan is \u001b[31m bad", "exitCode": 75})


def flood():
    """Says more than anybody reads, and then that it failed, at length."""
    for _ in range(60):
        send({"kind": "log", "message": "x" * 100_000})
        send({"kind": "report", "key": "y", "value": ["y" * 50_000]})
    send({"kind": "failure", "message": "z" * 1_000_000})


def garbage():
    OUTPUT.write(b"Once upon a time there was a mesh, and it had many faces")


# With arrays in the memory that meshpipe shares, which is descriptor 3.


def send_shared(header, arrays, places, payload=0):
    os.pwrite(3, arrays, 0)
    send({**header, "shared": places}, payload=payload)


def shared_trespass():
    """Tells what succeeded of what must not."""
    size = os.fstat(3).st_size
    done = []
    for deed, action in [
        ("cut it", lambda: os.ftruncate(3, 0)), ("lengthen it", lambda: os.ftruncate(3, size + 1)),
        ("write beyond its end", lambda: os.pwrite(3, b"x", size)),
        ("run it", lambda: os.execv("/proc/self/fd/3", ["x"])),
    ]:
        try:
            action()
            done.append(deed)
        except OSError:
            pass
    send({"kind": "failure", "message": "succeeded: " + (", ".join(done) or "nothing")})


def shared_beyond():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [0, os.fstat(3).st_size - 8])


def shared_huge():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [2**53, 36])


def shared_index():
    header, arrays = scene(3, 1, indices=(0, 1, 3))
    send_shared(header, arrays, [0, 36])


def shared_few():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [0])


def shared_both():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [0, 36], payload=48)


def shared_unasked():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [0, 36])


def shared_late():
    header, arrays = scene(3, 1)
    send_shared(header, arrays, [0, 36])
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        os.pwrite(3, struct.pack("<9f", *[math.nan] * 9), 0)


if __name__ == "__main__":
    way = sys.argv[1]
    if way != "version":
        shares = way.startswith("shared") and way != "shared-unasked"
        greet(**({"sharedMemory": True} if shares else {}))
        receive()
    globals()["measure" if way == "raise" else way.replace("-", "_")]()
