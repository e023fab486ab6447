import MeshPipeline
import ReportPage
import Synchronization

/// The page of an item, with its result to turn and to compare with its scan.
final class ItemPage: Sendable {
  private let scenes = Mutex<(before: Scene?, after: Scene?)>((nil, nil))

  /// Keeps the scenes of a run with these options, besides what they observe already.
  func observe(_ options: inout PipelineRunner.Options) {
    let observer = options.resultObserver
    options.inputObserver = { scene in self.scenes.withLock { $0.before = scene } }
    options.resultObserver = { scene in
      self.scenes.withLock { $0.after = scene }
      try observer?(scene)
    }
  }

  /// Writes the page into the folder of the batch, where it appears complete or not at all.
  ///
  /// - Parameters:
  ///   - report: That of the run, with paths as they are shown.
  ///   - provenance: What made the result.
  ///   - faces: The most faces of a model.
  /// - Returns: The value of ``JournalEntry/page``.
  func write(
    _ report: JSONValue, _ provenance: Provenance?, ofItem name: String, pipeline: String?,
    faces: Int, in folder: BatchFolder, cancellation: Cancellation, warn: (String) -> Void
  ) throws -> String {
    var run = ReportedRun(title: name)
    run.pipeline = pipeline
    run.report = report
    run.provenance = provenance
    let (before, after) = scenes.withLock(\.self)
    run.before = before.map { ($0, "before") }
    run.after = after.map { ($0, "after") }
    let page = try ReportPage(
      [run], title: name, faces: faces, cancellation: cancellation, warn: warn)
    let path = Self.path(ofItem: name)
    let file = "\(folder.path)/\(path)"
    try FileSystem.createFolder(FileSystem.folder(of: file))
    try FileSystem.replaceFile(file, with: page.html, synchronizing: false)
    return path
  }

  /// The page's path within the folder of the batch: `pages/3f/a20c….html`.
  static func path(ofItem name: String) -> String {
    let hash = SHA256.hexadecimal(of: Array(name.utf8))
    return "pages/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(30)).html"
  }
}
