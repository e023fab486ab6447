// Reads a file by Assimp and writes it again, and tells what writing alone costs, as JSON.
//
//     assimp_export IN OUT FORMAT

#include <assimp/Exporter.hpp>
#include <assimp/Importer.hpp>
#include <assimp/scene.h>
#include <cstdio>
#include <sys/resource.h>

namespace {

rusage usage() {
  rusage result;
  getrusage(RUSAGE_SELF, &result);
  return result;
}

double seconds(const rusage &usage) {
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

}  // namespace

int main(int count, char **words) {
  if (count != 4) return 2;
  Assimp::Importer importer;
  const aiScene *scene = importer.ReadFile(words[1], 0);
  if (!scene) return 1;
  const rusage before = usage();
  Assimp::Exporter exporter;
  if (exporter.Export(scene, words[3], words[2]) != aiReturn_SUCCESS) return 1;
  const rusage after = usage();
  std::printf("{\"seconds\": %.4f, \"before\": %ld, \"peak\": %ld}\n", seconds(after) - seconds(before),
              before.ru_maxrss * 1024, after.ru_maxrss * 1024);
}
