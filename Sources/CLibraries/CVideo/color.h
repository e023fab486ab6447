#pragma once
#include "libav.h"

// Converts a frame to RGB (24 bits) of a size, row by row without padding, in the frame's colour space; BT.601,
// FFmpeg's default, if it has none. NULL, or what is wrong.
const char *meshpipe_convert_color(const libav_functions *av, const AVFrame *frame, int width,
                                   int height, uint8_t *pixels);
