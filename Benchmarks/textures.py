"""Bakes captures whose truth is known, scores them on views that were held out, and prints a table.

    python3 Benchmarks/textures.py MESHPIPE EVAL CAPTURES [--scenes room,hall] [--seeds 1-10] [--width 960] [--keep]

EVAL is the folder of make_capture.py and score_textured.py; CAPTURES holds or gets a capture for each
scene and seed. Each is baked on the clean and on the fused mesh, with the recorded poses refined, and
for an oracle with the true poses. Columns as score_textured.py explains them; read PSNR, detail and flat
seam together, since plain PSNR rewards blur. CPU seconds and peak memory are of the whole process.

The table ends with the mean and the worst of each column over the seeds of a scene. Parameters that
were tuned on three seeds did not hold on others: tune on some seeds, and report others.
"""
import argparse
import collections
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

import measure

PHONE = ["--pose-noise", "0.004", "--exposure-jitter", "0.15", "--blur", "0.15"]
# 'hall' is long, glossy and of one exposure; 'object' has exact poses.
SCENES = {
    "room": PHONE,
    "corridor": PHONE,
    "hall": ["--pose-noise", "0.004", "--blur", "0.1", "--gloss", "0.6"],
    "object": [],
}
MESHES = {"clean": "clean/mesh.ply", "fused": "joroar/mesh.ply"}

# The best of naive best view, mvs-texturing, OpenMVS and Open3D in each column, on seed 1.
REFERENCES = {
    ("room", "clean"): (20.4, 24.2, 0.834, 0.82, 0.996, 0.46, 47, 1077),
    ("room", "fused"): (19.2, 22.3, 0.811, 0.97, 0.970, 0.40, 50, 1378),
    ("object", "clean"): (25.2, 25.5, 0.925, 2.6, 0.999, 0.29, 16, 503),
    ("object", "fused"): (16.5, 19.6, 0.592, 1.4, 0.986, 0.34, 26, 558),
}
# Whether more is better, column by column.
MORE_IS_BETTER = (True, True, True, False, True, True, False, False)
HEADER = "| run | all_seen dB | shift dB | detail | flat seam | coverage | texels used | CPU s | peak MiB |"


