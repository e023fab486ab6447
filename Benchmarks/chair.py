"""Bakes a real 3D Scanner App capture with some photographs held out, and compares them with the result.

    python3 Benchmarks/chair.py MESHPIPE EVAL CAPTURE [MESH]

Poses of all photographs are refined together; the texture is baked without every sixth; the model is
then rendered at 960×720 from the refined poses of those. PSNR and SSIM (luma) after one gain for each
channel and view, sharpness as gradient energy over that of the photograph, and coverage, over the
pixels that the model covers. EVAL is the folder of caplib.py.
"""
import argparse
import json
import pathlib
import shutil
import sys

import cv2
import numpy as np

import measure

SIZE = (960, 720)


def run(meshpipe, *words):
    run = measure.run([meshpipe, "run", *words, "--force", "--progress", "none"], errors=None)
    return run.cpu, run.peak / 2**20


def split(transforms, held):
    """The frames to bake from, and those held out."""
    frames = sorted(transforms["frames"], key=lambda frame: frame["file_path"])
    return ([frame for index, frame in enumerate(frames) if index % 6 != held],
            [frame for index, frame in enumerate(frames) if index % 6 == held])


def intrinsics(transforms, frame):
    value = lambda key: frame.get(key, transforms.get(key))  # noqa: E731
    return np.array([[value("fl_x"), 0, value("cx")], [0, value("fl_y"), value("cy")], [0, 0, 1]]), value("w")


def luma(image):
    return image @ np.array([0.299, 0.587, 0.114], np.float32)


def gradient_energy(image):
    return cv2.Sobel(image, cv2.CV_32F, 1, 0) ** 2 + cv2.Sobel(image, cv2.CV_32F, 0, 1) ** 2


def compare(scorer, cl, model, transforms, held, root, save):
    mesh = scorer.load_mesh(model, False)
    totals = np.zeros(6)
    for number, frame in enumerate(held):
        K, width = intrinsics(transforms, frame)
        K = cl.scale_K(K, SIZE[0] / width)
        photo = cv2.imread(str(root / frame["file_path"]))[..., ::-1]
        photo = cv2.resize(photo, SIZE, interpolation=cv2.INTER_AREA).astype(np.float32)
        light, cover = cl.render(mesh, K, np.array(frame["transform_matrix"]), *SIZE, ss=2, maxtap=6)
        picture, mask = cl.encode_float(light), cover > 0.999
        gain = (photo[mask] * picture[mask]).sum(0) / np.maximum((picture[mask] ** 2).sum(0), 1e-9)
        picture = np.clip(picture * gain.astype(np.float32), 0, 255)
        inside = cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
        a, b = luma(photo), luma(np.where(mask[..., None], picture, photo))
        totals += [((photo - picture)[mask] ** 2).mean(-1).sum(), mask.sum(),
                   scorer.ssim_map(a, b)[inside].sum(), inside.sum(),
                   gradient_energy(b)[inside].sum(), gradient_energy(a)[inside].sum()]
        if save:
            shown = np.hstack([photo, np.where(mask[..., None], picture, 0)]).astype(np.uint8)
            cv2.imwrite(str(save / f"held_{number}.jpg"), shown[..., ::-1])
    squared, pixels, ssim, inner, ours, theirs = totals
    return (10 * np.log10(255**2 / (squared / pixels)), ssim / inner, ours / theirs,
            pixels / (len(held) * SIZE[0] * SIZE[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe", type=pathlib.Path)
    parser.add_argument("evaluation", type=pathlib.Path)
    parser.add_argument("capture", type=pathlib.Path)
    parser.add_argument("mesh", type=pathlib.Path, nargs="?")
    parser.add_argument("--held", type=int, default=3, help="which of each six is held out")
    parser.add_argument("--bake", default="")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(__file__).parent / "work" / "chair")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.evaluation))
    import caplib as cl
    import score_textured as scorer

    capture, work = arguments.capture.resolve(), arguments.work.resolve()
    mesh = (arguments.mesh or capture / "export.obj").resolve()
    shutil.rmtree(work, ignore_errors=True)
    print("| poses | PSNR dB | SSIM | sharpness | cover | CPU s | peak MiB |\n|---|---|---|---|---|---|---|")
    for label, stages in {"recorded": [], "refined": ["-s", "refine-poses"]}.items():
        folder = work / label
        folder.mkdir(parents=True)
        run(arguments.meshpipe, mesh, "--frames", capture, *stages, "-o", folder / "all" / "transforms.json")
        transforms = json.loads((folder / "all" / "transforms.json").read_text())
        train, held = split(transforms, arguments.held)
        (folder / "train").mkdir()
        for frame in train:
            for key in ("file_path", "depth_file_path"):
                if key in frame:
                    frame[key] = str((folder / "all" / frame[key]).resolve())
        (folder / "train" / "transforms.json").write_text(json.dumps({**transforms, "frames": train}))
        model = folder / "model.obj"
        cost = run(arguments.meshpipe, mesh, "--frames", folder / "train", "--allow-external",
                   "-s", f"bake-texture {arguments.bake}".strip(), "-o", model)
        found = compare(scorer, cl, model, transforms, held, folder / "all", folder)
        print(f"| {label} | {found[0]:.1f} | {found[1]:.3f} | {found[2]:.2f} | {found[3]:.2f} | {cost[0]:.1f} | {cost[1]:.0f} |")


if __name__ == "__main__":
    main()
