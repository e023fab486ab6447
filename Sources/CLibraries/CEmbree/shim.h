#pragma once
#include <embree3/rtcore.h>

// A cast macro, which Swift does not import.
static const unsigned meshpipe_embree_no_geometry = RTC_INVALID_GEOMETRY_ID;
