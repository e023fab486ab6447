#include "CProjection.h"

#include "CDynamicLibrary.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// The used part of <proj.h>, declared here so that building doesn't need its headers. The numbers are part of the
// interface that the library keeps since its version 6.
typedef void PJ;
typedef void PJ_CONTEXT;
typedef void PJ_AREA;

enum {
  log_none = 0,
  forward = 1,
  type_projected = 15,
  type_compound = 16,
};

static PJ_CONTEXT *(*context_create)(void);
static PJ_CONTEXT *(*context_destroy)(PJ_CONTEXT *);
static int (*log_level)(PJ_CONTEXT *, int);
static int (*enable_network)(PJ_CONTEXT *, int);
static PJ *(*create)(PJ_CONTEXT *, const char *);
static PJ *(*create_between)(PJ_CONTEXT *, const char *, const char *, PJ_AREA *);
static PJ *(*normalize)(PJ_CONTEXT *, const PJ *);
static int (*transform)(PJ *, int, size_t, double *);
static int (*type_of)(const PJ *);
static const char *(*name_of)(const PJ *);
static PJ *(*part_of)(PJ_CONTEXT *, const PJ *, int);
static PJ *(*axes_of)(PJ_CONTEXT *, const PJ *);
static int (*axis_of)(PJ_CONTEXT *, const PJ *, int, const char **, const char **, const char **, double *,
                      const char **, const char **, const char **);
static PJ *(*destroy)(PJ *);

#ifdef __APPLE__
static const char *const names[] = {"libproj.dylib"};
#else
static const char *const names[] = {"libproj.so.25", "libproj.so"};
#endif
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  char words[400];
  void *library = meshpipe_need_library(names, sizeof names / sizeof *names, "libproj25", "proj", words, sizeof words);
  if (!library) {
    snprintf(failure, sizeof failure, "needs %s, which %s", names[0], words);
    return;
  }
  const char *missing = NULL;
#define LOAD(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "proj_" name, &missing)
  LOAD(context_create, "context_create");
  LOAD(context_destroy, "context_destroy");
  LOAD(log_level, "log_level");
  LOAD(enable_network, "context_set_enable_network");
  LOAD(create, "create");
  LOAD(create_between, "create_crs_to_crs");
  LOAD(normalize, "normalize_for_visualization");
  LOAD(transform, "trans_array");
  LOAD(type_of, "get_type");
  LOAD(name_of, "get_name");
  LOAD(part_of, "crs_get_sub_crs");
  LOAD(axes_of, "crs_get_coordinate_system");
  LOAD(axis_of, "cs_get_axis_info");
  LOAD(destroy, "destroy");
#undef LOAD
  if (missing) snprintf(failure, sizeof failure, "needs %s, which PROJ lacks", missing);
}

// A context that neither writes to the terminal nor loads grids from the network; NULL without PROJ.
static PJ_CONTEXT *begin(char *error, size_t size) {
  pthread_once(&once, load);
  if (failure[0]) {
    snprintf(error, size, "%s", failure);
    return NULL;
  }
  PJ_CONTEXT *context = context_create();
  if (!context) {
    snprintf(error, size, "has not enough memory");
    return NULL;
  }
  log_level(context, log_none);
  enable_network(context, 0);
  return context;
}

meshpipe_projection_result meshpipe_projection_describe(const char *code, meshpipe_reference_system *system,
                                                        char *error, size_t size) {
  PJ_CONTEXT *context = begin(error, size);
  if (!context) return meshpipe_projection_unavailable;
  memset(system, 0, sizeof *system);
  PJ *found = create(context, code);
  if (found) {
    snprintf(system->name, sizeof system->name, "%s", name_of(found));
    PJ *map = type_of(found) == type_compound ? part_of(context, found, 0) : NULL;
    const PJ *flat = map ? map : found;
    system->is_projected = type_of(flat) == type_projected;
    PJ *axes = system->is_projected ? axes_of(context, flat) : NULL;
    system->unit = 1;
    if (axes) axis_of(context, axes, 0, NULL, NULL, NULL, &system->unit, NULL, NULL, NULL);
    if (axes) destroy(axes);
    if (map) destroy(map);
    destroy(found);
  }
  context_destroy(context);
  return found ? meshpipe_projection_ok : meshpipe_projection_unknown;
}

meshpipe_projection_result meshpipe_projection_apply(const char *code, double *positions, size_t count,
                                                     char *error, size_t size) {
  PJ_CONTEXT *context = begin(error, size);
  if (!context) return meshpipe_projection_unavailable;
  meshpipe_projection_result result = meshpipe_projection_unknown;
  PJ *between = create_between(context, "EPSG:4979", code, NULL);
  // Degrees come east first, whatever the authority of the system says.
  PJ *map = between ? normalize(context, between) : NULL;
  if (map) {
    result = transform(map, forward, count, positions) == 0 ? meshpipe_projection_ok : meshpipe_projection_outside;
    for (size_t i = 0; i < 4 * count; i++) {
      if (!isfinite(positions[i])) result = meshpipe_projection_outside;
    }
    destroy(map);
  }
  if (between) destroy(between);
  context_destroy(context);
  return result;
}
