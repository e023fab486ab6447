#pragma once
#include <apriltag/apriltag.h>
#include <stdbool.h>

#include "meshpipe_markers.h"

// A family with its codes, which belongs to the caller; NULL if memory is short.
apriltag_family_t *meshpipe_family_make(meshpipe_marker_family family, int count);
void meshpipe_family_free(meshpipe_marker_family kind, apriltag_family_t *family);
