#include "CAssimpExport.h"

#include <assimp/Exporter.hpp>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/scene.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <unistd.h>

namespace {

int status_when_out_of_memory = 1;

[[noreturn]] void end_out_of_memory() { _exit(status_when_out_of_memory); }

void put(const char *text, char *message, size_t capacity) {
  if (capacity > 0) std::snprintf(message, capacity, "%s", text);
}

/// A file that records short writes, since exporters don't check for them.
class CheckedStream : public Assimp::IOStream {
public:
  CheckedStream(std::FILE *file, int &error) : file(file), error(error) {}
  ~CheckedStream() override {
    errno = 0;
    if (std::fclose(file) != 0) note();
  }

  size_t Read(void *bytes, size_t size, size_t count) override { return std::fread(bytes, size, count, file); }

  size_t Write(const void *bytes, size_t size, size_t count) override {
    errno = 0;
    size_t written = std::fwrite(bytes, size, count, file);
    if (written < count) note();
    return written;
  }

  aiReturn Seek(size_t offset, aiOrigin origin) override {
    int whence = origin == aiOrigin_SET ? SEEK_SET : origin == aiOrigin_CUR ? SEEK_CUR : SEEK_END;
    errno = 0;
    if (std::fseek(file, static_cast<long>(offset), whence) == 0) return aiReturn_SUCCESS;
    note();
    return aiReturn_FAILURE;
  }

  size_t Tell() const override { return static_cast<size_t>(std::ftell(file)); }

  size_t FileSize() const override {
    long place = std::ftell(file);
    std::fseek(file, 0, SEEK_END);
    long size = std::ftell(file);
    std::fseek(file, place, SEEK_SET);
    return static_cast<size_t>(size);
  }

  void Flush() override {
    errno = 0;
    if (std::fflush(file) != 0) note();
  }

private:
  void note() {
    if (error == 0) error = errno ? errno : EIO;
  }

  std::FILE *file;
  int &error;
};

/// Opens files that record failed writes.
class CheckedSystem : public Assimp::IOSystem {
public:
  explicit CheckedSystem(int &error) : error(error) {}

  bool Exists(const char *path) const override { return access(path, F_OK) == 0; }
  char getOsSeparator() const override { return '/'; }

  Assimp::IOStream *Open(const char *path, const char *mode) override {
    std::FILE *file = std::fopen(path, mode);
    return file ? new CheckedStream(file, error) : nullptr;
  }

  void Close(Assimp::IOStream *stream) override { delete stream; }

private:
  int &error;
};

} // namespace

extern "C" int assimp_export(const void *scene, const char *format, const char *path,
                             unsigned preprocessing, char *message, size_t capacity) try {
  // Declared before the exporter, whose destructor closes files that are still open.
  int error = 0;
  Assimp::Exporter exporter;
  exporter.SetIOHandler(new CheckedSystem(error));
  bool is_done = exporter.Export(static_cast<const aiScene *>(scene), format, path, preprocessing) ==
                 aiReturn_SUCCESS;
  if (error != 0) {
    put(std::strerror(error), message, capacity);
    return -1;
  }
  if (is_done) return 0;
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
