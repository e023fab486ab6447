#pragma once

// Opens a shared library by its file name, on macOS also where Homebrew keeps it; NULL when it can't be opened:
// dlerror() says why.
void *meshpipe_open_library(const char *file);
