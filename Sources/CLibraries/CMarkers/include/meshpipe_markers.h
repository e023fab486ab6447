#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The AprilTag library, and the dictionaries of ArUco as families of its kind.

// A family of markers: squares with a border of one black cell on white.
typedef enum {
  meshpipe_tag_16h5,
  meshpipe_tag_25h9,
  meshpipe_tag_36h10,
  meshpipe_tag_36h11,
  meshpipe_aruco_4x4,
  meshpipe_aruco_5x5,
  meshpipe_aruco_6x6,
  meshpipe_aruco_7x7,
  meshpipe_aruco_original,
  meshpipe_aruco_mip_36h12
} meshpipe_marker_family;

// A marker in a picture.
typedef struct {
  // The position of its family in the order in which families were added.
  int family;
  int identifier;
  // The number of wrong bits that were corrected.
  int corrected;
  // How far the bits' brightness is from the threshold, on average, in codes of 8 bits.
  float margin;
  // x and y in pixels from the picture's top left corner: the top left, top right, bottom right and bottom left corners
  // of the black square.
  double corners[8];
} meshpipe_marker;

// Finds markers of some families; not for several threads at once.
typedef struct meshpipe_marker_detector meshpipe_marker_detector;

// Returns NULL if memory is short; otherwise meshpipe_marker_detector_free must follow.
meshpipe_marker_detector *meshpipe_marker_detector_make(void);

// Adds the first `count` markers of a family, or all if it has fewer, with up to `corrected` wrong bits, at most 2.
//
// Returns false if memory is short or there are too many families.
bool meshpipe_marker_detector_add(meshpipe_marker_detector *detector, meshpipe_marker_family family, int count,
                                  int corrected);

// Finds the markers of a picture with a byte per pixel, row by row, of at least 16 and at most 16,384 pixels a side.
//
// Writes up to `capacity` of them, and returns how many there are; -1 if memory is short or the size is wrong.
ptrdiff_t meshpipe_marker_detect(meshpipe_marker_detector *detector, const uint8_t *codes, int width, int height,
                                 meshpipe_marker *markers, size_t capacity);

void meshpipe_marker_detector_free(meshpipe_marker_detector *detector);

// The number of cells along a side of a family's markers, with the black border; 0 for families that have no codes here.
int meshpipe_marker_side(meshpipe_marker_family family);

// Draws a marker: a byte for each cell of the black square, 1 for white, row by row.
//
// Returns false if there is no such marker.
bool meshpipe_marker_draw(meshpipe_marker_family family, int identifier, uint8_t *cells);

#ifdef __cplusplus
}
#endif
