#pragma once
#include <stdbool.h>

// Debian 12 and Ubuntu 22.04 have Embree 3; later systems and Homebrew have Embree 4. Package.swift links the
// library whose header is found here.
#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

// A cast macro, which Swift does not import.
static const unsigned meshpipe_embree_no_geometry = RTC_INVALID_GEOMETRY_ID;

// Finds the first face on a ray. Embree 3 takes a context and Embree 4 optional arguments.
static inline void meshpipe_embree_intersect(RTCScene scene, struct RTCRayHit *query) {
#if RTC_VERSION_MAJOR >= 4
  rtcIntersect1(scene, query, 0);
#else
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, query);
#endif
}

// Whether anything blocks a ray.
static inline bool meshpipe_embree_occluded(RTCScene scene, struct RTCRay *ray) {
#if RTC_VERSION_MAJOR >= 4
  rtcOccluded1(scene, ray, 0);
#else
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(scene, &context, ray);
#endif
  return ray->tfar < 0;
}

// The fields of a single ray and hit are laid out as in RTCRay and RTCHit, which Swift imports as opaque pointers.
static inline float meshpipe_embree_facing(const struct RTCFilterFunctionNArguments *arguments) {
  const struct RTCRay *ray = (const struct RTCRay *)arguments->ray;
  const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
  return hit->Ng_x * ray->dir_x + hit->Ng_y * ray->dir_y + hit->Ng_z * ray->dir_z;
}

// Ignores hits on back faces.
static inline void meshpipe_embree_skip_backs(const struct RTCFilterFunctionNArguments *arguments) {
  if (meshpipe_embree_facing(arguments) > 0) arguments->valid[0] = 0;
}

// Ignores hits on front faces.
static inline void meshpipe_embree_skip_fronts(const struct RTCFilterFunctionNArguments *arguments) {
  if (meshpipe_embree_facing(arguments) < 0) arguments->valid[0] = 0;
}
