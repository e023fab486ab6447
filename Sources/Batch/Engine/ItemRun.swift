package import MeshPipeline
import ReportPage
import Synchronization

/// The run of one item in a worker.
struct ItemRun {
  let request: ItemRequest
  let work: BatchWork
  let document: PipelineDocument
  let environment: PipelineEnvironment
  let checkpoints: BatchWorker.CheckpointsAtHand
  let deliver: ItemDelivery.Performer
  let cancellation: Cancellation
  let tell: @Sendable (RunEvent) -> Void

  /// Runs the pipeline and returns the result.
  ///
  /// - Throws: Only ``Cancelled``; any other error is a result.
  func perform() throws(Cancelled) -> JournalEntry {
    let start = FileSystem.now
    let clock = MonotonicClock.seconds
    PeakMemory.reset()
    LastWord.note("before the run, on \(request.name)")
    var entry = JournalEntry(item: request.name, state: .done)
    var sources = [request.path]
    do {
      let pipeline = try resolve(&entry)
      if pipeline.input != nil { sources = pipeline.meshPaths }
      let report = try run(pipeline, &entry, &sources)
      entry.outputs = try files(of: report)
      try deliver(ItemDelivery(work), report.outputs, cancellation)
    } catch {
      let error = error as? any UserError
      if error?.exitCode == .interrupted { throw Cancelled() }
      let exitCode = error?.exitCode ?? .software
      entry.state = exitCode == .temporary ? .temporary : .failed
      entry.exitCode = exitCode
      entry.error = readable(error?.message ?? "internal error")
    }
    entry.warnings = entry.warnings.map(readable)
    // Unpacked items are compared by the archive, or by the hash of all unpacked bytes; what else they depend on lies
    // elsewhere. Frames from an archive stand for it.
    if request.archive != nil {
      sources.removeAll { request.shownPaths.readable($0) != $0 }
      entry.missing = []
    }
    var known: Set<String> = []
    entry.inputs = sources.map(archiveOfFrames).filter { known.insert($0).inserted }
      .compactMap { Self.file($0, before: start) }
    entry.missing.removeAll { archiveOfFrames($0) != $0 }
    entry.seconds = MonotonicClock.seconds - clock
    entry.peakMemory = PeakMemory.bytes
    return entry
  }

  /// A text with the names of unpacked files.
  private func readable(_ text: String) -> String {
    work.shownPaths.readable(request.shownPaths.readable(text))
  }

  /// The archive with a file of frames that this run has unpacked; any other path itself.
  private func archiveOfFrames(_ path: String) -> String {
    guard case .path(let archive) = work.run.frames, work.shownPaths.readable(path) != path else {
      return path
    }
    return archive
  }

  private func resolve(_ entry: inout JournalEntry) throws -> ResolvedPipeline {
    var request = work.request(input: self.request.path, output: self.request.output)
    request.archive = self.request.archive
    let resolution = document.resolve(in: environment, for: request)
    entry.warnings = resolution.warnings.map(\.description)
    guard let pipeline = resolution.pipeline else {
      throw ItemUnfit(InvalidPipeline(resolution.errors))
    }
    if work.run.warningsAreErrors, !resolution.warnings.isEmpty {
      throw ItemUnfit(exitCode: .configuration, message: "a warning is treated as an error")
    }
    return pipeline
  }

