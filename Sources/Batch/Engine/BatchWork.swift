package import MeshPipeline

/// The work for every item of a batch, in a form that is sent to the workers as a line of JSON.
package struct BatchWork: Sendable, Equatable {
  /// The source of the pipeline.
  package enum Pipeline: Sendable, Equatable {
    /// The text of a file, read once so that all items use the same.
    case file(name: String, text: String)
    /// Texts of one-line stages.
    case stages([String])
  }

  /// The pipeline, read once for all items.
  package var pipeline: Pipeline
  /// The included files, also read once.
  package var includes: [PipelineDocument.Include] = []
  /// Values of variables, as `name=value`.
  package var variables: [String] = []
  /// Values of variables from files.
  package var fileVariables: [PipelineRequest.FileVariable] = []
  /// Values of options, as `stage.option=value`.
  package var settings: [String] = []
  /// The names of the levels to run; empty for all that are enabled.
  package var levels: [String] = []
  /// The ids of the first and last stage to run.
  package var firstStage: String?
  package var lastStage: String?
  /// The id of the inputs' format, if their extensions don't determine it.
  package var inputFormat: String?
  /// What the user says of the inputs, overriding their files.
  package var inputReading = InputReading()
  /// The id of the outputs' format, if their extension does not determine it.
  package var outputFormat: String?
  /// Where the frames of each item are.
  package var frames = CompanionRequest.besideInput
  /// Where the room of each item is.
  package var room = CompanionRequest.besideInput
  /// The location of the frames; nil if not given.
  package var framesWords: String?
  /// The interpretation of the frames' poses.
  package var framesReading = PoseReading()
  /// Whether existing files may be replaced.
  package var overwriting = PipelineRunner.Overwriting.allowed
  /// Whether unchanged files get a new modification time.
  package var touchesUnchanged = false
  /// Whether side files outside the folder of an item may be opened.
  package var allowsExternalFiles = false
  /// Whether an item with warnings fails.
  package var warningsAreErrors = false
  /// The folder of the batch for images of the results; nil for no images.
  package var pictures: BatchFolder?
  /// The folders to search for plugins.
  package var pluginFolders: [String] = []
  /// Where the outputs of each item are sent; nil for no upload.
  package var upload: UploadOrder?
  /// The number of threads of a worker.
  package var threads = 1

  package init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
  }

  /// The pipeline as written.
  package var document: PipelineDocument {
    switch pipeline {
    case .file(let name, let text):
      PipelineDocument(parsing: text, file: name, includes: includes)
    case .stages(let stages): PipelineDocument(stages: stages)
    }
  }

  /// The request to the pipeline for one input, or for any.
  package func request(input: String? = nil, output: String? = nil) -> PipelineRequest {
    var request = PipelineRequest(
      input: input, output: output, variables: variables, settings: settings)
    request.fileVariables = fileVariables
    request.levels = levels
    request.firstStage = firstStage
    request.lastStage = lastStage
    request.inputFormat = inputFormat
    request.inputReading = inputReading
    request.outputFormat = outputFormat
    request.frames = frames
    request.framesReading = framesReading
    request.room = room
    request.climbing = allowsExternalFiles ? .allowed : .refused
    return request
  }

  /// The options of a worker for each item.
  var runnerOptions: PipelineRunner.Options {
    var options = PipelineRunner.Options()
    options.overwriting = overwriting
    options.touchesUnchanged = touchesUnchanged
    options.hashesOutputs = true
    options.allowsExternalFiles = allowsExternalFiles
    options.warningsAreErrors = warningsAreErrors
    return options
  }

  /// Everything that outputs depend on, besides the pipeline and the bytes of the inputs.
  ///
  /// It includes everything that is not known to be irrelevant: a superfluous entry costs time,
  /// while a missing one would make stale results look current.
  var recipe: [JSONValue.Member] {
    guard case .object(let members) = json.content else { return [] }
    return members.filter { !Self.withoutEffect.contains($0.key) }
  }

  /// Options that don't affect outputs, or only through the resolved pipeline, which is part of the
  /// recipe.
  private static let withoutEffect: Set<String> = [
    "file", "text", "stages", "variables", "settings", "outputFormat",
    "overwriting", "touch", "pictures", "plugins", "threads", "uploadOptions",
    // An archive is unpacked to another path each time; the user's path is recorded separately.
    "frames",
  ]
}

// MARK: JSON

