"""The main job with Blender: OBJ with its groups, 10 %, Z up, GLB. Run by Python with the
module bpy, or by `blender -b -P`."""
import os
import sys

import bpy

scan, output = sys.argv[-2:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.wm.obj_import(filepath=scan, use_split_groups=True)
for item in list(bpy.data.objects):
    if item.name.split(".")[0].split("_")[-1] in ("wall", "ceiling"):
        bpy.data.objects.remove(item)
parts = list(bpy.data.objects)
bpy.ops.object.select_all(action="SELECT")
bpy.context.view_layer.objects.active = parts[0]
bpy.ops.object.join()
scene = bpy.context.view_layer.objects.active
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.select_all(action="SELECT")
bpy.ops.mesh.remove_doubles(threshold=0)
bpy.ops.object.mode_set(mode="OBJECT")
thinned = scene.modifiers.new("thinned", "DECIMATE")
thinned.ratio = 0.1
bpy.ops.object.modifier_apply(modifier="thinned")
# The importer has turned the scan to Z up; the exporter would turn it back.
bpy.ops.export_scene.gltf(filepath=output, export_format="GLB", export_yup=False)
# The module may crash when Python clears up behind it.
os._exit(0)
