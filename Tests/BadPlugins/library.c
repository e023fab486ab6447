// A plugin over the C ABI whose stages keep the agreement, or break it, each in its own way; as C and as C++.
// Macros break what comes before any stage: NO_ENTRY, NO_PLUGIN, NO_RUN, ABI=7; ATTRIBUTES=7 handles all attributes,
// and SIZE=24 was compiled before there was a word for that.
#include "meshpipe_plugin.h"

#include <math.h>
#include <stdlib.h>

#ifndef ABI
#define ABI MESHPIPE_ABI
#endif
#ifndef ATTRIBUTES
#define ATTRIBUTES 0
#endif
#ifndef SIZE
#define SIZE sizeof(meshpipe_plugin)
#endif

static int32_t out_of_memory(const meshpipe_host *host) {
  return host->fail(host, MESHPIPE_TRY_AGAIN, "no memory");
}

static int32_t lift(const meshpipe_host *host, const meshpipe_task *task, meshpipe_scene *scene) {
  float step = (float)(meshpipe_number(task, "distance", 0.01) / scene->meters_per_unit);
  for (size_t index = 0; index < scene->mesh_count; index++) {
    float *positions = meshpipe_edit_positions(host, scene->meshes[index]);
    if (positions == NULL) return out_of_memory(host);
    for (size_t vertex = 0; vertex < scene->meshes[index]->vertex_count; vertex++)
      positions[3 * vertex + 1] += step;
    if (host->progress(host, (double)(index + 1) / (double)scene->mesh_count))
      return MESHPIPE_CANCELLED;
  }
  host->note(host, "lifted", (double)scene->mesh_count);
  return MESHPIPE_DONE;
}

/// Adds colours, classes with a name of its own, a material, and a second mesh that shares the first one's arrays.
static int32_t paint(const meshpipe_host *host, meshpipe_scene *scene) {
  static const char *const names[] = {"none", "lamp"};
  meshpipe_mesh *mesh = scene->meshes[0];
  uint8_t *colors = (uint8_t *)host->allocate(host, 4 * mesh->vertex_count);
  uint16_t *classes = (uint16_t *)host->allocate(host, 2 * mesh->face_count);
  uint32_t *materials = (uint32_t *)host->allocate(host, 4 * mesh->face_count);
  meshpipe_material **list = (meshpipe_material **)host->allocate(host, sizeof(void *));
  meshpipe_material *material = (meshpipe_material *)host->allocate(host, sizeof(meshpipe_material));
  if (!colors || !classes || !materials || !list || !material) return out_of_memory(host);
  for (size_t byte = 0; byte < 4 * mesh->vertex_count; byte++) colors[byte] = (uint8_t)byte;
  classes[0] = 1;
  mesh->colors = colors;
  mesh->classes = classes;
  mesh->class_names = names;
  mesh->class_name_count = 2;
  mesh->face_materials = materials;
  material->struct_size = sizeof(meshpipe_material);
  material->name = "paint";
  material->red = material->opacity = 1;
  list[0] = material;
  scene->materials = list;
  scene->material_count = 1;
  meshpipe_mesh *twin = meshpipe_add_mesh(host, scene);
  if (twin == NULL) return out_of_memory(host);
  twin->name = "twin";
  twin->vertex_count = mesh->vertex_count;
  twin->face_count = mesh->face_count;
  twin->positions = mesh->positions;
  twin->indices = mesh->indices;
  host->warn(host, "wet \033[31m paint");
  return MESHPIPE_DONE;
}

/// Tells of each parameter what came of it.
static int32_t tell(const meshpipe_host *host, const meshpipe_task *task) {
  const meshpipe_value *share = meshpipe_member(task->parameters, "share");
  const meshpipe_value *keep = meshpipe_member(task->parameters, "keep");
  host->note(host, "fraction", meshpipe_member(share, "fraction")->number);
  host->note(host, "count", meshpipe_member(share, "count")->kind);
  host->note_text(host, "keep", keep->items[keep->count - 1]->text);
  host->note_text(host, "mode", meshpipe_text(task, "mode", "none"));
  host->note(host, "flag", meshpipe_number(task, "flag", -1));
  host->note(host, "missing", meshpipe_number(task, "missing", -1));
  host->note(host, "seed", (double)task->seed);
  host->log(host, "told all");
  return MESHPIPE_DONE;
}

static int32_t wait_for_cancel(const meshpipe_host *host) {
  host->progress(host, 0.5);
  while (!host->is_cancelled(host)) {
  }
  return MESHPIPE_CANCELLED;
}

/// Leaves out every frame but the last.
static int32_t track(meshpipe_scene *scene) {
  if (scene->frame_count == 0) return MESHPIPE_DONE;
  scene->frames[0] = scene->frames[scene->frame_count - 1];
  scene->frame_count = 1;
  return MESHPIPE_DONE;
}

/// Counts the vertices in the first custom attribute, whose structure alone is changed.
static int32_t mark(const meshpipe_host *host, meshpipe_scene *scene) {
  meshpipe_mesh *mesh = scene->meshes[0];
  if (mesh->attribute_count == 0) return MESHPIPE_DONE;
  int8_t *values = (int8_t *)host->allocate(host, mesh->vertex_count);
  if (values == NULL) return out_of_memory(host);
  for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++) values[vertex] = (int8_t)vertex;
  mesh->attributes[0]->values = values;
  return MESHPIPE_DONE;
}

