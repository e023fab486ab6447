#pragma once

// Opens a shared library by its file name, on macOS also where Homebrew keeps it; NULL when it can't be opened:
// dlerror() says why.
void *meshpipe_open_library(const char *file);

// A function of a library; NULL if there is none of this name, which is then put into `missing`, unless that has one
// already.
void *meshpipe_library_function(void *library, const char *name, const char **missing);
