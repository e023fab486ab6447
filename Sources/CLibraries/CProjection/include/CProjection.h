#pragma once
#include <stddef.h>

// Coordinate reference systems with PROJ, which is opened when the first is asked for.

typedef struct {
  char name[256];           // "ETRS89 / UTM zone 32N"
  int is_projected;         // metres or feet east and north of a map; not degrees, nor heights alone
  double unit;              // the length of a unit of east in metres
} meshpipe_reference_system;

typedef enum {
  meshpipe_projection_ok,
  meshpipe_projection_unavailable,  // PROJ is not installed
  meshpipe_projection_unknown,      // there is no such system
  meshpipe_projection_outside,      // positions are outside of what the system is for
} meshpipe_projection_result;

// What a system is, by its code: "EPSG:25832".
meshpipe_projection_result meshpipe_projection_describe(const char *code, meshpipe_reference_system *system,
                                                        char *error, size_t size);

// Turns degrees east and north on WGS 84, and heights, into units of the system; four numbers for each position.
meshpipe_projection_result meshpipe_projection_apply(const char *code, double *positions, size_t count,
                                                     char *error, size_t size);
