// The C ABI of meshpipe's plugins, version 1. This file is all that a plugin needs; it is C99 and C++11.
//
// A plugin is a shared library next to a manifest, and exports one function, `meshpipe_plugin_entry`. It runs
// in meshpipe's own process: the user must trust it, and a crash of it ends the run. Programs that
// need not be trusted use the process protocol instead. docs/plugin-abi.md describes this ABI field by field,
// docs/plugins.md its compatibility guarantees.
//
// A scene is lent, not copied. Its arrays are read-only, since other branches of the pipeline may use them
// too; its structures may be changed. To change an array, replace it by memory from `host->allocate` and set
// the matching counts. Unchanged arrays cost nothing. Everything that is returned is validated: lengths,
// indices, and that numbers are finite.
#ifndef MESHPIPE_PLUGIN_H
#define MESHPIPE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the ABI that this file describes.
#define MESHPIPE_ABI 1u

#if defined(_WIN32)
#define MESHPIPE_EXPORT __declspec(dllexport)
#else
#define MESHPIPE_EXPORT __attribute__((visibility("default")))
#endif

/// The result of a run: 0, or the exit code of the command.
enum {
  MESHPIPE_DONE = 0,
  MESHPIPE_BAD_SCAN = 65,
  MESHPIPE_NO_INPUT = 66,
  MESHPIPE_UNAVAILABLE = 69,
  MESHPIPE_FAULT = 70,
  MESHPIPE_IO_ERROR = 74,
  MESHPIPE_TRY_AGAIN = 75,
  MESHPIPE_CANCELLED = 130
};

/// A direction along a coordinate axis.
enum {
  MESHPIPE_X = 0,
  MESHPIPE_Y = 1,
  MESHPIPE_Z = 2,
  MESHPIPE_MINUS_X = 3,
  MESHPIPE_MINUS_Y = 4,
  MESHPIPE_MINUS_Z = 5
};

/// How the bytes of a texture are encoded.
enum {
  MESHPIPE_PNG = 0,
  MESHPIPE_JPEG = 1,
  MESHPIPE_WEBP = 2,
  MESHPIPE_TGA = 3,
  MESHPIPE_BMP = 4,
  MESHPIPE_TIFF = 5,
  MESHPIPE_OTHER_ENCODING = 6,
  MESHPIPE_AVIF = 7,
  MESHPIPE_KTX2 = 8
};

/// What the opacity of a material's colour and its texture means.
enum {
  MESHPIPE_OPAQUE = 0, ///< nothing, except that a colour with an opacity below 1 is blended
  MESHPIPE_MASK = 1,   ///< what is less opaque than the cutoff is not shown
  MESHPIPE_BLEND = 2
};

/// The type of a value.
enum {
  MESHPIPE_NULL = 0,
  MESHPIPE_BOOL = 1,
  MESHPIPE_NUMBER = 2,
  MESHPIPE_TEXT = 3,
  MESHPIPE_LIST = 4,
  MESHPIPE_OBJECT = 5
};

/// The type of a custom attribute's values.
enum {
  MESHPIPE_INT8 = 0,
  MESHPIPE_UINT8 = 1,
  MESHPIPE_INT16 = 2,
  MESHPIPE_UINT16 = 3,
  MESHPIPE_INT32 = 4,
  MESHPIPE_UINT32 = 5,
  MESHPIPE_FLOAT32 = 6,
  MESHPIPE_FLOAT64 = 7,
  MESHPIPE_UINT64 = 8 ///< only for plugins with MESHPIPE_WIDE_INTEGERS
};

/// What a custom attribute has values for: one of these of a mesh, or the points of a point cloud.
enum {
  MESHPIPE_VERTEX = 0,
  MESHPIPE_CORNER = 1,
  MESHPIPE_FACE = 2,
  MESHPIPE_POINT = 3
};

