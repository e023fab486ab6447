#include "CPDF.h"

#include "CDynamicLibrary.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __APPLE__
static const char *const names[] = {"libhpdf.dylib"};
#else
// Debian 12, Debian 13, and others.
static const char *const names[] = {"libhpdf-2.3.0.so", "libhpdf.so.2.4", "libhpdf.so.2.4.4", "libhpdf.so.2.4.5",
                                    "libhpdf.so"};
#endif

// As <hpdf.h> declares them; the same in all versions since 2.0.
typedef void *object;
typedef unsigned long status;
typedef float real;
typedef void (*handler)(status, status, void *);

static object (*create_document)(handler, void *);
static void (*free_document)(object);
static status (*set_compression)(object, unsigned);
static status (*set_info)(object, int, const char *);
static object (*add_page)(object);
static object (*get_font)(object, const char *, const char *);
static status (*set_width)(object, real);
static status (*set_height)(object, real);
static status (*set_stroke)(object, real, real, real);
static status (*set_fill)(object, real, real, real);
static status (*set_line_width)(object, real);
static status (*set_cap)(object, int);
static status (*set_join)(object, int);
static status (*move_to)(object, real, real);
static status (*line_to)(object, real, real);
static status (*curve_to)(object, real, real, real, real, real, real);
static status (*close_path)(object);
static status (*stroke)(object);
static status (*fill_even_odd)(object);
static status (*begin_text)(object);
static status (*end_text)(object);
static status (*set_font)(object, object, real);
static status (*set_text_matrix)(object, real, real, real, real, real, real);
static status (*show_text)(object, const char *);
static object (*load_jpeg)(object, const unsigned char *, unsigned);
static status (*draw_image)(object, object, real, real, real, real);
static status (*save_to_stream)(object);
static unsigned (*stream_size)(object);
static status (*read_stream)(object, unsigned char *, unsigned *);

// Numbers of <hpdf_types.h> and <hpdf_consts.h>.
enum { info_creator = 3, info_producer = 4, info_title = 5 };
enum { compress_all = 0x0F, round_shape = 1 };

static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library =
      meshpipe_need_library(names, sizeof names / sizeof *names, "libhpdf-dev", "libharu", failure, sizeof failure);
  if (!library) return;
  const char *missing = NULL;
#define LOAD(pointer, name) \
  *(void **)&pointer = meshpipe_library_function(library, "HPDF_" name, &missing)
  LOAD(create_document, "New");
  LOAD(free_document, "Free");
  LOAD(set_compression, "SetCompressionMode");
  LOAD(set_info, "SetInfoAttr");
  LOAD(add_page, "AddPage");
  LOAD(get_font, "GetFont");
  LOAD(set_width, "Page_SetWidth");
  LOAD(set_height, "Page_SetHeight");
  LOAD(set_stroke, "Page_SetRGBStroke");
  LOAD(set_fill, "Page_SetRGBFill");
  LOAD(set_line_width, "Page_SetLineWidth");
  LOAD(set_cap, "Page_SetLineCap");
  LOAD(set_join, "Page_SetLineJoin");
  LOAD(move_to, "Page_MoveTo");
  LOAD(line_to, "Page_LineTo");
  LOAD(curve_to, "Page_CurveTo");
  LOAD(close_path, "Page_ClosePath");
  LOAD(stroke, "Page_Stroke");
  LOAD(fill_even_odd, "Page_Eofill");
  LOAD(begin_text, "Page_BeginText");
  LOAD(end_text, "Page_EndText");
  LOAD(set_font, "Page_SetFontAndSize");
  LOAD(set_text_matrix, "Page_SetTextMatrix");
  LOAD(show_text, "Page_ShowText");
  LOAD(load_jpeg, "LoadJpegImageFromMem");
  LOAD(draw_image, "Page_DrawImage");
  LOAD(save_to_stream, "SaveToStream");
  LOAD(stream_size, "GetStreamSize");
  LOAD(read_stream, "ReadFromStream");
