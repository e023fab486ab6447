#include "CArguments.h"

static int argument_count;
static char **arguments;

__attribute__((constructor)) static void remember(int count, char **words) {
  argument_count = count;
  arguments = words;
}

int meshpipe_argument_count(void) { return argument_count; }

const char *meshpipe_argument(int index) { return arguments[index]; }
