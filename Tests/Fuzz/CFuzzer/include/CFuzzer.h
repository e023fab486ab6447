// The part of libFuzzer's interface that it exports but has no header for:
// https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library

#include <stddef.h>
#include <stdint.h>

/// Runs `body` on inputs until the options say enough; does not return then.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*body)(const uint8_t *data, size_t size));

/// Changes bytes in place, guided by what the code compared them with; returns how many there are then.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
