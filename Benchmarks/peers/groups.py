"""The groups of an OBJ file, for programs that read none."""


def is_dropped(scan):
    """Whether each face, in the order of the file, is part of wall or ceiling."""
    dropped, name = [], None
    with open(scan) as lines:
        for line in lines:
            if line[0] == "g":
                name = line[2:].strip()
            elif line[0] == "f":
                dropped.append(name in ("wall", "ceiling"))
    return dropped
