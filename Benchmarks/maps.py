"""Bakes maps with meshpipe and with Blender for the same pair of meshes, and compares them and what is rendered.

    python3 Benchmarks/maps.py MESHPIPE [MODEL] [--division 5] [--faces 20000] [--size 2048] [--blender PYTHON]

Without a model, the heavy mesh is Blender's monkey, divided to a million faces with dents by its `clouds` texture. Needs
numpy, Pillow and scipy, and a Python with bpy 4.2, which --blender names if it is another one.

Both bake on the same light mesh with the same texture coordinates: Blender's selected to active, with meshpipe's distance
as the extrusion of the cage, and its occlusion distance. Compared are texels that Blender baked and that are at
least three texels inside a chart. Angle: between the directions of normals, in degrees. Occlusion: the mean absolute and the
mean difference, of 1. Views: PSNR in dB, over pixels that show the heavy mesh, of Cycles' pictures from eight sides in
the light of two lamps, which have no noise. Seconds are CPU time: of meshpipe what a run takes longer than one without
`bake-maps`, of Blender the calls of its baker.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

os.environ["MESHPIPE_CACHE"] = "none"  # each run does all of its work

EROSION = 3
RAYS = 256
SIDES = 8
PIXELS = 512


# In Blender


def make_monkey(path, division_levels):
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.mesh.primitive_monkey_add()
    monkey = bpy.context.object
    division = monkey.modifiers.new("division", "SUBSURF")
    division.levels = division_levels
    dents = monkey.modifiers.new("dents", "DISPLACE")
    dents.texture = bpy.data.textures.new("dents", "CLOUDS")
    dents.texture.noise_scale, dents.texture.noise_depth = 0.12, 3
    dents.strength = 0.06
    bpy.ops.wm.ply_export(filepath=path, export_uv=False, export_normals=False, up_axis="Y", forward_axis="NEGATIVE_Z",
                          export_triangulated_mesh=True)


def load(path):
    import bpy

    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=str(path))
    new = [thing for thing in bpy.data.objects if thing not in before and thing.type == "MESH"]
    bpy.ops.object.select_all(action="DESELECT")
    for thing in new:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = new[0]
    if len(new) > 1:
        bpy.ops.object.join()
    return bpy.context.view_layer.objects.active


def begin():
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.world = bpy.data.worlds.new("world")
    return scene


def bake(folder, size, reach, distance):
    """Writes Blender's maps as arrays, the first row at the bottom."""
    import bpy

    scene = begin()
    heavy, light = load(folder / "heavy.glb"), load(folder / "maps.glb")
    scene.world.light_settings.distance = distance
    results = {}
    for kind, samples in (("NORMAL", 1), ("AO", RAYS)):
        image = bpy.data.images.new(kind, size, size, float_buffer=True, is_data=True)
        for slot in light.material_slots:
            nodes = slot.material.node_tree.nodes
            node = nodes.new("ShaderNodeTexImage")
            node.image = image
            nodes.active = node
        bpy.ops.object.select_all(action="DESELECT")
        heavy.select_set(True)
        light.select_set(True)
        bpy.context.view_layer.objects.active = light
        scene.cycles.samples = samples
        start = cpu_seconds(resource.RUSAGE_SELF)
        bpy.ops.object.bake(
            type=kind, use_selected_to_active=True, cage_extrusion=reach, max_ray_distance=2 * reach,
            margin=0, use_clear=True)
        results[kind + "_SECONDS"] = cpu_seconds(resource.RUSAGE_SELF) - start
        results[kind] = np.array(image.pixels[:], np.float32).reshape(size, size, 4)
    np.savez(folder / "blender.npz", **results)