/// Writes where it may only read.
static int32_t scribble(meshpipe_scene *scene) {
  for (size_t index = 0; index < scene->mesh_count; index++)
    ((float *)scene->meshes[index]->positions)[0] += 1;
  return MESHPIPE_DONE;
}

static int32_t break_agreement(const meshpipe_host *host, const char *way, meshpipe_scene *scene) {
  static float foreign[3000];
  meshpipe_mesh *mesh = scene->meshes[0];
  if (strcmp(way, "nan") == 0) {
    float *positions = meshpipe_edit_positions(host, mesh);
    positions[4] = NAN;
  } else if (strcmp(way, "index") == 0) {
    uint32_t *indices = (uint32_t *)meshpipe_copy(host, mesh->indices, 12 * mesh->face_count);
    indices[3] = (uint32_t)mesh->vertex_count;
    mesh->indices = indices;
  } else if (strcmp(way, "short") == 0) {
    mesh->positions = (float *)host->allocate(host, 12 * mesh->vertex_count - 1);
  } else if (strcmp(way, "foreign") == 0) {
    mesh->positions = foreign;
  } else if (strcmp(way, "count") == 0) {
    mesh->vertex_count = (size_t)-1;
  } else if (strcmp(way, "fewer") == 0) {
    mesh->vertex_count -= 1;
  } else if (strcmp(way, "null-array") == 0) {
    mesh->indices = NULL;
  } else if (strcmp(way, "null-mesh") == 0) {
    scene->meshes[0] = NULL;
  } else if (strcmp(way, "size") == 0) {
    mesh->struct_size = 1u << 20;
  } else if (strcmp(way, "axes") == 0) {
    scene->up = scene->forward;
  } else if (strcmp(way, "frame") == 0) {
    meshpipe_frame *frame = (meshpipe_frame *)host->allocate(host, sizeof(meshpipe_frame));
    frame->struct_size = sizeof(meshpipe_frame);
    frame->name = "stranger";
    scene->frames = (meshpipe_frame **)meshpipe_copy(host, &frame, sizeof(frame));
    scene->frame_count = 1;
  } else if (strcmp(way, "attribute-type") == 0) {
    mesh->attributes[0]->type = 9;
  } else if (strcmp(way, "attribute-element") == 0) {
    mesh->attributes[0]->element = MESHPIPE_POINT;
  } else if (strcmp(way, "attribute-width") == 0) {
    mesh->attributes[0]->width = 1000;
  } else if (strcmp(way, "attribute-name") == 0) {
    mesh->attributes[1] = mesh->attributes[0];
  } else if (strcmp(way, "attribute-count") == 0) {
    mesh->attribute_count = 1025;
  } else if (strcmp(way, "words") == 0) {
    return host->fail(host, MESHPIPE_BAD_SCAN, "the scan is \033[31m bad");
  } else if (strcmp(way, "both") == 0) {
    host->fail(host, MESHPIPE_BAD_SCAN, "not done at all");
  } else if (strcmp(way, "silence") == 0) {
    return 4;
  } else {
    return host->fail(host, MESHPIPE_UNAVAILABLE, "there is no such stage");
  }
  return MESHPIPE_DONE;
}

static int32_t run(const meshpipe_host *host, const meshpipe_task *task, meshpipe_scene *scene) {
  if (meshpipe_is_stage(task, "nothing")) return MESHPIPE_DONE;
  if (meshpipe_is_stage(task, "lift")) return lift(host, task, scene);
  if (meshpipe_is_stage(task, "paint")) return paint(host, scene);
  if (meshpipe_is_stage(task, "tell")) return tell(host, task);
  if (meshpipe_is_stage(task, "wait")) return wait_for_cancel(host);
  if (meshpipe_is_stage(task, "track")) return track(scene);
  if (meshpipe_is_stage(task, "mark")) return mark(host, scene);
  if (meshpipe_is_stage(task, "scribble")) return scribble(scene);
  if (meshpipe_is_stage(task, "blind")) {
    scene->frame_count = 0;
    return MESHPIPE_DONE;
  }
  if (scene->mesh_count == 0)
    return host->fail(host, MESHPIPE_UNAVAILABLE, "there is no such stage");
  return break_agreement(host, task->stage, scene);
}

#ifdef NO_RUN
static const meshpipe_plugin plugin = {SIZE, ABI, NULL, ATTRIBUTES};
#else
static const meshpipe_plugin plugin = {SIZE, ABI, run, ATTRIBUTES};
#endif

#ifdef __cplusplus
extern "C"
#endif
#ifdef NO_ENTRY
const meshpipe_plugin *some_entry(uint32_t host_abi) {
#else
const meshpipe_plugin *meshpipe_plugin_entry(uint32_t host_abi) {
#endif
  (void)host_abi;
#ifdef NO_PLUGIN
  return NULL;
#else
  return &plugin;
#endif
}
