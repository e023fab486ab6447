// Functions that only Assimp's C++ interface provides.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Exports a scene (`const aiScene *`). This exists because `aiExportScene` loses the text of an
/// error: `aiGetErrorString` is empty after every failed export. Returns 0, or -1 with the text
/// in `message` (always NUL-terminated when `capacity` is not 0).
int assimp_export(const void *scene, const char *format, const char *path, unsigned preprocessing,
                  char *message, size_t capacity);

/// The index of the embedded texture that a material refers to (as `*3` or by file name), or -1.
/// This exists because the C interface has had such a function only since 5.3.
int assimp_embedded_texture(const void *scene, const char *reference);

/// Ends the process with `status` when the C++ side runs out of memory. This exists because
/// Assimp catches `std::bad_alloc` in some places and crashes in others; only a new-handler
/// sees every case.
void assimp_exit_when_out_of_memory(int status);

#ifdef __cplusplus
}
#endif
