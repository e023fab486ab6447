#include "CRevision.h"

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

#ifdef MESHPIPE_REVISION
const char *meshpipe_revision(void) { return TEXT(MESHPIPE_REVISION); }
#else
const char *meshpipe_revision(void) { return ""; }
#endif