/// The attributes that a plugin has to know to get them: see meshpipe_plugin.
enum {
  MESHPIPE_SECOND_TEXTURE_COORDINATES = 1,
  MESHPIPE_TANGENTS = 2,
  MESHPIPE_CUSTOM_ATTRIBUTES = 4,
  MESHPIPE_WIDE_INTEGERS = 8, ///< custom attributes of MESHPIPE_UINT64
  MESHPIPE_ALL_ATTRIBUTES = 15 ///< those of this version of the file
};

typedef struct meshpipe_vector3 {
  double x, y, z;
} meshpipe_vector3;

typedef struct meshpipe_vector2 {
  double x, y;
} meshpipe_vector2;

/// Each structure below begins with its size in the version of this file that its maker was compiled with. A
/// later version may add fields at the end: read no further into a structure than its size.
///
/// Texts are UTF-8 and NUL-terminated. They may be NULL for none, and need not come from `allocate`: those
/// that a plugin sets must live until its run has returned.

/// An attribute that meshpipe has no meaning for, such as a scan's intensity.
typedef struct meshpipe_attribute {
  size_t struct_size;
  const char *name;   ///< unique among those of its elements
  int32_t element;    ///< MESHPIPE_VERTEX and so on
  int32_t type;       ///< MESHPIPE_INT8 and so on
  size_t width;       ///< values for each element
  const void *values; ///< width for each element, element by element
} meshpipe_attribute;

/// A triangle mesh. Face f has the corners 3 × f + 0…2 and winds counter-clockwise, seen from outside. An
/// attribute that the mesh doesn't have is NULL.
typedef struct meshpipe_mesh {
  size_t struct_size;
  const char *name;
  size_t vertex_count;
  size_t face_count;
  const float *positions;           ///< 3 for each vertex, in the units of the scene
  const uint32_t *indices;          ///< 3 for each face, each below vertex_count
  const float *normals;             ///< 3 for each vertex
  const uint8_t *colors;            ///< 4 for each vertex: red, green, blue, alpha, sRGB
  const float *confidences;         ///< 1 for each vertex, ARKit's 0 to 2
  const float *texture_coordinates; ///< 2 for each corner, origin at the lower left
  const float *corner_normals;      ///< 3 for each corner; they win over normals
  const uint32_t *face_materials;   ///< 1 for each face, each below the scene's material_count
  const uint16_t *classes;          ///< 1 for each face, each below class_name_count
  const char *const *class_names;
  size_t class_name_count;
  const float *second_texture_coordinates; ///< 2 for each corner
  const float *tangents;                   ///< 4 for each corner: the direction, and 1 or -1 as in glTF
  meshpipe_attribute **attributes;         ///< custom attributes
  size_t attribute_count;
} meshpipe_mesh;

/// Points without faces.
typedef struct meshpipe_point_cloud {
  size_t struct_size;
  const char *name;
  size_t point_count;
  const float *positions;   ///< 3 for each point
  const float *normals;     ///< 3 for each point
  const uint8_t *colors;    ///< 4 for each point
  const float *confidences; ///< 1 for each point
  const uint16_t *classes;  ///< 1 for each point, each below class_name_count
  const char *const *class_names;
  size_t class_name_count;
  meshpipe_attribute **attributes; ///< custom attributes
  size_t attribute_count;
} meshpipe_point_cloud;

/// An encoded image.
typedef struct meshpipe_texture {
  size_t struct_size;
  const char *file_name;
  int32_t encoding;
  const uint8_t *bytes;
  size_t byte_count;
} meshpipe_texture;

/// The appearance of a surface: glTF's metallic-roughness model.
typedef struct meshpipe_material {
  size_t struct_size;
  const char *name;
  float red, green, blue, opacity; ///< linear, 0 to 1
  float metallic, roughness;
  float emissive_red, emissive_green, emissive_blue;
  int32_t is_double_sided;
  const meshpipe_texture *base_color_texture; ///< one of the scene's textures, or NULL
  const meshpipe_texture *normal_texture;     ///< one of the scene's textures, or NULL
  const meshpipe_texture *occlusion_texture;  ///< likewise; its red is the light that comes in
  const meshpipe_texture *metallic_roughness_texture; ///< its green multiplies roughness, its blue metallic
  const meshpipe_texture *emissive_texture;           ///< multiplies the emissive colour
  int32_t alpha_mode;                                 ///< MESHPIPE_OPAQUE and so on
  float alpha_cutoff;                                 ///< of MESHPIPE_MASK: what is less opaque is not shown
  int32_t is_unlit;                                   ///< shown regardless of lights
} meshpipe_material;