  private func run(
    _ pipeline: ResolvedPipeline, _ entry: inout JournalEntry, _ sources: inout [String]
  ) throws -> RunReport {
    let picture = Mutex("")
    var options = work.runnerOptions
    options.checkpoints = checkpoints(work.run, request.shownPaths.adding(work.shownPaths))
    if let folder = work.pictures {
      options.resultObserver = { [request, cancellation] scene in
        let path = try Thumbnail.write(
          scene, ofItem: request.name, in: folder, cancellation: cancellation)
        picture.withLock { $0 = path }
      }
    }
    let page = PageScenes()
    if work.facesOfPages != nil { page.observe(&options) }
    let runner = PipelineRunner(
      pipeline, options: options, cancellation: cancellation, observer: tell)
    func take(_ report: RunReport) {
      entry.warnings += report.allWarnings
      entry.facesBefore = report.input?.counts.faces ?? 0
      entry.facesAfter = report.outputs.first { $0.outcome == .done }?.counts.faces ?? 0
      entry.missing = report.input?.missingFiles ?? []
      var known = Set(sources)
      sources += (report.input?.sideFiles ?? []).filter { known.insert($0).inserted }
    }
    let report: RunReport
    do throws(RunFailure) {
      report = try runner.run()
    } catch {
      take(error.report)
      throw error
    }
    take(report)
    entry.thumbnail = picture.withLock { $0 }
    try write(page, of: report, &entry)
    return report
  }

  /// Writes the page of the item, with its result to turn and to compare with its scan.
  private func write(
    _ scenes: PageScenes, of report: RunReport, _ entry: inout JournalEntry
  ) throws {
    guard let faces = work.facesOfPages, let folder = work.pictures else { return }
    do {
      let run = scenes.shown(
        as: request.name, pipeline: document.source.file.map { FileSystem.stem(of: $0) }, report,
        report: work.shownPaths.readable(request.shownPaths.readable(report.json)))
      let page = try ReportPage(
        [run], title: request.name, faces: faces, cancellation: cancellation
      ) { entry.warnings.append("page: \($0)") }
      entry.page = try folder.write(
        page.html, ofItem: request.name, among: "pages", extension: "html")
    } catch let error as Cancelled {
      throw error
    } catch {
      entry.warnings.append("no page was written: \(error.userMessage)")
    }
  }

  private func files(of report: RunReport) throws -> [JournalEntry.File] {
    try report.outputs.flatMap(\.files).map { file in
      let status = try FileSystem.status(of: file.path)
      return JournalEntry.File(
        path: file.path, size: file.bytes, modified: status?.modified ?? 0, sha256: file.sha256)
    }
  }

  /// A file as it was read; without a hash if it has changed since, since what was read is unknown.
  private static func file(_ path: String, before start: Int64) -> JournalEntry.File? {
    guard let status = try? FileSystem.status(of: path), status.isRegularFile else { return nil }
    guard status.modified < start, let sha256 = try? SHA256.hexadecimal(ofFile: path) else {
      return JournalEntry.File(path: path, size: status.size, sha256: "")
    }
    // Times are coarse: a file written just before it was read may be written again unnoticed.
    let isSure = status.modified + 2_000_000_000 < start
    return JournalEntry.File(
      path: path, size: status.size, modified: isSure ? status.modified : 0, sha256: sha256)
  }
}

/// The pipeline can't be used for an item.
private struct ItemUnfit: UserError {
  var exitCode: ExitCode
  var message: String

  init(exitCode: ExitCode, message: String) {
    self.exitCode = exitCode
    self.message = message
  }

  /// Without the prefix of compiler messages, since the item is named separately.
  init(_ error: InvalidPipeline) {
    exitCode = error.exitCode
    message = error.diagnostics.map { diagnostic in
      diagnostic.file.isEmpty ? diagnostic.message : "\(diagnostic.file): \(diagnostic.message)"
    }.joined(separator: "; ")
  }
}

/// What is done with the outputs of an item once they are in place: they are signed and sent.
package struct ItemDelivery: Sendable, Equatable {
  /// Signs and sends the outputs of an item.
  package typealias Performer =
    @Sendable (
      _ delivery: ItemDelivery, _ outputs: [RunReport.OutputReport], _ cancellation: Cancellation
    ) throws -> Void

  /// The settings, whose URL is that of the folder that stands for ``root``.
  package let settings: RunSettings
  /// The output folder of the batch.
  package let root: String

  init(_ work: BatchWork) {
    settings = work.run
    root = work.outputFolder
  }
}
