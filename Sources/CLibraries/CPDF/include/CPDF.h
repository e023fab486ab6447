#pragma once
#include <stddef.h>
#include <stdint.h>

// Vector drawings as PDF with libharu, which is opened with the first of them. Lengths are points, from the lower left
// corner of a page. Of several faults the first one stays: ask for it at the end.

typedef struct meshpipe_pdf meshpipe_pdf;

// Why libharu can't be used, with the way out; NULL if it can. The functions below need it.
const char *meshpipe_pdf_fault(void);

// A document without pages; NULL if there is no memory. `title` is in the encoding of Windows-1252.
meshpipe_pdf *meshpipe_pdf_create(const char *title);
void meshpipe_pdf_free(meshpipe_pdf *document);

// Adds a page, on which everything after it is drawn.
void meshpipe_pdf_add_page(meshpipe_pdf *document, float width, float height);

// The colour of lines and areas, from 0 to 1, and the width of lines, whose ends are round.
void meshpipe_pdf_set_pen(meshpipe_pdf *document, float red, float green, float blue, float width);

// A path: then stroke or fill it, which ends it.
void meshpipe_pdf_move(meshpipe_pdf *document, float x, float y);
void meshpipe_pdf_line(meshpipe_pdf *document, float x, float y);
void meshpipe_pdf_curve(meshpipe_pdf *document, const float *points);
void meshpipe_pdf_close(meshpipe_pdf *document);
void meshpipe_pdf_stroke(meshpipe_pdf *document);
// Of what lies in an odd number of its loops.
void meshpipe_pdf_fill(meshpipe_pdf *document);

// A text in Helvetica and Windows-1252, whose baseline begins at a place, turned by the angle of a cosine and a sine.
void meshpipe_pdf_text(meshpipe_pdf *document, const char *text, float size, float x, float y,
                       float cosine, float sine);

// A JPEG in a rectangle whose lower left corner is at a place. Its bytes are copied.
void meshpipe_pdf_image(meshpipe_pdf *document, const uint8_t *bytes, size_t count, float x, float y,
                        float width, float height);

// Ends the document: the number of its bytes, or 0 if something was wrong, which is then in `error`.
size_t meshpipe_pdf_finish(meshpipe_pdf *document, char *error, size_t error_size);
// Copies these bytes; 0 if that fails.
size_t meshpipe_pdf_copy(meshpipe_pdf *document, uint8_t *bytes, size_t size);
