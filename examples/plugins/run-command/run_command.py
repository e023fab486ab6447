#!/usr/bin/env python3
"""Hands textures to a command. It needs no packages but numpy, which the module meshpipe takes."""

import os
import shlex
import subprocess

import meshpipe

ENDINGS = {
    "png": "png", "jpeg": "jpg", "webp": "webp", "avif": "avif", "ktx2": "ktx2", "tga": "tga",
    "bmp": "bmp", "tiff": "tif",
}


@meshpipe.stage
def run_command(scene, command, format="same", only="all"):
    words = shlex.split(command)
    if not any("{out}" in word for word in words):
        raise meshpipe.Fault("the command has no {out}: the file that it is to write")
    chosen = [index for index in range(len(scene.textures)) if is_wanted(scene, index, only)]
    for done, index in enumerate(chosen):
        changed(scene.textures[index], index, words, format)
        meshpipe.progress((done + 1) / len(chosen))
    meshpipe.note("textures", len(chosen))


def is_wanted(scene, index, only):
    if only == "all":
        return True
    used = [
        material.base_color_texture if only == "color" else material.normal_texture
        for material in scene.materials
    ]
    return index in used


def changed(texture, index, words, format):
    encoding = texture.encoding if format == "same" else format
    folder = os.path.join(os.getcwd(), f"texture-{index}")
    os.mkdir(folder)
    source = os.path.join(folder, "in." + ENDINGS.get(texture.encoding, "bin"))
    target = os.path.join(folder, "out." + ENDINGS.get(encoding, "bin"))
    with open(source, "wb") as file:
        file.write(texture.data)
    places = {"{in}": source, "{out}": target, "{dir}": folder}
    call = [replaced(word, places) for word in words]
    try:
        result = subprocess.run(
            call, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
    except OSError as error:
        raise meshpipe.Fault(f"'{call[0]}' can't be run: {error.strerror}", 69)
    said = result.stdout.decode(errors="replace").strip().splitlines()
    for line in said[-50:]:
        meshpipe.log(line)
    if result.returncode:
        words = f": {said[-1]}" if said else ""
        raise meshpipe.Fault(f"'{call[0]}' ended with status {result.returncode}{words}", 70)
    if not os.path.exists(target):
        raise meshpipe.Fault(f"'{call[0]}' wrote no {os.path.basename(target)}", 70)
    with open(target, "rb") as file:
        texture.data = file.read()
    if not texture.data:
        raise meshpipe.Fault(f"'{call[0]}' wrote an empty file", 70)
    if encoding != texture.encoding:
        stem = os.path.splitext(texture.file_name)[0]
        texture.file_name = f"{stem}.{ENDINGS[encoding]}"
        texture.encoding = encoding


def replaced(word, places):
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word


if __name__ == "__main__":
    meshpipe.main()