#undef LOAD
  if (missing) snprintf(failure, sizeof failure, "lacks %s: install a newer version", missing);
}

const char *meshpipe_pdf_fault(void) {
  pthread_once(&once, load);
  return failure[0] ? failure : NULL;
}

struct meshpipe_pdf {
  object document;
  object page;
  object font;
  status first_error;
};

static void note_error(status error, status detail, void *data) {
  (void)detail;
  meshpipe_pdf *document = data;
  if (!document->first_error) document->first_error = error;
}

meshpipe_pdf *meshpipe_pdf_create(const char *title) {
  if (meshpipe_pdf_fault()) return NULL;
  meshpipe_pdf *document = calloc(1, sizeof *document);
  if (!document) return NULL;
  document->document = create_document(note_error, document);
  if (!document->document) {
    free(document);
    return NULL;
  }
  set_compression(document->document, compress_all);
  // Not the library's own, whose version does not belong to the drawing.
  set_info(document->document, info_producer, "meshpipe");
  set_info(document->document, info_creator, "meshpipe");
  set_info(document->document, info_title, title);
  document->font = get_font(document->document, "Helvetica", "WinAnsiEncoding");
  return document;
}

void meshpipe_pdf_free(meshpipe_pdf *document) {
  if (!document) return;
  free_document(document->document);
  free(document);
}

void meshpipe_pdf_add_page(meshpipe_pdf *document, float width, float height) {
  document->page = add_page(document->document);
  if (!document->page) return;
  set_width(document->page, width);
  set_height(document->page, height);
  set_cap(document->page, round_shape);
  set_join(document->page, round_shape);
}

void meshpipe_pdf_set_pen(meshpipe_pdf *document, float red, float green, float blue,
                          float width) {
  if (!document->page) return;
  set_stroke(document->page, red, green, blue);
  set_fill(document->page, red, green, blue);
  set_line_width(document->page, width);
}

void meshpipe_pdf_move(meshpipe_pdf *document, float x, float y) {
  if (document->page) move_to(document->page, x, y);
}

void meshpipe_pdf_line(meshpipe_pdf *document, float x, float y) {
  if (document->page) line_to(document->page, x, y);
}

void meshpipe_pdf_curve(meshpipe_pdf *document, const float *points) {
  if (document->page)
    curve_to(document->page, points[0], points[1], points[2], points[3], points[4], points[5]);
}

void meshpipe_pdf_close(meshpipe_pdf *document) {
  if (document->page) close_path(document->page);
}

void meshpipe_pdf_stroke(meshpipe_pdf *document) {
  if (document->page) stroke(document->page);
}

void meshpipe_pdf_fill(meshpipe_pdf *document) {
  if (document->page) fill_even_odd(document->page);
}

void meshpipe_pdf_text(meshpipe_pdf *document, const char *text, float size, float x, float y,
                       float cosine, float sine) {
  if (!document->page) return;
  begin_text(document->page);
  set_font(document->page, document->font, size);
  set_text_matrix(document->page, cosine, sine, -sine, cosine, x, y);
  show_text(document->page, text);
  end_text(document->page);
}

void meshpipe_pdf_image(meshpipe_pdf *document, const uint8_t *bytes, size_t count, float x, float y,
                        float width, float height) {
  if (!document->page) return;
  object image = load_jpeg(document->document, bytes, (unsigned)count);
  if (image) draw_image(document->page, image, x, y, width, height);
}

size_t meshpipe_pdf_finish(meshpipe_pdf *document, char *error, size_t error_size) {
  if (!document->first_error) save_to_stream(document->document);
  if (document->first_error) {
    snprintf(error, error_size, "error %lX of libharu", document->first_error);
    return 0;
  }
  return stream_size(document->document);
}

size_t meshpipe_pdf_copy(meshpipe_pdf *document, uint8_t *bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    unsigned part = size - done > 1 << 20 ? 1 << 20 : (unsigned)(size - done);
    read_stream(document->document, bytes + done, &part);
    if (part == 0) return 0;
    done += part;
  }
  return done;
}
