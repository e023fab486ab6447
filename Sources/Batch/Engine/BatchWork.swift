public import MeshPipeline

/// What is done with every item of a batch, in a form that goes to the workers as a line of JSON.
public struct BatchWork: Sendable, Equatable {
  /// Where the pipeline comes from.
  public enum Pipeline: Sendable, Equatable {
    /// The text of a file, read once, so that all items get the same one.
    case file(name: String, text: String)
    /// Texts of one-line stages.
    case stages([String])
  }

  public var pipeline: Pipeline
  /// The files that the pipeline includes, read once too.
  public var includes: [PipelineDocument.Include] = []
  public var variables: [String] = []
  public var fileVariables: [PipelineRequest.FileVariable] = []
  public var settings: [String] = []
  /// The ids of the stages to begin and to end with.
  public var firstStage: String?
  public var lastStage: String?
  /// The id of the inputs' format, when their extensions do not tell.
  public var inputFormat: String?
  public var inputUp: SignedAxis?
  public var inputMetersPerUnit: Double?
  public var outputFormat: String?
  public var frames = FramesRequest.besideInput
  /// How the user said where the frames are; nil for nothing said.
  public var framesWords: String?
  public var framesReading = PoseReading()
  public var overwriting = OutputTransaction.Overwriting.allowed
  public var touchesUnchanged = false
  public var allowsExternalFiles = false
  public var warningsAreErrors = false
  /// The folder of the batch in which pictures of the results are kept; nil for no pictures.
  public var pictures: BatchFolder?
  /// The folders in which plugins are looked for.
  public var pluginFolders: [String] = []
  /// How many threads a worker may use.
  public var threads = 1

  public init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
  }

  /// The pipeline as it was written.
  public var document: PipelineDocument {
    switch pipeline {
    case .file(let name, let text):
      PipelineDocument(parsing: text, file: name, includes: includes)
    case .stages(let stages): PipelineDocument(stages: stages)
    }
  }

  /// What is asked of the pipeline for one input, or for any.
  public func request(input: String? = nil, output: String? = nil) -> PipelineRequest {
    var request = PipelineRequest(
      input: input, output: output, variables: variables, settings: settings)
    request.fileVariables = fileVariables
    request.firstStage = firstStage
    request.lastStage = lastStage
    request.inputFormat = inputFormat
    request.outputFormat = outputFormat
    request.frames = frames
    request.framesReading = framesReading
    request.climbing = allowsExternalFiles ? .allowed : .refused
    return request
  }

  /// How a worker runs each item.
  var runnerOptions: PipelineRunner.Options {
    var options = PipelineRunner.Options()
    options.overwriting = overwriting
    options.touchesUnchanged = touchesUnchanged
    options.hashesOutputs = true
    options.allowsExternalFiles = allowsExternalFiles
    options.inputUp = inputUp
    options.inputMetersPerUnit = inputMetersPerUnit
    options.warningsAreErrors = warningsAreErrors
    return options
  }

  /// All that outputs depend on, beside the pipeline and the bytes of the inputs.
  ///
  /// Everything is, but for what is known to change no byte: what is forgotten here costs time, and no result that is
  /// taken for current and isn't.
  var recipe: [JSONValue.Member] {
    guard case .object(let members) = json.content else { return [] }
    return members.filter { !Self.withoutEffect.contains($0.key) }
  }

  /// What changes no byte of an output, or does so through the resolved pipeline, which is a part of the recipe.
  private static let withoutEffect: Set<String> = [
    "file", "text", "stages", "variables", "settings", "outputFormat",
    "overwriting", "touch", "pictures", "plugins", "threads",
    // An archive is unpacked at another place each time; what the user wrote stands beside it.
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
    add("from", Self.text(firstStage))
    add("to", Self.text(lastStage))
    add("inputFormat", Self.text(inputFormat))
    add("inputUp", Self.text(inputUp?.rawValue))
    if let inputMetersPerUnit { add("inputUnit", JSONValue(.number(inputMetersPerUnit))) }
    add("outputFormat", Self.text(outputFormat))
    switch frames {
    case .besideInput: break
    case .none: add("frames", false)
    case .path(let path): add("frames", JSONValue(.string(path)))
    }
    add("framesWords", Self.text(framesWords))
    add("framesReading", framesReading.json)
    add("overwriting", Self.text(overwriting.name))
    add("touch", JSONValue(.bool(touchesUnchanged)))
    add("allowExternal", JSONValue(.bool(allowsExternalFiles)))
    add("strict", JSONValue(.bool(warningsAreErrors)))
    add("pictures", Self.text(pictures?.root))
    add("plugins", Self.list(pluginFolders))
    add("threads", JSONValue(.number(Double(threads))))
    return JSONValue(.object(members))
  }

  private static func list(_ texts: [String]) -> JSONValue {
    JSONValue(.array(texts.map { JSONValue(.string($0)) }))
  }

  private static func text(_ text: String?) -> JSONValue? { text.map { JSONValue(.string($0)) } }

  /// - Returns: Nil when it is not what ``json`` gives.
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
    firstStage = json["from"]?.text
    lastStage = json["to"]?.text
    settings = json["settings"]?.elements.compactMap(\.text) ?? []
    inputFormat = json["inputFormat"]?.text
    if let axis = json["inputUp"]?.text { inputUp = SignedAxis(rawValue: axis) }
    inputMetersPerUnit = json["inputUnit"]?.number
    outputFormat = json["outputFormat"]?.text
    if let path = json["frames"]?.text {
      frames = .path(path)
    } else if json["frames"] != nil {
      frames = .none
    }
    framesWords = json["framesWords"]?.text
    if let reading = json["framesReading"] { framesReading = PoseReading(reading) }
    if let name = json["overwriting"]?.text { overwriting = .init(name: name) ?? .allowed }
    touchesUnchanged = json["touch"]?.isTrue ?? false
    allowsExternalFiles = json["allowExternal"]?.isTrue ?? false
    warningsAreErrors = json["strict"]?.isTrue ?? false
    pictures = json["pictures"]?.text.map { BatchFolder(root: $0) }
    pluginFolders = json["plugins"]?.elements.compactMap(\.text) ?? []
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

extension OutputTransaction.Overwriting {
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
