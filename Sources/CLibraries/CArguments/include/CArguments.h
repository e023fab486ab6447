// The arguments of the command line as the system passed them.
//
// Swift's runtime reads them from /proc on Linux, which is not mounted everywhere; the C library gives them to
// functions that run before `main`.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

/// The number of arguments, with the program's name; 0 where the C library does not pass them.
int meshpipe_argument_count(void);

/// An argument by its index.
const char *meshpipe_argument(int index);

#endif