def render(folder):
    """Writes pictures of the heavy mesh, of the light one, and of that with maps."""
    import bpy
    from mathutils import Vector

    for name in ("heavy", "light", "maps"):
        scene = begin()
        model = load(folder / f"{name}.glb")
        for slot in model.material_slots:
            shader = slot.material.node_tree.nodes["Principled BSDF"]
            shader.inputs["Base Color"].default_value = (0.6, 0.6, 0.6, 1)
            shader.inputs["Roughness"].default_value = 0.6
        if not model.material_slots:
            material = bpy.data.materials.new("grey")
            material.use_nodes = True
            shader = material.node_tree.nodes["Principled BSDF"]
            shader.inputs["Base Color"].default_value = (0.6, 0.6, 0.6, 1)
            shader.inputs["Roughness"].default_value = 0.6
            model.data.materials.append(material)
        corners = [model.matrix_world @ Vector(corner) for corner in model.bound_box]
        center = sum(corners, Vector()) / 8
        radius = max((corner - center).length for corner in corners)
        camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
        scene.collection.objects.link(camera)
        scene.camera, camera.data.type, camera.data.ortho_scale = camera, "ORTHO", 2 * radius
        camera.data.clip_end = 10 * radius
        for turn, strength in (((0.9, 0, 0.5), 3), ((0.7, 0.6, 3.4), 2)):
            lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "SUN"))
            scene.collection.objects.link(lamp)
            lamp.rotation_euler, lamp.data.energy, lamp.data.angle = turn, strength, 0
        scene.cycles.samples, scene.cycles.max_bounces, scene.cycles.seed = 32, 0, 1
        scene.cycles.use_denoising = False
        scene.render.film_transparent = True
        scene.render.resolution_x = scene.render.resolution_y = PIXELS
        scene.view_settings.view_transform = "Standard"
        for side in range(SIDES):
            direction = Vector((np.sin(side * np.pi / 4), -np.cos(side * np.pi / 4), 0.35 * (-1) ** side)).normalized()
            camera.location = center + 4 * radius * direction
            camera.rotation_euler = (-direction).to_track_quat("-Z", "Y").to_euler()
            scene.render.filepath = str(folder / f"{name}-{side}.png")
            bpy.ops.render.render(write_still=True)


# Outside of it


def cpu_seconds(who=resource.RUSAGE_CHILDREN):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run(meshpipe, model, folder, arguments, bakes):
    """The report of a run that writes the pair and the maps, and its CPU time."""
    size = arguments.size
    stages = [
        {"use": "weld"},
        {"use": "clean", "with": {"orientation": False}},
        {"id": "full", "use": "compute-normals"},
        {"use": "decimate", "with": {"faces": arguments.faces}},
        {"use": "compute-normals"},
        {"id": "laid", "use": "unwrap", "with": {"size": size}},
    ]
    if bakes:
        stages.append({"id": "maps", "use": "bake-maps", "with": {"from": "full", "size": size}})
    outputs = [{"path": "heavy.glb", "from": "full"}, {"path": "light.glb", "from": "laid"}]
    if bakes:
        outputs.append({"path": "maps.glb", "from": "maps"})
    pipeline = folder / "pipeline.json"
    pipeline.write_text(json.dumps({"meshpipe": 1, "stages": stages, "outputs": outputs}))
    before = cpu_seconds()
    subprocess.run(
        [meshpipe, "run", pipeline, model, "-o", f"{folder}/", "--report", folder / "report.json", "--quiet"],
        check=True)
    return json.loads((folder / "report.json").read_text()), cpu_seconds() - before


def glb(path):
    content = path.read_bytes()
    length = int.from_bytes(content[12:16], "little")
    return json.loads(content[20:20 + length]), content[28 + length:]


def picture(document, binary, index):
    import io

    from PIL import Image

    image = document["images"][document["textures"][index]["source"]]
    view = document["bufferViews"][image["bufferView"]]
    start = view.get("byteOffset", 0)
    pixels = np.asarray(Image.open(io.BytesIO(binary[start:start + view["byteLength"]])), np.float32) / 255
    return pixels[::-1]


def inside_charts(path, size):
    """The texels that are well inside of charts, the first row at the bottom."""
    import trimesh
    from PIL import Image, ImageDraw
    from scipy import ndimage

    canvas = Image.new("1", (size, size))
    draw = ImageDraw.Draw(canvas)
    for part in trimesh.load(path, process=False).geometry.values():
        for corners in part.visual.uv[part.faces] * size:
            draw.polygon([tuple(corner) for corner in corners], fill=1)
    return ndimage.binary_erosion(np.asarray(canvas), iterations=EROSION)


def unit(codes):
    directions = codes[..., :3] * 2 - 1
    return directions / np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), 1e-9)


