import Batch
import MeshpipeKit
import ReportPage

/// The arguments of 'batch'.
struct BatchArguments {
  let invocation: Invocation
  let work: BatchWork
  let plugins: PluginSearch
  let template: OutputTemplate
  /// Where the journal is kept.
  let folder: BatchFolder
  /// The archive to write the outputs to; nil for files.
  let spool: OutputSpool?
  /// The arguments that name scans.
  let inputs: [String]
  let mode: BatchPlan.Mode
  let shard: Shard?
  /// Preferred extensions for scans that exist in several formats, the best one first.
  let preferred: [String]
  let jobs: Int

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    try invocation.exclude(\.$replacesReadOnly, \.$keepsExisting)
    try invocation.exclude(.failFast, .batchKeepGoing)
    // What is up to date does not run.
    try invocation.exclude(.resume, .setting(\.$rerunFrom))
    try invocation.exclude(.retryFailed, .setting(\.$rerunFrom))
    // A retry after a failed upload would find the item's own outputs in its way.
    try invocation.exclude(\.$upload, \.$keepsExisting)
    preferred = (invocation.value(of: .prefer) ?? "").split(separator: ",").map {
      let name = $0.lowercased()
      return name.hasPrefix(".") ? String(name.dropFirst()) : name
    }
    jobs = invocation.integer(of: .batchJobs) ?? HostResources.cores
    let pipeline: BatchWork.Pipeline
    (pipeline, inputs) = try Self.pipeline(invocation)
    var work = BatchWork(pipeline, run: invocation.settings)
    if case .file(let name, let text) = pipeline {
      work.includes = PipelineDocument(parsing: text, file: name).includes
    }
    work.unpackedFrames = try PipelineArguments.unpackedFrames(of: work.run)
    plugins = try invocation.pluginSearch
    work.threads = max(1, HostResources.cores / jobs)
    guard let text = invocation.value(of: .batchOutput) else {
      throw UsageError(
        "'batch' needs -o for the results, for example: -o 'out/{folder}/{stem}.glb'",
        verb: invocation.verb)
    }
    if let archive = OutputArchive(text) {
      folder = BatchFolder(root: OutputSpool.root(of: archive))
      let spool = OutputSpool(archive, in: folder)
      template = try spool.template()
      self.spool = spool
      if invocation.has(.shard) {
        throw UsageError(
          "'--shard' needs files as outputs: several processes can't write to one archive",
          verb: invocation.verb)
      }
    } else {
      template = try OutputTemplate(text)
      folder = BatchFolder(root: template.root)
      spool = nil
    }
    work.outputFolder = FileSystem.absolutePath(of: template.root)
    // However the URL is written, what was sent there stays up to date.
    work.run.upload = try UploadRequest(invocation)?.destination.url
    if work.run.upload != nil, spool != nil {
      throw UsageError(
        "'--upload' needs files as outputs: an archive is complete only when the batch has ended",
        verb: invocation.verb)
    }
    // The archive is signed as a whole, when it is complete.
    if spool != nil { work.run.signingCommand = nil }
    let reports = try invocation.values(of: .batchReport).map(BatchReport.kind)
    // Rendering takes longer than processing a small scan.
    if reports.contains(.html) || invocation.has(.pictures) || invocation.has(.pages) {
      work.pictures = folder
    }
    if invocation.has(.pages) {
      try ReportPage.requireLibrary()
      work.facesOfPages = invocation.integer(of: .reportFaces) ?? ReportPage.usualFaces
    } else if invocation.has(.reportFaces) {
      throw UsageError("'--report-faces' is for '--pages'", verb: invocation.verb)
    }
    self.work = work
    mode =
      invocation.has(.retryFailed)
      ? .retryFailed : invocation.has(.resume) ? .resume : .fresh
    shard = try invocation.value(of: .shard).map { try Shard(parsing: $0) }
  }

  private static func pipeline(
    _ invocation: Invocation
  ) throws -> (BatchWork.Pipeline, inputs: [String]) {
    guard PipelineArguments.hasFile(invocation, try invocation.formats),
      let argument = invocation.operands.first
    else {
      try PipelineArguments.refusePipelineFile(invocation, try invocation.formats)
      return (.stages(invocation.values(of: .stage)), invocation.operands)
    }
    let path = try PipelineLibrary.standard().path(of: argument)
    let bytes = try FileSystem.contents(of: path, limit: PipelineDocument.largestFile)
    return (
      .file(name: path, text: String(decoding: bytes, as: UTF8.self)),
      Array(invocation.operands.dropFirst())
    )
  }

  /// The options of the engine.
  func engineOptions(stagingFolder: String) throws -> BatchEngine.Options {
    guard let executable = FileSystem.ownExecutable else {
      throw UsageError("the program can't find its own executable to start workers")
    }
    var options = BatchEngine.Options(executable: executable, stagingFolder: stagingFolder)
    options.jobs = jobs
    options.timeout = try invocation.value(of: .timeout).map { try Timespan(parsing: $0).seconds }
    // Even if little memory is free, one item at a time is tried.
    options.memory =
      try bytes(of: .memory) ?? max(HostResources.availableMemory / 10 * 9, 512 << 20)
    options.maximumMemory = try bytes(of: .maxMemory) ?? options.memory
    options.retries = invocation.integer(of: .retries) ?? 1
    options.failsFast = invocation.has(.failFast)
    return options
  }

  private func bytes(of option: Option) throws -> Int? {
    guard let text = invocation.value(of: option) else { return nil }
    guard let bytes = ByteSize.bytes(of: text), bytes > 0 else {
      throw UsageError(
        "option '\(option.name)': '\(text)' is not a size; write 800MB or 4GiB",
        verb: invocation.verb)
    }
    return bytes
  }

  /// The filters and limits of the list of items.
  func inputOptions() throws -> BatchInputs.Options {
    var options = BatchInputs.Options()
    options.include = invocation.values(of: .include)
    options.exclude = invocation.values(of: .exclude)
    options.listFiles = invocation.values(of: .list)
    // Do not process the outputs of an earlier batch.
    options.ignoredFolders = [folder.root]
    if let bytes = try bytes(of: .maxBytes) { options.limits.itemBytes = bytes }
    if let bytes = try bytes(of: .maxArchiveBytes) { options.limits.archiveBytes = bytes }
    if let bytes = try bytes(of: .maxStaged) { options.limits.stagedBytes = bytes }
    if let ratio = invocation.integer(of: .maxRatio) { options.limits.ratio = ratio }
    if let entries = invocation.integer(of: .maxEntries) { options.limits.entries = entries }
    if let nesting = invocation.integer(of: .maxNesting) { options.limits.nesting = nesting }
    return options
  }
}
