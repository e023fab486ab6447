"""Compares the brightness of a baked model with that of the photographs, frame by frame.

    python3 Benchmarks/brightness.py MESHPIPE MODEL CAPTURE [--frames 2,12,22 | --every 10] [--limit 0.08]

`meshpipe preview --compare` renders the model from the camera of each photograph. The ratio is that of the
mean linear light (ITU-R BT.709 luminance) of the model to that of the photograph, over the pixels that the
model covers. A pixel is clipped when all its channels are at 253 or more. Where every exposure was the same,
the ratios are all near 1: a trend along the path is drift of the exposure levelling. Recorded poses are used,
so a few pixels of misregistration are normal; they hardly change a mean. Exits with 1 when a ratio is further
from 1 than --limit.
"""

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image

BACKGROUND = (255, 0, 255)  # a colour that photographs of rooms hardly have
GAP = 6  # columns between the photograph and the model
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
CLIPPED = 253


def linear(codes):
    value = codes / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def frame_count(meshpipe, capture):
    process = subprocess.run(
        [meshpipe, "info", capture, "--json"], check=True, capture_output=True, text=True)
    return int(json.loads(process.stdout)["capture"]["frameCount"])


def compare(meshpipe, model, capture, frame, picture, width):
    subprocess.run(
        [meshpipe, "preview", model, "--compare", capture, "--frame", str(frame), "-o", picture, "--force",
         "--size", str(width), "--background", "#%02x%02x%02x" % BACKGROUND],
        check=True, stderr=subprocess.DEVNULL)
    both = np.asarray(Image.open(picture).convert("RGB")).astype(np.int32)
    columns = (both.shape[1] - GAP) // 2
    photograph, render = both[:, :columns], both[:, -columns:]
    covered = np.abs(render - BACKGROUND).max(-1) > 2
    if not covered.any():
        return None
    light = [float((linear(part[covered]) @ LUMINANCE).mean()) for part in (render, photograph)]
    clipped = [float((part[covered].min(-1) >= CLIPPED).mean()) for part in (render, photograph)]
    return {"frame": frame, "ratio": light[0] / max(light[1], 1e-6), "clipped": clipped[0],
            "clippedInPhotograph": clipped[1], "covered": float(covered.mean())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe")
    parser.add_argument("model")
    parser.add_argument("capture")
    parser.add_argument("--frames", help="numbers counted from 0, with commas between")
    parser.add_argument("--every", type=int, default=10, help="one frame of so many, when --frames is absent")
    parser.add_argument("--limit", type=float, default=0.08, help="how far from 1 a ratio may be")
    parser.add_argument("--width", type=int, default=480, help="of each picture, in pixels")
    parser.add_argument("--json", type=pathlib.Path, help="also write the table here")
    options = parser.parse_args()
    if options.frames:
        frames = [int(word) for word in options.frames.split(",")]
    else:
        frames = range(min(2, options.every - 1), frame_count(options.meshpipe, options.capture), options.every)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for frame in frames:
            row = compare(options.meshpipe, options.model, options.capture, frame,
                          str(pathlib.Path(folder) / "compared.png"), options.width)
            if row:
                rows.append(row)
    if not rows:
        sys.exit("the model covers no pixel of these frames")
    print("| frame | model / photograph | clipped, model | clipped, photograph | covered |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(f"| {row['frame']} | {row['ratio']:.3f} | {row['clipped']:.4f} | {row['clippedInPhotograph']:.4f} "
              f"| {row['covered']:.2f} |")
    ratios = [row["ratio"] for row in rows]
    print(f"least {min(ratios):.3f}, most {max(ratios):.3f}, most over least {max(ratios) / min(ratios):.3f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    sys.exit(max(abs(ratio - 1) for ratio in ratios) > options.limit)


if __name__ == "__main__":
    main()
