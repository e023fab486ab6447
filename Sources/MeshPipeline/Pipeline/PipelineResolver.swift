import MeshpipeBase
import MeshpipeScene

/// Resolves a document into a runnable pipeline, and finds all mistakes.
struct PipelineResolver {
  /// A variable with its value in this use.
  struct Binding {
    var type: ParameterType
    var value: JSONValue
  }

  let document: PipelineDocument
  let environment: PipelineEnvironment
  let request: PipelineRequest
  /// The document's source with the arguments of the request.
  var source: PipelineSource
  var diagnostics: [Diagnostic]
  var bindings: [String: Binding] = [:]
  /// Variables without a value because of a mistake that was already reported.
  var brokenVariables: Set<String> = []
  var usedVariables: Set<String> = []
  /// The variables whose value replaces the default of all levels.
  var givenVariables: Set<String> = []
  /// The arguments that gave variables a value.
  var givenPositions: [String: SourcePosition] = [:]
  /// The values given for one level, by its name.
  var givenInLevels: [String: [String: Binding]] = [:]
  /// The levels of this use, in the order of the file.
  var levels: [LevelPlan] = []
  /// The level that is being resolved; nil for what runs once.
  var level: String?
  /// Mistakes found in a level, which others may share.
  var levelDiagnostics: [(level: String, diagnostic: Diagnostic)] = []
  /// In the order in which they run: first what runs once, then level by level.
  var stages: [StagePlan] = []
  /// The id of each entry of the document's stages.
  var entryIDs: [String] = []
  var entryIndices: [String: Int] = [:]
  /// The index in ``stages`` of each entry in each level; nil as a level for what runs once.
  var planIndices: [[String?: Int]] = []
  var outputs: [OutputPlan] = []
  var outputSettings: [OutputSetting] = []
  /// The file to read: the input, or the mesh of its capture folder, or the folder if there is none.
  var inputPath: String?
  var inputFormat: FormatReader?
  var isInputFolder = false
  /// Whether the input is a capture without a mesh.
  var lacksMesh = false
  var joinedInputs: [JoinedInput] = []
  var otherInputs: [JoinedInput] = []
  var frames: FoundCapture?
  var room: FoundRoom?
  /// The files that options name, with what is in them; null where that is at fault, which was reported.
  var optionFiles: [(path: String, value: JSONValue?)] = []

  /// A partial ``ResolvedPipeline/ResolvedStage``; parts are missing where the document is at
  /// fault.
  struct StagePlan {
    var entry: PipelineDocument.StageEntry
    /// The index of the entry in the document.
    var entryIndex: Int
    /// The id without the level.
    var id: String
    var level: String?
    var name = ""
    var stage: (any PreparedStage)?
    var definition: StageDefinition?
    var dataFlow: StageDataFlow { definition?.dataFlow ?? StageDataFlow() }
    var options: [JSONValue.Member] = []
    var inputs: [ResolvedPipeline.Origin] = []
    var sources: [SceneReference: ResolvedPipeline.Origin] = [:]
    var when: Condition?
    var scope: StageScope?
    var expect: Condition?
    var isEnabled = true
    var note = ""
  }

  /// A partial ``ResolvedPipeline/ResolvedOutput``.
  struct OutputPlan {
    var entry: PipelineDocument.OutputEntry
    var level: String?
    var path: String?
    var format: FormatWriter?
    var options: [JSONValue.Member] = []
    var limit: OutputLimit?
    var from: ResolvedPipeline.Origin?
    /// The origins of the other levels in the same file, all before ``from``.
    var otherLevels: [ResolvedPipeline.Origin] = []
    var up: SignedAxis?
    var when: Condition?
    var hasAxisWarning = false
    var note = ""

    var origins: [ResolvedPipeline.Origin] { otherLevels + (from.map { [$0] } ?? []) }
  }

  init(
    _ document: PipelineDocument, _ environment: PipelineEnvironment, _ request: PipelineRequest
  ) {
    self.document = document
    self.environment = environment
    self.request = request
    source = document.source
    diagnostics = document.diagnostics
  }

  mutating func resolve() -> PipelineResolution {
    resolveInput()
    bindVariables()
    bindLevels()
    resolveJoinedInputs()
    resolveStages()
    resolveOutputs()
    settleMesh()
    settleFrames()
    settleRoom()
    checkDataFlow()
    reportUnusedVariables()
    mergeLevelDiagnostics()
    let isValid = !diagnostics.contains { $0.severity == .error }
    return PipelineResolution(
      pipeline: isValid ? pipeline() : nil, diagnostics: sorted(), usesFrames: wantsFrames,
      usesRoom: wantsRoom)
  }

