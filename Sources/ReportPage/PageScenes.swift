package import MeshPipeline
import Synchronization

/// The scenes of a run that the page of its report shows.
package final class PageScenes: Sendable {
  private struct Scenes {
    var before: Scene?
    var after: Scene?
  }

  private let scenes = Mutex(Scenes())

  package init() {}

  /// Keeps the scenes of a run with these options, besides what they observe already.
  package func observe(_ options: inout PipelineRunner.Options) {
    let observer = options.resultObserver
    options.inputObserver = { scene in self.scenes.withLock { $0.before = scene } }
    options.resultObserver = { scene in
      self.scenes.withLock { $0.after = scene }
      try observer?(scene)
    }
  }

  /// What a page shows of the run, which may have ended early.
  ///
  /// - Parameters:
  ///   - pipeline: The name of the pipeline; nil for stages of the command line.
  ///   - report: Its report as the page shows it; nil for that of the run as it is.
  package func shown(
    as title: String, pipeline: String?, _ runReport: RunReport, report: JSONValue? = nil
  ) -> ReportedRun {
    var run = ReportedRun(title: title)
    run.pipeline = pipeline
    run.report = report ?? runReport.json
    run.provenance = runReport.provenance
    scenes.withLock { scenes in
      run.before = scenes.before.map { ($0, "before") }
      run.after = scenes.after.map { ($0, "after") }
    }
    return run
  }
}
