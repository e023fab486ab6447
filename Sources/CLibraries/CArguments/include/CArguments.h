// The words of the command line as the system handed them over.
//
// Swift's runtime reads them from /proc on Linux, which is not mounted everywhere; the C library gives them to
// functions that run before `main`.
#ifndef CARGUMENTS_H
#define CARGUMENTS_H

/// How many words there are, the program's own name included; 0 where the C library tells none.
int meshpipe_argument_count(void);

/// A word, by its place.
const char *meshpipe_argument(int index);

#endif