def compare(folder, size):
    document, binary = glb(folder / "maps.glb")
    material = document["materials"][0]
    ours = picture(document, binary, material["normalTexture"]["index"])
    shade = picture(document, binary, material["occlusionTexture"]["index"])
    shade = shade if shade.ndim == 2 else shade[..., 0]
    theirs = np.load(folder / "blender.npz")
    used = inside_charts(folder / "maps.glb", size) & (theirs["NORMAL"][..., :3].max(axis=2) > 0.01)
    cosines = np.sum(unit(ours)[used] * unit(theirs["NORMAL"])[used], axis=1)
    angles = np.degrees(np.arccos(np.clip(cosines, -1, 1)))
    change = shade[used] - theirs["AO"][..., 0][used]
    return {
        "texels": int(used.sum()), "angle mean": angles.mean(), "angle median": np.median(angles),
        "angle 95%": np.percentile(angles, 95), "occlusion |mean|": np.abs(change).mean(),
        "occlusion mean": change.mean(),
        "Blender CPU s": float(theirs["NORMAL_SECONDS"] + theirs["AO_SECONDS"]),
    }


def views(folder):
    from PIL import Image

    def pixels(name, side):
        return np.asarray(Image.open(folder / f"{name}-{side}.png").convert("RGBA"), np.float64) / 255

    errors = {"light": [], "maps": []}
    for side in range(SIDES):
        truth = pixels("heavy", side)
        seen = truth[..., 3] > 0.5
        for name, list_ in errors.items():
            list_.append((pixels(name, side) - truth)[seen][:, :3] ** 2)
    return {f"{name} dB": -10 * np.log10(np.concatenate(list_).mean()) for name, list_ in errors.items()}


def join(folder, path):
    """Writes the heavy mesh, the light one, and that with maps side by side on white."""
    from PIL import Image

    parts = [Image.open(folder / f"{name}-1.png").convert("RGBA") for name in ("heavy", "light", "maps")]
    box = np.array(parts[0].getbbox()) + (-8, -8, 8, 8)
    parts = [part.crop(tuple(map(int, box))) for part in parts]
    width, height = parts[0].size
    whole = Image.new("RGB", (3 * width, height), "white")
    for place, part in enumerate(parts):
        whole.paste(part, (place * width, 0), part)
    whole.save(path, quality=88)


def blender(python, *words):
    subprocess.run([python, __file__, *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshpipe")
    parser.add_argument("model", nargs="?")
    parser.add_argument("--division", type=int, default=5, help="of the monkey: each has four times the faces")
    parser.add_argument("--faces", type=int, default=20_000)
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--blender", default=sys.executable)
    parser.add_argument("--picture", help="an image to write: the heavy mesh, the light one, and that with maps")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for all files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(exist_ok=True)
        model = arguments.model
        if not model:
            model = folder / "monkey.ply"
            blender(arguments.blender, "in-blender", "monkey", model, arguments.division)
        _, without = run(arguments.meshpipe, model, folder, arguments, bakes=False)
        report, whole = run(arguments.meshpipe, model, folder, arguments, bakes=True)
        notes = next(stage for stage in report["stages"] if stage["id"] == "maps")["notes"]
        reach = notes["distanceMillimeters"] / 1000
        heavy, _ = glb(folder / "heavy.glb")
        boxes = [heavy["accessors"][part["attributes"]["POSITION"]] for mesh in heavy["meshes"]
                 for part in mesh["primitives"]]
        low = np.min([box["min"] for box in boxes], axis=0)
        high = np.max([box["max"] for box in boxes], axis=0)
        blender(arguments.blender, "in-blender", "bake", folder, arguments.size, reach, 0.1 * (high - low).max())
        blender(arguments.blender, "in-blender", "render", folder)
        if arguments.picture:
            join(folder, arguments.picture)
        result = compare(folder, arguments.size) | {"meshpipe CPU s": whole - without} | views(folder)
    for name, value in result.items():
        print(f"{name:18}", value if isinstance(value, int) else f"{value:.4g}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["in-blender"]:
        what, path, *numbers = sys.argv[2:]
        if what == "monkey":
            make_monkey(path, int(numbers[0]))
        elif what == "bake":
            bake(pathlib.Path(path), int(numbers[0]), float(numbers[1]), float(numbers[2]))
        else:
            render(pathlib.Path(path))
        os._exit(0)
    main()
