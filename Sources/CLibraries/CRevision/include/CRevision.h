// The commit that a program was built from.
//
// The build passes it to this target alone (Package.swift), so that another commit compiles nothing else.
#ifndef CREVISION_H
#define CREVISION_H

/// Eight digits of the commit, with `+changes` where sources differed from it; empty where the build was not told.
const char *meshpipe_revision(void);

#endif
