#pragma once
#include <embree3/rtcore.h>

// A cast macro, which Swift does not import.
static const unsigned meshpipe_embree_no_geometry = RTC_INVALID_GEOMETRY_ID;

// The fields of a single ray and hit lie as in RTCRay and RTCHit; Swift sees opaque pointers there.
static inline float meshpipe_embree_facing(const struct RTCFilterFunctionNArguments *arguments) {
  const struct RTCRay *ray = (const struct RTCRay *)arguments->ray;
  const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
  return hit->Ng_x * ray->dir_x + hit->Ng_y * ray->dir_y + hit->Ng_z * ray->dir_z;
}

// Lets a ray through a face that it meets from behind.
static inline void meshpipe_embree_skip_backs(const struct RTCFilterFunctionNArguments *arguments) {
  if (meshpipe_embree_facing(arguments) > 0) arguments->valid[0] = 0;
}

// Lets a ray through a face that it meets from its front.
static inline void meshpipe_embree_skip_fronts(const struct RTCFilterFunctionNArguments *arguments) {
  if (meshpipe_embree_facing(arguments) < 0) arguments->valid[0] = 0;
}
