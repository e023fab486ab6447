internal import CArchive

/// The locale in which libarchive converts names.
///
/// The library takes the encoding of the locale, which is ASCII in a program that sets none: it reads other names as
/// none at all, and does worse where it writes them.
enum ArchiveLocale {
  /// For all archives: making one takes longer than most entries do, and opens files.
  nonisolated(unsafe) private static let unicode = unsafe meshpipe_new_unicode()

  /// Makes it now, where no file can be opened later.
  static func prepare() { _ = unsafe unicode }

  /// Calls the library with names in Unicode.
  static func inUnicode<Result>(_ body: () throws -> Result) rethrows -> Result {
    let former = unsafe meshpipe_begin_unicode(unicode)
    defer { unsafe meshpipe_end_unicode(former) }
    return try body()
  }
}
