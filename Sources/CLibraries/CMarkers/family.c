#include "family.h"

#include <apriltag/tag16h5.h>
#include <apriltag/tag25h9.h>
#include <apriltag/tag36h10.h>
#include <apriltag/tag36h11.h>
#include <stdlib.h>
#include <string.h>

#include "aruco_codes.h"

// A dictionary of ArUco: square markers with a border of one black cell.
typedef struct {
  int side;
  int count;
  // The least number of bits in which two markers differ.
  int distance;
  const uint64_t *codes;
} dictionary;

enum { original_side = 5, original_count = 1024 };

static bool find_dictionary(meshpipe_marker_family family, dictionary *found) {
  switch (family) {
  case meshpipe_aruco_4x4:
    *found = (dictionary){4, meshpipe_aruco_code_count, 3, meshpipe_aruco_codes_4x4};
    return true;
  case meshpipe_aruco_5x5:
    *found = (dictionary){5, meshpipe_aruco_code_count, 6, meshpipe_aruco_codes_5x5};
    return true;
  case meshpipe_aruco_6x6:
    *found = (dictionary){6, meshpipe_aruco_code_count, 11, meshpipe_aruco_codes_6x6};
    return true;
  case meshpipe_aruco_7x7:
    *found = (dictionary){7, meshpipe_aruco_code_count, 17, meshpipe_aruco_codes_7x7};
    return true;
  case meshpipe_aruco_mip_36h12:
    *found = (dictionary){6, meshpipe_aruco_code_count, 12, meshpipe_aruco_codes_mip_36h12};
    return true;
  case meshpipe_aruco_original:
    *found = (dictionary){original_side, original_count, 3, NULL};
    return true;
  default: return false;
  }
}

// The bits of a marker, row by row.
//
// Those of the first ArUco are computed: each row is one of four words and says two bits of the number.
static uint64_t bits_of(const dictionary *dictionary, int identifier) {
  static const uint64_t words[4] = {0x10, 0x17, 0x09, 0x0e};
  if (dictionary->codes) return dictionary->codes[identifier];
  uint64_t bits = 0;
  for (int row = 0; row < original_side; row++)
    bits = bits << original_side | words[identifier >> 2 * (original_side - 1 - row) & 3];
  return bits;
}

// The cells in the library's order, in coordinates from the top left cell of the black border: a quarter of the square,
// then the same quarter turned by 90°, 180° and 270°, and a middle cell last, so that a turned marker is a rotated code.
static void order_cells(int side, uint32_t *x, uint32_t *y) {
  uint32_t place = 0;
  const uint32_t quarter = (uint32_t)(side * side / 4);
  for (int row = 0; row < side / 2; row++) {
    for (int column = row; column < side - 1 - row; column++, place++) {
      int across = column + 1, down = row + 1;
      for (uint32_t turn = 0; turn < 4; turn++) {
        x[place + turn * quarter] = (uint32_t)across;
        y[place + turn * quarter] = (uint32_t)down;
        const int turned = side + 1 - down;
        down = across;
        across = turned;
      }
    }
  }
  if (side % 2 == 1) x[side * side - 1] = y[side * side - 1] = (uint32_t)(side / 2 + 1);
}

static apriltag_family_t *make_dictionary(const dictionary *dictionary, int count) {
  const int side = dictionary->side, bits = side * side;
  apriltag_family_t *family = calloc(1, sizeof *family);
  if (!family) return NULL;
  family->ncodes = (uint32_t)(count < dictionary->count ? count : dictionary->count);
  family->codes = calloc(family->ncodes + 1u, sizeof *family->codes);
  family->bit_x = calloc((size_t)bits, sizeof *family->bit_x);
  family->bit_y = calloc((size_t)bits, sizeof *family->bit_y);
  family->name = strdup("aruco");
  if (!family->codes || !family->bit_x || !family->bit_y || !family->name) {
    meshpipe_family_free(meshpipe_aruco_4x4, family);
    return NULL;
  }
  family->width_at_border = side + 2;
  family->total_width = side + 4;
  family->nbits = (uint32_t)bits;
  family->h = (uint32_t)dictionary->distance;
  order_cells(side, family->bit_x, family->bit_y);
  for (uint32_t index = 0; index < family->ncodes; index++) {
    const uint64_t rows = bits_of(dictionary, (int)index);
    uint64_t code = 0;
    for (int bit = 0; bit < bits; bit++) {
      const int cell = (int)(family->bit_y[bit] - 1) * side + (int)(family->bit_x[bit] - 1);
      code = code << 1 | (rows >> (bits - 1 - cell) & 1);
    }
    family->codes[index] = code;
  }
  return family;
}

apriltag_family_t *meshpipe_family_make(meshpipe_marker_family family, int count) {
  dictionary found;
  if (find_dictionary(family, &found)) return count > 0 ? make_dictionary(&found, count) : NULL;
  switch (family) {
  case meshpipe_tag_16h5: return tag16h5_create();
  case meshpipe_tag_25h9: return tag25h9_create();
  case meshpipe_tag_36h10: return tag36h10_create();
  case meshpipe_tag_36h11: return tag36h11_create();
  default: return NULL;
  }
}

void meshpipe_family_free(meshpipe_marker_family kind, apriltag_family_t *family) {
  switch (kind) {
  case meshpipe_tag_16h5: tag16h5_destroy(family); return;
  case meshpipe_tag_25h9: tag25h9_destroy(family); return;
  case meshpipe_tag_36h10: tag36h10_destroy(family); return;
  case meshpipe_tag_36h11: tag36h11_destroy(family); return;
  default: break;
  }
  if (!family) return;
  free(family->codes);
  free(family->bit_x);
  free(family->bit_y);
  free(family->name);
  free(family);
}

// MARK: Drawing

int meshpipe_marker_side(meshpipe_marker_family family) {
  dictionary found;
  if (find_dictionary(family, &found)) return found.side + 2;
  apriltag_family_t *tags = meshpipe_family_make(family, 1);
  if (!tags) return 0;
  const int side = tags->width_at_border;
  meshpipe_family_free(family, tags);
  return side;
}

bool meshpipe_marker_draw(meshpipe_marker_family family, int identifier, uint8_t *cells) {
  apriltag_family_t *tags = meshpipe_family_make(family, identifier + 1);
  if (!tags) return false;
  const int side = tags->width_at_border;
  const bool drawn = identifier >= 0 && (uint32_t)identifier < tags->ncodes;
  if (drawn) {
    memset(cells, 0, (size_t)side * (size_t)side);
    for (uint32_t bit = 0; bit < tags->nbits; bit++) {
      const uint64_t is_white = tags->codes[identifier] >> (tags->nbits - 1 - bit) & 1;
      cells[tags->bit_y[bit] * (uint32_t)side + tags->bit_x[bit]] = (uint8_t)is_white;
    }
  }
  meshpipe_family_free(family, tags);
  return drawn;
}
