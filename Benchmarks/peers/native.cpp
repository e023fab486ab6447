// The main job as a program for nothing else: OBJ, drop wall and ceiling, 10 %, Z up, GLB, on one core
// with meshoptimizer. Measures what a machine can do; it checks nothing and knows no other OBJ than ours.
//
//     c++ -O2 native.cpp -lmeshoptimizer -o native && ./native scan.obj out.glb
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <meshoptimizer.h>
#include <string>
#include <vector>

static const char *skip(const char *at) {
  while (*at == ' ') ++at;
  return at;
}

// Exact to the nearest double's nearest float for up to fifteen digits.
static const char *number(const char *at, float &value) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  at = skip(at);
  const bool negative = *at == '-';
  at += negative;
  uint64_t digits = 0;
  int decimals = 0;
  for (; *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + (*at - '0');
  if (*at == '.')
    for (++at; *at >= '0' && *at <= '9'; ++at, ++decimals) digits = 10 * digits + (*at - '0');
  const double magnitude = double(digits) / powers[decimals];
  value = float(negative ? -magnitude : magnitude);
  return at;
}

static const char *index(const char *at, unsigned &value) {
  at = skip(at);
  unsigned digits = 0;
  for (; *at >= '0' && *at <= '9'; ++at) digits = 10 * digits + (*at - '0');
  value = digits - 1;
  while (*at != ' ' && *at != '\n') ++at;
  return at;
}

static bool read(const char *path, std::vector<float> &points, std::vector<unsigned> &corners) {
  const int file = open(path, O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return false;
  // A page of zeros behind the text ends the last number.
  const size_t size = status.st_size;
  char *text = static_cast<char *>(mmap(nullptr, size + 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (mmap(text, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED) return false;
  points.reserve(size / 50);
  corners.reserve(size / 16);
  bool dropped = false;
  for (const char *at = text, *end = text + size; at < end;) {
    if (at[0] == 'v' && at[1] == ' ') {
      float x, y, z;
      at = number(number(number(at + 2, x), y), z);
      points.insert(points.end(), {x, y, z});
    } else if (at[0] == 'f' && !dropped) {
      unsigned a, b, c;
      at = index(index(index(at + 2, a), b), c);
      corners.insert(corners.end(), {a, b, c});
    } else if (at[0] == 'g') {
      dropped = !strncmp(at, "g wall\n", 7) || !strncmp(at, "g ceiling\n", 10);
    }
    const void *next = memchr(at, '\n', end - at);
    if (!next) break;
    at = static_cast<const char *>(next) + 1;
  }
  return true;
}

static bool write(const char *path, const std::vector<float> &points, const std::vector<unsigned> &corners) {
  float low[3] = {1e30f, 1e30f, 1e30f}, high[3] = {-1e30f, -1e30f, -1e30f};
  for (size_t i = 0; i < points.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], points[i]);
    high[i % 3] = std::max(high[i % 3], points[i]);
  }
  const uint32_t pointBytes = 4 * points.size(), cornerBytes = 4 * corners.size();
  char json[2048];
  uint32_t length = snprintf(
      json, sizeof json,
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],)"
      R"("buffers":[{"byteLength":%u}],"bufferViews":[{"buffer":0,"byteLength":%u},)"
      R"({"buffer":0,"byteOffset":%u,"byteLength":%u}],"accessors":[{"bufferView":0,"componentType":5126,)"
      R"("count":%zu,"type":"VEC3","min":[%.9g,%.9g,%.9g],"max":[%.9g,%.9g,%.9g]},)"
      R"({"bufferView":1,"componentType":5125,"count":%zu,"type":"SCALAR"}]})",
      pointBytes + cornerBytes, pointBytes, pointBytes, cornerBytes, points.size() / 3, low[0], low[1], low[2],
      high[0], high[1], high[2], corners.size());
  while (length % 4) json[length++] = ' ';
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const uint32_t binary = pointBytes + cornerBytes;
  const uint32_t head[] = {0x46546C67, 2, 28 + length + binary, length, 0x4E4F534A};
  const uint32_t chunk[] = {binary, 0x004E4942};
  fwrite(head, 1, sizeof head, file);
  fwrite(json, 1, length, file);
  fwrite(chunk, 1, sizeof chunk, file);
  fwrite(points.data(), 1, pointBytes, file);
  fwrite(corners.data(), 1, cornerBytes, file);
  return fclose(file) == 0;
}

int main(int count, char **words) {
  std::vector<float> points;
  std::vector<unsigned> corners;
  if (count != 3 || !read(words[1], points, corners)) return 1;
  const size_t target = corners.size() / 30 * 3;
  corners.resize(meshopt_simplify(
      corners.data(), corners.data(), corners.size(), points.data(), points.size() / 3, 12, target, 1e9f, 0, nullptr));
  points.resize(3 * meshopt_optimizeVertexFetch(
      points.data(), corners.data(), corners.size(), points.data(), points.size() / 3, 12));
  for (size_t i = 0; i < points.size(); i += 3) {
    const float y = points[i + 1];
    points[i + 1] = -points[i + 2];
    points[i + 2] = y;
  }
  return write(words[2], points, corners) ? 0 : 1;
}