def make_capture(evaluation, folder, scene, seed, width):
    if not (folder / "gt" / "report.json").exists():
        size = ["--width", str(width), "--height", str(width * 3 // 4)]
        subprocess.run(
            [sys.executable, evaluation / "make_capture.py", "--scene", scene, "--seed", str(seed),
             "--out", folder, *size, *SCENES[scene]], check=True, stdout=subprocess.DEVNULL)


def frames_of(capture, work, poses=None):
    """The capture's frames with their depth maps, with the recorded poses or with others.

    Of the layouts that a capture comes in, this one says where a pixel's centre is.
    """
    folder = work / f"{capture.name}-{'true' if poses else 'recorded'}"
    folder.mkdir(parents=True, exist_ok=True)
    transforms = json.loads((capture / "nerfstudio" / "transforms.json").read_text())
    for index, frame in enumerate(transforms["frames"]):
        if poses:
            frame["transform_matrix"] = poses[index]
        number = pathlib.Path(frame["file_path"]).stem
        frame["depth_file_path"] = str(capture / "joroar" / "depth" / f"{number}.png")
        frame["file_path"] = str(capture / "nerfstudio" / frame["file_path"])
    (folder / "transforms.json").write_text(json.dumps(transforms))
    return folder


def bake(meshpipe, mesh, frames, stages, output):
    """CPU seconds and peak memory in MiB of the run."""
    options = [word for stage in stages for word in ("-s", stage)]
    # Without --report, which measures the memory of each step by starting its count afresh.
    command = [meshpipe, "run", mesh, "--frames", frames, *options, "-o", output, "--force",
               "--allow-external", "--progress", "none"]
    run = measure.run(command, errors=None)
    return run.cpu, run.peak / 2**20


def score(evaluation, capture, kind, model):
    text = subprocess.run(
        [sys.executable, evaluation / "score_textured.py", capture, model, "--input", kind],
        check=True, capture_output=True, text=True).stdout
    model.with_suffix(".score.json").write_text(text)
    return json.loads(text)


def row(name, values):
    texts = [f"{value:.{digits}f}" for value, digits in zip(values, (1, 1, 3, 2, 3, 2, 1, 0))]
    return f"| {name} | " + " | ".join(texts) + " |"


def figures(result, seconds, memory):
    return (result["psnr_all_seen"], result["psnr_shift"], result["detail_corr_shift"],
            result["seam"].get("flat_excess") or 0, result["coverage"],
            result["texels"].get("used_share") or 0, seconds, memory)


def summary(label, rows):
    """The mean and the worst of each column over seeds."""
    columns = list(zip(*rows))
    worst = [(min if more else max)(column) for column, more in zip(columns, MORE_IS_BETTER)]
    print(row(f"**{label}: mean of {len(rows)}**", [statistics.mean(column) for column in columns]))
    print(row(f"**{label}: worst of {len(rows)}**", worst), flush=True)


def numbers(text):
    """1-3,7 as [1, 2, 3, 7]."""
    spans = [part.split("-") for part in text.split(",")]
    return [number for span in spans for number in range(int(span[0]), int(span[-1]) + 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe", type=pathlib.Path)
    parser.add_argument("evaluation", type=pathlib.Path)
    parser.add_argument("captures", type=pathlib.Path)
    parser.add_argument("--scenes", default="room,object", help=f"of {', '.join(SCENES)}, separated by commas")
    parser.add_argument("--seeds", type=numbers, default=numbers("1-3"), help="1-10, or 1,4,7")
    parser.add_argument("--only", default="", help="single captures in place of scenes and seeds: room-1,object-1")
    parser.add_argument("--width", type=int, default=1920, help="width of the photographs; goes into the captures' names")
    parser.add_argument("--meshes", default="clean,fused")
    parser.add_argument("--poses", default="refined,recorded,true", help="which poses to bake with")
    parser.add_argument("--bake", default="", help="more options of bake-texture: 'size=8192'")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(__file__).parent / "work")
    parser.add_argument("--keep", action="store_true", help="keep the models")
    arguments = parser.parse_args()
    meshpipe = arguments.meshpipe.resolve()
    names = arguments.only.split(",") if arguments.only else [
        f"{scene}-{seed}" for scene in arguments.scenes.split(",") for seed in arguments.seeds]
    suffix = "" if arguments.width == 1920 else f"-{arguments.width}"
    results = collections.defaultdict(list)
    print(HEADER)
    print("|" + "---|" * (HEADER.count("|") - 1))
    for name in names:
        scene, seed = name.split("-")
        capture = (arguments.captures / f"{name}{suffix}").resolve()
        make_capture(arguments.evaluation, capture, scene, seed, arguments.width)
        poses = json.loads((capture / "gt" / "report.json").read_text())["true_poses"]
        recorded = frames_of(capture, arguments.work.resolve())
        oracle = frames_of(capture, arguments.work.resolve(), poses)
        for kind in arguments.meshes.split(","):
            if seed == "1" and not suffix and (scene, kind) in REFERENCES:
                print(row(f"*best reference, {scene}, {kind} mesh*", REFERENCES[scene, kind]))
            texture = f"bake-texture {arguments.bake}".strip()
            runs = {"refined": ("", recorded, ["refine-poses", texture])}
            if scene != "object":
                runs["recorded"] = (", not refined", recorded, [texture])
                runs["true"] = (", true poses", oracle, [texture])
            wanted = arguments.poses.split(",")
            for label, frames, stages in (run for key, run in runs.items() if key in wanted):
                folder = arguments.work / f"{name}-{kind}{label.replace(', ', '-').replace(' ', '-')}"
                folder.mkdir(parents=True, exist_ok=True)
                model = folder / "model.obj"
                seconds, memory = bake(meshpipe, capture / MESHES[kind], frames, stages, model)
                result = score(arguments.evaluation, capture, kind, model)
                values = figures(result, seconds, memory)
                results[f"{scene}, {kind} mesh{label}"].append(values)
                print(row(f"{name}, {kind} mesh{label}", values), flush=True)
                if not arguments.keep:
                    shutil.rmtree(folder)
    for label, rows in results.items():
        if len(rows) > 1:
            summary(label, rows)


if __name__ == "__main__":
    main()
