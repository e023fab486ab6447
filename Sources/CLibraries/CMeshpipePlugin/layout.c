#include "meshpipe_plugin.h"

// The offsets of the fields of version 1, on machines with 64-bit pointers. Compiled plugins rely on them:
// fields may be added after the last, and none of these lines may change.

#if UINTPTR_MAX == UINT64_MAX

#define SIZE(type, size) _Static_assert(sizeof(type) >= (size), #type " has shrunk")
#define PLACE(type, field, offset) \
  _Static_assert(offsetof(type, field) == (offset), #type "." #field " has moved")

SIZE(meshpipe_mesh, 120);
PLACE(meshpipe_mesh, vertex_count, 16);
PLACE(meshpipe_mesh, positions, 32);
PLACE(meshpipe_mesh, indices, 40);
PLACE(meshpipe_mesh, normals, 48);
PLACE(meshpipe_mesh, colors, 56);
PLACE(meshpipe_mesh, confidences, 64);
PLACE(meshpipe_mesh, texture_coordinates, 72);
PLACE(meshpipe_mesh, corner_normals, 80);
PLACE(meshpipe_mesh, face_materials, 88);
PLACE(meshpipe_mesh, classes, 96);
PLACE(meshpipe_mesh, class_name_count, 112);
PLACE(meshpipe_mesh, second_texture_coordinates, 120);
PLACE(meshpipe_mesh, tangents, 128);
PLACE(meshpipe_mesh, attributes, 136);
PLACE(meshpipe_mesh, attribute_count, 144);

SIZE(meshpipe_point_cloud, 80);
PLACE(meshpipe_point_cloud, positions, 24);
PLACE(meshpipe_point_cloud, classes, 56);
PLACE(meshpipe_point_cloud, class_name_count, 72);
PLACE(meshpipe_point_cloud, attributes, 80);
PLACE(meshpipe_point_cloud, attribute_count, 88);

SIZE(meshpipe_attribute, 40);
PLACE(meshpipe_attribute, name, 8);
PLACE(meshpipe_attribute, element, 16);
PLACE(meshpipe_attribute, type, 20);
PLACE(meshpipe_attribute, width, 24);
PLACE(meshpipe_attribute, values, 32);

SIZE(meshpipe_material, 72);
PLACE(meshpipe_material, red, 16);
PLACE(meshpipe_material, is_double_sided, 52);
PLACE(meshpipe_material, normal_texture, 64);
PLACE(meshpipe_material, occlusion_texture, 72);
PLACE(meshpipe_material, metallic_roughness_texture, 80);
PLACE(meshpipe_material, emissive_texture, 88);
PLACE(meshpipe_material, alpha_mode, 96);
PLACE(meshpipe_material, alpha_cutoff, 100);
PLACE(meshpipe_material, is_unlit, 104);

SIZE(meshpipe_texture, 40);
PLACE(meshpipe_texture, encoding, 16);
PLACE(meshpipe_texture, byte_count, 32);

SIZE(meshpipe_frame, 176);
PLACE(meshpipe_frame, video_index, 24);
PLACE(meshpipe_frame, focal_length, 48);
PLACE(meshpipe_frame, x_axis, 80);
PLACE(meshpipe_frame, translation, 152);

SIZE(meshpipe_scene, 120);
PLACE(meshpipe_scene, up, 16);
PLACE(meshpipe_scene, meters_per_unit, 32);
PLACE(meshpipe_scene, meshes, 40);
PLACE(meshpipe_scene, frame_count, 112);

SIZE(meshpipe_value, 56);
PLACE(meshpipe_value, number, 16);
PLACE(meshpipe_value, names, 48);

SIZE(meshpipe_task, 32);
PLACE(meshpipe_task, seed, 24);

SIZE(meshpipe_host, 88);
PLACE(meshpipe_host, context, 16);
PLACE(meshpipe_host, allocate, 24);
PLACE(meshpipe_host, fail, 80);

SIZE(meshpipe_plugin, 24);
PLACE(meshpipe_plugin, run, 16);
PLACE(meshpipe_plugin, attributes, 24);

#endif
