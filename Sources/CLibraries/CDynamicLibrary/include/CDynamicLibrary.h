#pragma once

#include <stddef.h>

// Opens a shared library by its file name, on macOS also where Homebrew keeps it; NULL when it can't be opened.
void *meshpipe_open_library(const char *file);

// Why the last one could not be opened, in the loader's words; once.
const char *meshpipe_library_reason(void);

// Opens the first that can be opened of several files with the same library; NULL when none can, with the reason of the
// first file, whose name is the usual one.
void *meshpipe_open_first_library(const char *const *files, size_t count, char *reason, size_t size);

// The same with a whole sentence instead of the reason: "can't be loaded (…); install it with …", by the names of the
// packages of Debian and Homebrew.
void *meshpipe_need_library(const char *const *files, size_t count, const char *debian, const char *brew, char *words,
                            size_t size);

// A function of a library; NULL if there is none of this name, which is then put into `missing`, unless that has one
// already.
void *meshpipe_library_function(void *library, const char *name, const char **missing);
