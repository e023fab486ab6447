/// What one pass over an archive is to bring to the disk.
struct StagingPass {
  /// The scans, as places in the archive's list of them.
  var scans: [Int] = []
  /// Whether files that several scans have in common are all that this pass is for.
  var isForCommonFiles = false

  /// Deals out the scans of an archive to passes over it.
  ///
  /// Scans that are scattered over the archive lie on the disk from their first file to their last. When
  /// those would be too many bytes some wait for another pass.
  /// - Parameters:
  ///   - scans: Places in the archive's list.
  ///   - uses: How many scans need each file of the archive.
  ///   - bytes: How many may lie on the disk at once, beside one scan.
  static func passes(
    over tree: ArchiveTree, scans: [Int], uses: [Int], bytes: Int
  ) -> [StagingPass] {
    var waiting = scans.map { Span(of: $0, in: tree, uses: uses) }.sorted { $0.first < $1.first }
    var result: [StagingPass] = []
    if waiting.contains(where: \.waitsForCommonFiles) {
      result.append(StagingPass(scans: scans, isForCommonFiles: true))
    }
    repeat {
      let (taken, left) = split(waiting, bytes: bytes)
      result.append(StagingPass(scans: taken.map(\.scan)))
      waiting = left
    } while !waiting.isEmpty
    return result
  }

  /// Takes as many scans as fit, and leaves the others.
  private static func split(_ spans: [Span], bytes: Int) -> (taken: [Span], left: [Span]) {
    var (taken, left, open): ([Span], [Span], [Span]) = ([], [], [])
    var openBytes = 0
    var nearestEnd = Int.max
    for span in spans {
      if nearestEnd < span.first {
        open.removeAll { $0.last < span.first }
        openBytes = open.reduce(0) { $0 + $1.bytes }
        nearestEnd = open.reduce(.max) { min($0, $1.last) }
      }
      guard open.isEmpty || span.bytes <= bytes - openBytes else {
        left.append(span)
        continue
      }
      open.append(span)
      openBytes += span.bytes
      nearestEnd = min(nearestEnd, span.last)
      taken.append(span)
    }
    return (taken, left)
  }

  /// The part of an archive from the first to the last file that a scan has for itself.
  private struct Span {
    var scan: Int
    var first: Int
    var last: Int
    var bytes: Int
    /// Whether the scan could be finished but for files that others need too.
    var waitsForCommonFiles: Bool

    init(of scan: Int, in tree: ArchiveTree, uses: [Int]) {
      let group = tree.scans[scan].group
      let own = group.own.filter { uses[$0] == 1 }
      self.scan = scan
      first = own.first ?? 0
      last = own.last ?? 0
      bytes = own.reduce(0) { $0 + tree.files[$1].size }
      let lastCommon = max(group.shared.last ?? -1, group.own.last { uses[$0] > 1 } ?? -1)
      waitsForCommonFiles = lastCommon > last
    }
  }
}