/// An image of the capture with its camera: right-handed, +x right, +y up, looking along −z.
///
/// Images, depth maps and lens distortion stay with meshpipe. A plugin may remove frames from the list, and change
/// the focal lengths, principal point and pose of the others.
typedef struct meshpipe_frame {
  size_t struct_size;
  const char *name;
  const char *image_path;
  int64_t video_index; ///< the number of a frame in a video, or −1
  size_t image_width, image_height;
  meshpipe_vector2 focal_length;                       ///< pixels
  meshpipe_vector2 principal_point;                    ///< pixels from the top left, the first pixel's centre at .5
  meshpipe_vector3 x_axis, y_axis, z_axis, translation; ///< camera to world
} meshpipe_frame;

/// The data that stages pass on. The lists are of pointers, so that structures may grow.
typedef struct meshpipe_scene {
  size_t struct_size;
  const char *name;
  int32_t up, forward; ///< axes
  int32_t is_left_handed;
  double meters_per_unit;
  meshpipe_mesh **meshes;
  size_t mesh_count;
  meshpipe_point_cloud **point_clouds;
  size_t point_cloud_count;
  meshpipe_material **materials;
  size_t material_count;
  meshpipe_texture **textures;
  size_t texture_count;
  meshpipe_frame **frames;
  size_t frame_count;
} meshpipe_scene;

/// A parameter's value, as in JSON.
typedef struct meshpipe_value {
  size_t struct_size;
  int32_t kind;
  double number;    ///< of a number; 0 or 1 of a boolean
  const char *text; ///< of a text
  size_t count;     ///< of a list, and of an object's members
  const struct meshpipe_value *const *items;
  const char *const *names; ///< of an object's members
} meshpipe_value;

/// The stage to run, with its parameters.
typedef struct meshpipe_task {
  size_t struct_size;
  const char *stage;
  const meshpipe_value *parameters; ///< an object: every parameter of the manifest, in base units
  uint64_t seed;                    ///< for random numbers
} meshpipe_task;

/// meshpipe's services to a running plugin. The functions may be called from any thread.
typedef struct meshpipe_host {
  size_t struct_size;
  uint32_t abi;
  void *context; ///< meshpipe's own

  /// Allocates memory: zeroed, aligned for any type, freed by meshpipe after the run; NULL when out of memory.
  /// Each array that a plugin returns must be a block of its own.
  void *(*allocate)(const struct meshpipe_host *host, size_t bytes);
  /// Reports progress, 0 to 1. Returns whether the run is cancelled: then return MESHPIPE_CANCELLED soon.
  int32_t (*progress)(const struct meshpipe_host *host, double fraction);
  /// Whether the run is cancelled; cheap to call.
  int32_t (*is_cancelled)(const struct meshpipe_host *host);
  /// Adds a line to the report.
  void (*log)(const struct meshpipe_host *host, const char *line);
  /// Warns the user with a sentence.
  void (*warn)(const struct meshpipe_host *host, const char *sentence);
  /// Adds a number to the report.
  void (*note)(const struct meshpipe_host *host, const char *key, double value);
  /// Adds a text to the report.
  void (*note_text)(const struct meshpipe_host *host, const char *key, const char *value);
  /// Says why the run failed. Returns the code, so that you can write
  /// `return host->fail(host, MESHPIPE_BAD_SCAN, "there are no faces");`.
  int32_t (*fail)(const struct meshpipe_host *host, int32_t code, const char *message);
} meshpipe_host;

