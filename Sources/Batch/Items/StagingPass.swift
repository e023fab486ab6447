/// The scans to unpack in one pass over an archive.
struct StagingPass {
  /// The scans, as indices in the archive's list of them.
  var scans: [Int] = []
  /// Whether this pass only needs files shared by several scans.
  var isForCommonFiles = false

  /// Distributes the scans of an archive over passes.
  ///
  /// Interleaved scans stay on disk from their first file to their last. If these would take too
  /// many bytes, some wait for another pass.
  /// - Parameters:
  ///   - scans: Indices in the archive's list.
  ///   - uses: The number of scans that need each file of the archive.
  ///   - bytes: The maximum number of bytes on disk at once, besides one scan.
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

  /// The range of the archive from the first to the last file that only this scan needs.
  private struct Span {
    var scan: Int
    var first: Int
    var last: Int
    var bytes: Int
    /// Whether the scan only lacks files that others need too.
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
