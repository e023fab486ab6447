import MeshpipeBase
import MeshpipeScene

/// Writes one output of a run, within its limit if it has one.
struct OutputWriter {
  private let output: ResolvedPipeline.ResolvedOutput
  private let pipeline: ResolvedPipeline
  private let transaction: OutputTransaction
  private let makeContext: () -> StageContext
  /// The context of the last attempt, whose warnings and figures are those of the output.
  private(set) var context: StageContext
  /// What made the output.
  var provenance: Provenance?
  /// Whether pictures that are copied lose what they say beside their pixels.
  var isPrivate = false
  /// The files of the last attempt.
  private var files: OutputSet?

  init(
    of output: ResolvedPipeline.ResolvedOutput, in pipeline: ResolvedPipeline,
    _ transaction: OutputTransaction,
    makeContext: @escaping () -> StageContext
  ) {
    self.output = output
    self.pipeline = pipeline
    self.transaction = transaction
    self.makeContext = makeContext
    context = makeContext()
  }

  /// Writes a scene, complete for the commit of the transaction.
  ///
  /// - Parameter levels: The scene; further ones are lighter levels of it for the same file.
  mutating func write(_ levels: [Scene]) throws {
    do {
      try context.checkCancellation()
      let levels = isPrivate ? try levels.map { try plain($0) } : levels
      if let limit = output.limit {
        try fit(levels, limit)
      } else {
        try attempt(levels, OutputForm())
      }
      if let files { try transaction.seal(files) }
    } catch {
      guard let files else { throw error }
      transaction.abandon(files)
      if error is Cancelled { throw error }
      throw PlacedError(error, staging: files.folder, output: output.path)
    }
  }

  /// A scene without what is private.
  private func plain(_ scene: Scene) throws -> Scene {
    var scene = scene
    try PrivateTextures(encoder: output.textureEncoder, context: context).remove(from: &scene)
    scene.removePrivateFacts(privateNames)
    return scene
  }

  /// The names of the run's inputs.
  private var privateNames: PrivateNames {
    var paths = pipeline.meshPaths + pipeline.otherInputPaths
    paths += (pipeline.joined + pipeline.otherInputs).compactMap { $0.frames?.folder.path }
    paths += [pipeline.input, pipeline.frames?.folder.path, pipeline.room?.path].compactMap(\.self)
    var names = PrivateNames(ofFiles: paths)
    if let name = pipeline.inputName { names.add(name) }
    return names
  }

  private mutating func fit(_ levels: [Scene], _ limit: OutputLimit) throws {
    var fitting = OutputFitting(limit, in: context)
    let form = try fitting.fit(levels) { levels, form in
      try attempt(levels, form)
      return try files?.byteCount() ?? 0
    }
    context.note("maximumBytes", limit.bytes.json)
    form.note(in: context)
  }

  /// Writes the files in place of those of an earlier attempt.
  private mutating func attempt(_ levels: [Scene], _ form: OutputForm) throws {
    if let files {
      transaction.abandon(files)
      self.files = nil
      context = makeContext()
    }
    var files = try transaction.begin(output.path)
    if let level = output.level { files = files.ofLevel(level) }
    self.files = files
    var options = Dictionary(
      output.options.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    options.merge(form.options) { _, smaller in smaller }
    var writing = WritingContext(stage: context, options: options)
    // What another output has beside the model is not lost.
    writing.expectedLosses = pipeline.outputs.reduce(into: output.loses) {
      $0.formUnion(SceneFeature.besideModels.intersection($1.format.keeps))
    }
    writing.warnsOfAxes = !output.hasAxisWarning
    writing.remedy = pipeline.remedy
    (writing.provenance, writing.isPrivate) = (provenance, isPrivate)
    writing.lighterLevels = Array(levels.dropFirst())
    try output.format.write(levels[0], to: files, in: writing)
  }
}

extension OutputSet {
  /// The bytes of the files written so far.
  fileprivate func byteCount() throws -> Int {
    try FileSystem.deepNames(inFolder: folder).reduce(0) {
      try $0 + (FileSystem.status(of: sidePath($1))?.size ?? 0)
    }
  }
}

/// An error of writing, whose message uses the final path instead of the private folder's.
private struct PlacedError: UserError {
  var exitCode: ExitCode
  var message: String

  init(_ error: any Error, staging: String, output: String) {
    guard let error = error as? any UserError else {
      exitCode = .software
      message = "\(output): internal error: \(error)"
      return
    }
    exitCode = error.exitCode
    let folder = output == "-" ? "" : FileSystem.path(of: "", beside: output)
    var shown = ShownPaths()
    shown.show(staging + "/", as: folder)
    message = shown.readable(error.message)
    if !message.contains(FileSystem.name(of: output)) { message = "\(output): \(message)" }
  }
}
