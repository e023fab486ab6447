internal import MeshpipeBase
internal import Synchronization

extension VideoReader {
  /// A shared reader that stays open for further frames, which know only the path of their video.
  ///
  /// A file that has changed is opened again.
  package static func shared(_ path: String) throws -> VideoReader {
    let status = try FileSystem.status(of: path)
    return try kept.withLock { kept in
      if let index = kept.firstIndex(where: { $0.reader.path == path && $0.status == status }) {
        let found = kept.remove(at: index)
        kept.append(found)
        return found.reader
      }
      let reader = try VideoReader(path)
      kept.removeAll { $0.reader.path == path }
      kept.append(KeptReader(reader: reader, status: status))
      // A decoder holds some 50 MB of frames; a scan has one video.
      if kept.count > 2 { kept.removeFirst() }
      return reader
    }
  }

  private struct KeptReader: Sendable {
    var reader: VideoReader
    var status: FileStatus?
  }

  private static let kept = Mutex<[KeptReader]>([])
}
