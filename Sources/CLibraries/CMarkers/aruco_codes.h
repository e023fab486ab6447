#pragma once
#include <stdint.h>

enum { meshpipe_aruco_code_count = 250 };

extern const uint64_t meshpipe_aruco_codes_4x4[];
extern const uint64_t meshpipe_aruco_codes_5x5[];
extern const uint64_t meshpipe_aruco_codes_6x6[];
extern const uint64_t meshpipe_aruco_codes_7x7[];
extern const uint64_t meshpipe_aruco_codes_mip_36h12[];
