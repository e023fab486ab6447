// The files that pages of reports are made of, as they were when meshpipe was built.
#ifndef CREPORTPAGE_H
#define CREPORTPAGE_H

#include <stddef.h>

/// A file that became a part of the program.
typedef struct {
  const unsigned char *bytes;
  size_t count;
} meshpipe_page_file;

/// What is between the head of a page and its data, its style, and its script.
meshpipe_page_file meshpipe_page_body(void);
meshpipe_page_file meshpipe_page_style(void);
meshpipe_page_file meshpipe_page_script(void);

/// three.js, which draws; empty where the build had none.
meshpipe_page_file meshpipe_page_library(void);

/// The licence under which three.js may be passed on.
meshpipe_page_file meshpipe_page_library_licence(void);

#endif
