/// Limits on the inputs of a batch.
///
/// Each limit has an option; an item that exceeds one fails, and the others continue.
package struct ItemLimits: Sendable, Equatable {
  /// The maximum ratio of unpacked to packed size, of an archive or a file: `--max-ratio`.
  package var ratio = 250
  /// The unpacked bytes that any archive may have, however small.
  package var ratioFloor = 64 << 20
  /// The bytes of the files of one item: `--max-bytes`.
  package var itemBytes = 16 << 30
  /// The total unpacked bytes of an archive: `--max-archive-bytes`.
  package var archiveBytes = 4 << 40
  /// The entries of an archive, including nested archives: `--max-entries`.
  package var entries = 1_000_000
  /// The depth of nested archives around an item, besides the outermost: `--max-nesting`.
  package var nesting = 1
  /// The bytes of incomplete items on disk while unpacking an archive whose items are interleaved;
  /// more need another pass over the archive: `--max-staged`.
  package var stagedBytes = 4 << 30

  package init() {}
}