/// A plugin, as its entry function returns it.
typedef struct meshpipe_plugin {
  size_t struct_size;
  /// The version of the ABI that it was compiled for: MESHPIPE_ABI.
  uint32_t abi;
  /// Runs a stage: changes the scene, and returns MESHPIPE_DONE, or another code on failure. It may be called
  /// from several threads at once, each with its own scene. No C++ exception may leave it.
  int32_t (*run)(const meshpipe_host *host, const meshpipe_task *task, meshpipe_scene *scene);
  /// The attributes that it handles besides those of the first version: MESHPIPE_TANGENTS and so on, added up. Where
  /// it changes the vertices, corners or faces of a mesh, it changes these attributes too. Others stay with
  /// meshes that it leaves alone, and are lost, with a warning, where it changes one.
  uint32_t attributes;
} meshpipe_plugin;

/// The one function that a plugin exports, called before each run.
///
/// It gets the version of the ABI that meshpipe uses, and returns a structure that lives as long as the process,
/// or NULL when it can't work with that version.
typedef const meshpipe_plugin *meshpipe_plugin_entry_function(uint32_t host_abi);
MESHPIPE_EXPORT const meshpipe_plugin *meshpipe_plugin_entry(uint32_t host_abi);

// Convenience functions, compiled into the plugin.

/// Whether the task is to run the stage of this name.
static inline int meshpipe_is_stage(const meshpipe_task *task, const char *name) {
  return strcmp(task->stage, name) == 0;
}

/// The member of an object, or NULL.
static inline const meshpipe_value *meshpipe_member(const meshpipe_value *object, const char *name) {
  if (object == NULL || object->kind != MESHPIPE_OBJECT) return NULL;
  for (size_t index = 0; index < object->count; index++)
    if (strcmp(object->names[index], name) == 0) return object->items[index];
  return NULL;
}

/// A parameter's number, or its boolean as 0 or 1; `fallback` when it has neither.
static inline double meshpipe_number(const meshpipe_task *task, const char *name, double fallback) {
  const meshpipe_value *value = meshpipe_member(task->parameters, name);
  if (value == NULL || (value->kind != MESHPIPE_NUMBER && value->kind != MESHPIPE_BOOL)) return fallback;
  return value->number;
}

/// A parameter's text; `fallback` when it has none.
static inline const char *meshpipe_text(const meshpipe_task *task, const char *name, const char *fallback) {
  const meshpipe_value *value = meshpipe_member(task->parameters, name);
  return value != NULL && value->kind == MESHPIPE_TEXT ? value->text : fallback;
}

/// A writable copy of bytes; NULL when out of memory.
static inline void *meshpipe_copy(const meshpipe_host *host, const void *bytes, size_t count) {
  void *copy = host->allocate(host, count);
  if (copy != NULL && bytes != NULL && count > 0) memcpy(copy, bytes, count);
  return copy;
}

/// Replaces a mesh's positions by a writable copy. Returns it, or NULL when out of memory.
static inline float *meshpipe_edit_positions(const meshpipe_host *host, meshpipe_mesh *mesh) {
  float *copy = (float *)meshpipe_copy(host, mesh->positions, 3 * sizeof(float) * mesh->vertex_count);
  if (copy != NULL) mesh->positions = copy;
  return copy;
}

/// Adds an empty mesh to a scene. Returns it, or NULL when out of memory.
static inline meshpipe_mesh *meshpipe_add_mesh(const meshpipe_host *host, meshpipe_scene *scene) {
  meshpipe_mesh *mesh = (meshpipe_mesh *)host->allocate(host, sizeof(meshpipe_mesh));
  meshpipe_mesh **list =
      (meshpipe_mesh **)host->allocate(host, (scene->mesh_count + 1) * sizeof(meshpipe_mesh *));
  if (mesh == NULL || list == NULL) return NULL;
  mesh->struct_size = sizeof(meshpipe_mesh);
  if (scene->mesh_count > 0) memcpy(list, scene->meshes, scene->mesh_count * sizeof(meshpipe_mesh *));
  list[scene->mesh_count] = mesh;
  scene->meshes = list;
  scene->mesh_count++;
  return mesh;
}

#ifdef __cplusplus
}
#endif
#endif
