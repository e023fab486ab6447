#include "CAssimpExport.h"

#include <assimp/Exporter.hpp>
#include <assimp/scene.h>

#include <cstdio>
#include <exception>
#include <new>
#include <unistd.h>

namespace {

int status_when_out_of_memory = 1;

[[noreturn]] void end_out_of_memory() { _exit(status_when_out_of_memory); }

void put(const char *text, char *message, size_t capacity) {
  if (capacity > 0) std::snprintf(message, capacity, "%s", text);
}

} // namespace

extern "C" int assimp_export(const void *scene, const char *format, const char *path,
                             unsigned preprocessing, char *message, size_t capacity) try {
  Assimp::Exporter exporter;
  if (exporter.Export(static_cast<const aiScene *>(scene), format, path, preprocessing) ==
      aiReturn_SUCCESS)
    return 0;
  put(exporter.GetErrorString(), message, capacity);
  return -1;
} catch (const std::exception &error) {
  put(error.what(), message, capacity);
  return -1;
} catch (...) {
  put("unknown error", message, capacity);
  return -1;
}

extern "C" int assimp_embedded_texture(const void *scene, const char *reference) {
  return static_cast<const aiScene *>(scene)->GetEmbeddedTextureAndIndex(reference).second;
}

extern "C" void assimp_exit_when_out_of_memory(int status) {
  status_when_out_of_memory = status;
  std::set_new_handler(end_out_of_memory);
}
