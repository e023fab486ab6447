#include <stdlib.h>

#include "family.h"

enum { most_families = 16, least_side = 16, greatest_side = 16384 };

struct meshpipe_marker_detector {
  apriltag_detector_t *detector;
  int count;
  meshpipe_marker_family kinds[most_families];
  apriltag_family_t *families[most_families];
};

meshpipe_marker_detector *meshpipe_marker_detector_make(void) {
  meshpipe_marker_detector *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->detector = apriltag_detector_create();
  if (!made->detector) {
    free(made);
    return NULL;
  }
  // The caller's threads have a picture each. Corners are as sharp as the picture only at its full size.
  made->detector->nthreads = 1;
  made->detector->quad_decimate = 1;
  return made;
}

bool meshpipe_marker_detector_add(meshpipe_marker_detector *detector, meshpipe_marker_family family, int count,
                                  int corrected) {
  if (detector->count == most_families) return false;
  apriltag_family_t *made = meshpipe_family_make(family, count);
  if (!made) return false;
  const int bits = corrected < 0 ? 0 : corrected > 2 ? 2 : corrected;
  apriltag_detector_add_family_bits(detector->detector, made, bits);
  detector->kinds[detector->count] = family;
  detector->families[detector->count] = made;
  detector->count += 1;
  return true;
}

// The corners of the library begin at the bottom left and run counter-clockwise.
static void describe(const meshpipe_marker_detector *detector, const apriltag_detection_t *found,
                     meshpipe_marker *marker) {
  marker->family = 0;
  while (marker->family < detector->count - 1 && detector->families[marker->family] != found->family)
    marker->family += 1;
  marker->identifier = found->id;
  marker->corrected = found->hamming;
  marker->margin = found->decision_margin;
  for (int corner = 0; corner < 4; corner++) {
    marker->corners[2 * corner] = found->p[3 - corner][0];
    marker->corners[2 * corner + 1] = found->p[3 - corner][1];
  }
}

ptrdiff_t meshpipe_marker_detect(meshpipe_marker_detector *detector, const uint8_t *codes, int width, int height,
                                 meshpipe_marker *markers, size_t capacity) {
  if (width < least_side || height < least_side || width > greatest_side || height > greatest_side) return -1;
  // Of pictures at their full size the library only reads.
  image_u8_t picture = {.width = width, .height = height, .stride = width, .buf = (uint8_t *)codes};
  zarray_t *found = apriltag_detector_detect(detector->detector, &picture);
  if (!found) return -1;
  const int count = zarray_size(found);
  for (int index = 0; index < count && (size_t)index < capacity; index++) {
    apriltag_detection_t *detection = NULL;
    zarray_get(found, index, &detection);
    describe(detector, detection, &markers[index]);
  }
  apriltag_detections_destroy(found);
  return count;
}

void meshpipe_marker_detector_free(meshpipe_marker_detector *detector) {
  apriltag_detector_destroy(detector->detector);
  for (int index = 0; index < detector->count; index++)
    meshpipe_family_free(detector->kinds[index], detector->families[index]);
  free(detector);
}
