"""A plugin over numpy that changes nothing. With an argument it takes no shared memory."""
import sys

import meshpipe
from meshpipe import shared

if len(sys.argv) > 1:
    shared.SharedMemory.accepting = classmethod(lambda own, offer: None)


def keep(scene):
    pass


for name in ("numpy", "numpy-stream"):
    meshpipe.stage(name=name)(keep)
meshpipe.main()
