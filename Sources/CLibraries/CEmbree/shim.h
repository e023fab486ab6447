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

// The nearest point of some triangles that meshpipe_embree_nearest has found so far.
struct meshpipe_embree_nearest_result {
  const float *vertices;
  const unsigned *faces;
  unsigned face;
  float squared_distance;
  // The weights of the face's second and third vertex.
  float second, third;
};

static inline float meshpipe_embree_dot(const float a[3], const float b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The nearest point of a triangle to p (Ericson, Real-Time Collision Detection, 2005, section 5.1.5).
static inline void meshpipe_embree_project(const float p[3], const float *a, const float *b, const float *c,
                                           float weights[2]) {
  float ab[3], ac[3], ap[3], bp[3], cp[3];
  for (int i = 0; i < 3; ++i) {
    ab[i] = b[i] - a[i], ac[i] = c[i] - a[i];
    ap[i] = p[i] - a[i], bp[i] = p[i] - b[i], cp[i] = p[i] - c[i];
  }
  const float d1 = meshpipe_embree_dot(ab, ap), d2 = meshpipe_embree_dot(ac, ap);
  const float d3 = meshpipe_embree_dot(ab, bp), d4 = meshpipe_embree_dot(ac, bp);
  const float d5 = meshpipe_embree_dot(ab, cp), d6 = meshpipe_embree_dot(ac, cp);
  const float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  float v = 0, w = 0;
  if (d1 <= 0 && d2 <= 0) {
  } else if (d3 >= 0 && d4 <= d3) {
    v = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    v = d1 / (d1 - d3);
  } else if (d6 >= 0 && d5 <= d6) {
    w = 1;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    w = d2 / (d2 - d6);
  } else if (va <= 0 && d4 >= d3 && d5 >= d6) {
    w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    v = 1 - w;
  } else if (va + vb + vc > 0) {
    v = vb / (va + vb + vc);
    w = vc / (va + vb + vc);
  }
  weights[0] = v, weights[1] = w;
}

// Of numbers, where fminf and fmaxf take three instructions more for what is none.
static inline float meshpipe_embree_min(float a, float b) { return a < b ? a : b; }
static inline float meshpipe_embree_max(float a, float b) { return a > b ? a : b; }

// Whether the box of a triangle is certainly farther from p than a squared distance: most triangles that Embree offers are,
// since it knows the box of several only.
static inline bool meshpipe_embree_is_far(const float p[3], const float *a, const float *b, const float *c,
                                          float squared_distance) {
  float distance = 0;
  for (int i = 0; i < 3; ++i) {
    const float low = meshpipe_embree_min(meshpipe_embree_min(a[i], b[i]), c[i]) - p[i];
    const float high = p[i] - meshpipe_embree_max(meshpipe_embree_max(a[i], b[i]), c[i]);
    const float outside = meshpipe_embree_max(meshpipe_embree_max(low, high), 0);
    distance += outside * outside;
  }
  // Both distances are rounded.
  return distance > 1.0001f * squared_distance;
}

// Takes a face if it is nearer to p than what was found so far; of faces at one distance, as around an edge, the first one.
// Tells whether the distance is less.
static inline bool meshpipe_embree_take(struct meshpipe_embree_nearest_result *result, const float p[3], unsigned face) {
  const unsigned *corners = result->faces + 3 * (unsigned long)face;
  const float *a = result->vertices + 3 * (unsigned long)corners[0];
  const float *b = result->vertices + 3 * (unsigned long)corners[1];
  const float *c = result->vertices + 3 * (unsigned long)corners[2];
  if (meshpipe_embree_is_far(p, a, b, c, result->squared_distance)) return false;
  float weights[2], distance = 0;
  meshpipe_embree_project(p, a, b, c, weights);
  for (int i = 0; i < 3; ++i) {
    const float d = a[i] + (b[i] - a[i]) * weights[0] + (c[i] - a[i]) * weights[1] - p[i];
    distance += d * d;
  }
  const bool isNearer = distance < result->squared_distance;
  if (!isNearer && !(distance == result->squared_distance && face < result->face)) return false;
  result->face = face;
  result->squared_distance = distance;
  result->second = weights[0], result->third = weights[1];
  return isNearer;
}

// A little more than the distance found so far, so that other faces at this distance are still found.
static inline float meshpipe_embree_radius(const struct meshpipe_embree_nearest_result *result) {
  return __builtin_sqrtf(result->squared_distance) * 1.000001f;
}

static inline bool meshpipe_embree_consider(struct RTCPointQueryFunctionArguments *arguments) {
  struct meshpipe_embree_nearest_result *result = (struct meshpipe_embree_nearest_result *)arguments->userPtr;
  const float p[3] = {arguments->query->x, arguments->query->y, arguments->query->z};
  if (!meshpipe_embree_take(result, p, arguments->primID)) return false;
  arguments->query->radius = meshpipe_embree_radius(result);
  return true;
}

// Finds the nearest point of a scene of triangles, within a radius.
//
// A face that is likely to be near, below the number of faces, makes it faster without another result.
static inline void meshpipe_embree_nearest(RTCScene scene, float x, float y, float z, float radius, unsigned likely,
                                           struct meshpipe_embree_nearest_result *result) {
  const float p[3] = {x, y, z};
  if (likely != RTC_INVALID_GEOMETRY_ID && meshpipe_embree_take(result, p, likely))
    radius = meshpipe_embree_radius(result);
  struct RTCPointQuery query = {.x = x, .y = y, .z = z, .time = 0, .radius = radius};
  struct RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(scene, &query, &context, meshpipe_embree_consider, result);
}

// As soon as one face is near, no other one counts.
static inline bool meshpipe_embree_consider_any(struct RTCPointQueryFunctionArguments *arguments) {
  struct meshpipe_embree_nearest_result *result = (struct meshpipe_embree_nearest_result *)arguments->userPtr;
  const float p[3] = {arguments->query->x, arguments->query->y, arguments->query->z};
  if (result->squared_distance == 0 || !meshpipe_embree_take(result, p, arguments->primID)) return false;
  result->squared_distance = 0;
  arguments->query->radius = 0;
  return true;
}

// Whether a triangle of a scene is within a radius; the result is only used up.
static inline bool meshpipe_embree_is_near(RTCScene scene, float x, float y, float z, float radius,
                                           struct meshpipe_embree_nearest_result *result) {
  struct RTCPointQuery query = {.x = x, .y = y, .z = z, .time = 0, .radius = radius};
  struct RTCPointQueryContext context;
  rtcInitPointQueryContext(&context);
  rtcPointQuery(scene, &query, &context, meshpipe_embree_consider_any, result);
  return result->face != RTC_INVALID_GEOMETRY_ID;
}