  /// The pipeline of a document without errors.
  private func pipeline() -> ResolvedPipeline? {
    var resolved = ResolvedPipeline(
      file: source.file, about: document.about, input: inputPath, inputName: inputName,
      inputFormat: inputFormat, frames: frames, variables: [], stages: [], outputs: [])
    resolved.inputReading = request.inputReading
    resolved.joined = joinedInputs
    resolved.otherMeshes = otherMeshes
    resolved.otherInputs = otherInputs
    resolved.room = room
    resolved.optionFiles = optionFiles.map(\.path)
    resolved.remedy = { [stages = environment.stages] in stages.remedy(for: $0) }
    resolved.variables = document.variables.compactMap { variable in
      bindings[variable.name].map { .init(name: variable.name, value: $0.value) }
    }
    resolved.levels = levels.map { level in
      .init(
        name: level.name,
        variables: document.variables.compactMap { variable in
          guard levelVariables.contains(variable.name) else { return nil }
          return level.bindings[variable.name].map { .init(name: variable.name, value: $0.value) }
        })
    }
    for plan in stages {
      guard let definition = plan.definition, let stage = plan.stage else { return nil }
      resolved.stages.append(
        ResolvedPipeline.ResolvedStage(
          id: plan.level.map { "\($0).\(plan.id)" } ?? plan.id, level: plan.level, name: plan.name,
          definition: definition, stage: stage,
          options: plan.options, inputs: plan.inputs, sources: plan.sources, when: plan.when,
          scope: plan.scope, expect: plan.expect,
          onError: plan.entry.onError, isOptional: plan.entry.isOptional,
          isEnabled: plan.isEnabled, note: plan.note))
    }
    for plan in outputs {
      guard let path = plan.path, let format = plan.format, let from = plan.from else { return nil }
      resolved.outputs.append(
        ResolvedPipeline.ResolvedOutput(
          path: path, level: plan.level, format: format, options: plan.options, from: from,
          otherLevels: plan.otherLevels,
          up: plan.up,
          when: plan.when, isOptional: plan.entry.isOptional, loses: plan.entry.loses,
          limit: plan.limit, hasAxisWarning: plan.hasAxisWarning, note: plan.note))
    }
    return resolved
  }

  /// The diagnostics in the order of the file, those of arguments last.
  private func sorted() -> [Diagnostic] {
    func isFromFile(_ diagnostic: Diagnostic) -> Bool { diagnostic.position != .none }
    let ordered = diagnostics.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if isFromFile(a) != isFromFile(b) { return isFromFile(a) }
      return a.position == b.position ? left.offset < right.offset : a.position < b.position
    }
    return ordered.map(\.element)
  }
}

// MARK: Reporting

extension PipelineResolver {
  mutating func report(
    _ message: String, at position: SourcePosition, _ path: JSONPath,
    exitCode: ExitCode = .configuration
  ) {
    add(.error, message, at: position, path, exitCode)
  }

  mutating func warn(_ message: String, at position: SourcePosition, _ path: JSONPath) {
    add(.warning, message, at: position, path, .configuration)
  }

  private mutating func add(
    _ severity: Diagnostic.Severity, _ message: String, at position: SourcePosition,
    _ path: JSONPath, _ exitCode: ExitCode
  ) {
    let place = source.locate(position)
    let isArgument = position.line < 0
    let diagnostic = Diagnostic(
      severity, file: place.file, position: place.position,
      // A path into a document made of arguments would not help.
      path: isArgument ? JSONPath() : path, message: message,
      exitCode: isArgument && exitCode == .configuration ? .usage : exitCode)
    if let level {
      levelDiagnostics.append((level, diagnostic))
    } else {
      diagnostics.append(diagnostic)
    }
  }

  /// Warns about an argument that gave no value.
  mutating func add(warning message: String) {
    diagnostics.append(Diagnostic(.warning, message: message))
  }

  /// Reports the problem with an argument that gave no value.
  mutating func reportArgument(
    _ message: String, file: String = "", exitCode: ExitCode = .usage
  ) {
    diagnostics.append(Diagnostic(file: file, message: message, exitCode: exitCode))
  }
}

extension FormatRegistry {
  /// The ids of the readable formats, sorted.
  package var readableIDs: [String] {
    formats.filter { $0.reader != nil }.map(\.id).sorted()
  }
  /// The ids of the writable formats, sorted.
  package var writableIDs: [String] { writers.map(\.id).sorted() }
  /// The formats that can be written.
  package var writers: [FormatWriter] { formats.compactMap(\.writer) }
}
