"""How well select-frames tells blurred frames from sharp ones, on synthetic captures with known blur.

  selection.py CAPTURE... [--meshpipe .build/release/meshpipe] [--verbose]

Each CAPTURE is a folder of the capture generator: `joroar/` is what the stage reads, `gt/report.json` tells how many
pixels each frame was really blurred by. Prints, per capture, how many sharp frames were called blurred and how many
blurred ones were not found.
"""
import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work


def verdicts(meshpipe, capture):
    """What the stage reports of each frame."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run(
            [meshpipe, "run", capture / "joroar", "-s", "select-frames", "-o", Path(folder) / "out.obj", "--report",
             report, "--progress", "none"], check=True, capture_output=True)
        stages = json.loads(report.read_text())["stages"]
    return next(stage["notes"]["frames"] for stage in stages if "frames" in stage.get("notes", {}))


def row(meshpipe, capture, verbose):
    truth = json.loads((capture / "gt/report.json").read_text())["exposure"]["per_frame"]
    frames = verdicts(meshpipe, capture)
    sharp_dropped, blurred_kept, needed, others_dropped, blurred = [], [], 0, 0, 0
    for frame, known in zip(frames, truth, strict=True):
        is_called_blurred = frame["reason"].startswith("blurred")
        blurred += known["blur_px"] > 0
        needed += is_called_blurred and frame["kept"]
        if is_called_blurred and known["blur_px"] == 0:
            sharp_dropped.append(frame)
        elif not is_called_blurred and known["blur_px"] > 0:
            blurred_kept.append(f"{known['blur_px']:.1f} px")
        elif not frame["kept"] and not is_called_blurred:
            others_dropped += 1
    print(f"| {capture.name} | {len(frames)} | {blurred} | {len(sharp_dropped)} | {len(blurred_kept)} | {needed} | {others_dropped} |")
    if verbose:
        values = [(frame.get("sharpness", 9), known["blur_px"]) for frame, known in zip(frames, truth)]
        print("  sharp, lowest:", sorted(value for value, blur in values if blur == 0)[:5])
        print("  blurred, highest:", sorted(((value, round(blur, 1)) for value, blur in values if blur > 0), reverse=True)[:5])
        for frame in sharp_dropped:
            print("  dropped though sharp:", frame["name"], frame["reason"])
        print("  kept though blurred:", blurred_kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("--meshpipe", default=Path(__file__).parent.parent / ".build/release/meshpipe", type=Path)
    parser.add_argument("--verbose", action="store_true", help="also name the frames that were misjudged")
    arguments = parser.parse_args()
    print("| capture | frames | blurred | sharp ones called blurred | blurred ones not found | kept though blurred, as they alone see something | dropped for other reasons |")
    print("|---|---|---|---|---|---|---|")
    for capture in arguments.captures:
        row(arguments.meshpipe, capture, arguments.verbose)


if __name__ == "__main__":
    main()