extension BatchWork {
  var json: JSONValue {
    var members: [JSONValue.Member] = []
    func add(_ key: String, _ value: JSONValue?) {
      if let value { members.append(.init(key, value)) }
    }
    switch pipeline {
    case .file(let name, let text):
      add("file", JSONValue(.string(name)))
      add("text", JSONValue(.string(text)))
    case .stages(let stages): add("stages", Self.list(stages))
    }
    let texts = includes.map { JSONValue.Member($0.path, JSONValue(.string($0.text))) }
    add("includes", JSONValue(.object(texts)))
    add("variables", Self.list(variables))
    add("fileVariables", JSONValue(.array(fileVariables.map(\.json))))
    add("settings", Self.list(settings))
    if !levels.isEmpty { add("levels", Self.list(levels)) }
    add("from", Self.text(firstStage))
    add("to", Self.text(lastStage))
    add("inputFormat", Self.text(inputFormat))
    add("inputReading", inputReading.json)
    add("outputFormat", Self.text(outputFormat))
    add("frames", frames.json)
    add("room", room.json)
    add("framesWords", Self.text(framesWords))
    add("framesReading", framesReading.json)
    add("overwriting", Self.text(overwriting.name))
    add("touch", JSONValue(.bool(touchesUnchanged)))
    add("allowExternal", JSONValue(.bool(allowsExternalFiles)))
    add("strict", JSONValue(.bool(warningsAreErrors)))
    add("pictures", Self.text(pictures?.root))
    add("plugins", Self.list(pluginFolders))
    // An item that was sent elsewhere is not up to date.
    add("upload", Self.text(upload?.url))
    add("uploadOptions", upload?.options)
    add("threads", JSONValue(.number(Double(threads))))
    return JSONValue(.object(members))
  }

  private static func list(_ texts: [String]) -> JSONValue {
    JSONValue(.array(texts.map { JSONValue(.string($0)) }))
  }

  private static func text(_ text: String?) -> JSONValue? { text.map { JSONValue(.string($0)) } }

  /// - Returns: Nil if it is not the result of ``json``.
  init?(_ json: JSONValue) {
    if let text = json["text"]?.text {
      self.init(.file(name: json["file"]?.text ?? "", text: text))
    } else if let stages = json["stages"] {
      self.init(.stages(stages.elements.compactMap(\.text)))
    } else {
      return nil
    }
    if case .object(let members)? = json["includes"]?.content {
      includes = members.map { .init(path: $0.key, text: $0.value.text ?? "") }
    }
    variables = json["variables"]?.elements.compactMap(\.text) ?? []
    fileVariables = json["fileVariables"]?.elements.compactMap { .init($0) } ?? []
    levels = json["levels"]?.elements.compactMap(\.text) ?? []
    firstStage = json["from"]?.text
    lastStage = json["to"]?.text
    settings = json["settings"]?.elements.compactMap(\.text) ?? []
    inputFormat = json["inputFormat"]?.text
    inputReading = InputReading(json["inputReading"])
    outputFormat = json["outputFormat"]?.text
    frames = CompanionRequest(json["frames"])
    room = CompanionRequest(json["room"])
    framesWords = json["framesWords"]?.text
    if let reading = json["framesReading"] { framesReading = PoseReading(reading) }
    if let name = json["overwriting"]?.text { overwriting = .init(name: name) ?? .allowed }
    touchesUnchanged = json["touch"]?.isTrue ?? false
    allowsExternalFiles = json["allowExternal"]?.isTrue ?? false
    warningsAreErrors = json["strict"]?.isTrue ?? false
    pictures = json["pictures"]?.text.map { BatchFolder(root: $0) }
    pluginFolders = json["plugins"]?.elements.compactMap(\.text) ?? []
    upload = UploadOrder(url: json["upload"], options: json["uploadOptions"])
    threads = max(1, json["threads"]?.wholeNumber ?? 1)
  }
}

extension PipelineRequest.FileVariable {
  fileprivate var json: JSONValue {
    ["file": JSONValue(.string(file)), "name": JSONValue(.string(name)), "value": value]
  }

  fileprivate init?(_ json: JSONValue) {
    guard let file = json["file"]?.text, let name = json["name"]?.text, let value = json["value"]
    else { return nil }
    self.init(file: file, name: name, value: value.withoutPositions)
  }
}

extension PipelineRunner.Overwriting {
  fileprivate var name: String {
    switch self {
    case .allowed: "allowed"
    case .never: "never"
    case .forced: "forced"
    }
  }

  fileprivate init?(name: String) {
    switch name {
    case "allowed": self = .allowed
    case "never": self = .never
    case "forced": self = .forced
    default: return nil
    }
  }
}

extension CompanionRequest {
  /// The path, or `false`; nil for what is beside the scan.
  fileprivate var json: JSONValue? {
    switch self {
    case .besideInput: nil
    case .none: false
    case .path(let path): JSONValue(.string(path))
    }
  }

  fileprivate init(_ json: JSONValue?) {
    guard let json else {
      self = .besideInput
      return
    }
    self = json.text.map { CompanionRequest.path($0) } ?? CompanionRequest.none
  }
}
