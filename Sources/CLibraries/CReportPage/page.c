#include "CReportPage.h"

// `#embed` is of C23, and known to the compilers that come with Swift.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE_FROM(name) ((meshpipe_page_file){name, sizeof name})

static const unsigned char body[] = {
#embed "page/page.html"
};

static const unsigned char style[] = {
#embed "page/page.css"
};

// One module, in the order in which its parts name each other.
static const unsigned char script[] = {
#embed "page/1-decoding.js"
  ,
#embed "page/2-model.js"
  ,
#embed "page/3-orbit.js"
  ,
#embed "page/4-measuring.js"
  ,
#embed "page/5-cameras.js"
  ,
#embed "page/6-viewer.js"
  ,
#embed "page/7-tables.js"
  ,
#embed "page/8-main.js"
};

static const unsigned char licence[] = {
#embed "page/three-licence.txt"
};

meshpipe_page_file meshpipe_page_body(void) { return FILE_FROM(body); }
meshpipe_page_file meshpipe_page_style(void) { return FILE_FROM(style); }
meshpipe_page_file meshpipe_page_script(void) { return FILE_FROM(script); }
meshpipe_page_file meshpipe_page_library_licence(void) { return FILE_FROM(licence); }

// Package.swift names the file, if there is one.
#ifdef MESHPIPE_THREE
static const unsigned char library[] = {
#embed MESHPIPE_THREE
};
meshpipe_page_file meshpipe_page_library(void) { return FILE_FROM(library); }
#else
meshpipe_page_file meshpipe_page_library(void) { return (meshpipe_page_file){0, 0}; }
#endif
