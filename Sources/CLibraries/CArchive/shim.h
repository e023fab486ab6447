#pragma once
#include <archive.h>
#include <archive_entry.h>

#include <locale.h>
#include <stddef.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

// A locale whose encoding is UTF-8, for the calls below, which any thread may use; NULL if the system has none.
static inline void *meshpipe_new_unicode(void) {
  locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (!unicode) unicode = newlocale(LC_CTYPE_MASK, "en_US.UTF-8", (locale_t)0);
  return (void *)unicode;
}

// Between these two calls the library converts names in this thread from and to UTF-8. It takes the encoding of the
// locale, which is ASCII in a program that sets none, and drops names with other characters. The first returns what the
// second takes.
static inline void *meshpipe_begin_unicode(void *unicode) {
  return unicode ? (void *)uselocale((locale_t)unicode) : NULL;
}

static inline void meshpipe_end_unicode(void *former) {
  if (former) uselocale((locale_t)former);
}
