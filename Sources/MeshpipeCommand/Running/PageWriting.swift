import MeshpipeKit
import ReportPage
import Synchronization

/// The scenes of a run that the page of its report shows.
final class PageScenes: Sendable {
  private struct Scenes {
    var before: Scene?
    var after: Scene?
  }

  private let scenes = Mutex(Scenes())

  /// Keeps the scenes of a run with these options.
  func observe(_ options: inout PipelineRunner.Options) {
    options.inputObserver = { scene in self.scenes.withLock { $0.before = scene } }
    options.resultObserver = { scene in self.scenes.withLock { $0.after = scene } }
  }

  /// What a page shows of the run, which may have ended early.
  ///
  /// - Parameter pipeline: The name of the pipeline; nil for stages of the command line.
  func shown(as title: String, pipeline: String?, _ report: RunReport?) -> ReportedRun {
    var run = ReportedRun(title: title)
    run.pipeline = pipeline
    run.report = report?.json
    run.provenance = report?.provenance
    scenes.withLock { scenes in
      run.before = scenes.before.map { ($0, "before") }
      run.after = scenes.after.map { ($0, "after") }
    }
    return run
  }
}

extension ReportPage {
  /// Whether a path is that of a page.
  static func isPath(_ path: String) -> Bool { ["html", "htm"].contains(fileExtension(of: path)) }

  /// Makes a page with what the options say of pages, and shows warnings.
  init(_ runs: [ReportedRun], title: String, _ invocation: Invocation) throws {
    try self.init(
      runs, title: title, faces: invocation.integer(of: .reportFaces) ?? Self.usualFaces,
      shown: PrivateInputs.shown, cancellation: Signals.cancellation
    ) { Messages.warn("page: \($0)") }
  }

  /// Writes the page as an output of a transaction, which is still to be committed.
  func write(to path: String, in transaction: OutputTransaction) throws {
    let output = try transaction.begin(path)
    let file = try FileWriter(creating: output.mainPath)
    try file.write(html)
    try file.finish()
    try transaction.seal(output)
  }
}
