import MeshpipeKit

/// Completion candidates that depend on files or on other words of the command line.
///
/// The shells' scripts call `meshpipe --complete KIND WORD BEFORE…`, where WORD is the word typed
/// so far and BEFORE are all words between the command's name and it.
struct CompletionCandidates {
  static let option = "--complete"

  private let kind: CompletionKind?
  private let word: String
  private let before: [String]

  /// - Parameter stages: The program's own stages.
  init(_ words: ArraySlice<String>, stages: [any Stage.Type]) {
    let words = Array(words)
    kind = words.first.flatMap { CompletionKind(rawValue: $0) }
    word = words.dropFirst().first ?? ""
    before = Array(words.dropFirst(2))
    environment = CommandEnvironment(
      stages, .standard(chosen: Self.pluginFolders(in: before)))
  }

  /// The candidates that begin with the word.
  var lines: [String] {
    let found: [String] =
      switch kind {
      case .pipeline:
        PipelineLibrary.standard().entries().map(\.name) + files(where: isPipelineOrScan)
      case .scan: files(where: isScan)
      case .stage: stageWords
      case .stageID: pipeline?.stageNames.map(\.id) ?? []
      case .setting: settings
      case .variable: variables
      case .level: pipeline?.levels.map(\.name) ?? []
      case .view: Viewpoint.names
      case .readFormat: environment.pipelines.formats.readableIDs
      case .writtenFormat: environment.pipelines.formats.writableIDs
      case nil: []
      }
    return found.filter { $0.hasPrefix(word) }
  }

  /// The plugin folders given in the words.
  private static func pluginFolders(in words: [String]) -> [String] {
    let name = Option.setting(\.$pluginFolders).name
    let apart = zip(words, words.dropFirst()).filter { $0.0 == name }.map(\.1)
    let attached = words.filter { $0.hasPrefix("\(name)=") }.map { $0.dropFirst(name.count + 1) }
    return apart + attached.map(String.init)
  }

  // MARK: Files

  /// The files in the folder of the word, and its folders with a trailing slash.
  private func files(where fits: (String) -> Bool) -> [String] {
    let slash = word.lastIndex(of: "/")
    let start = slash.map { String(word[...$0]) } ?? ""
    let names = (try? FileSystem.names(inFolder: start.isEmpty ? "." : start)) ?? []
    let isHidden = word[(slash.map { word.index(after: $0) } ?? word.startIndex)...].hasPrefix(".")
    return names.sorted().compactMap { name in
      if name.hasPrefix("."), !isHidden { return nil }
      let path = start + name
      if FileSystem.isFolder(path) { return path + "/" }
      return fits(path) ? path : nil
    }
  }

  private func isScan(_ path: String) -> Bool {
    CaptureArchive.stem(of: path) != nil
      || environment.pipelines.formats.reader(forPath: path) != nil
  }

  private func isPipelineOrScan(_ path: String) -> Bool {
    PipelineLibrary.extensions.contains(fileExtension(of: path)) || isScan(path)
  }

  // MARK: Stages

  private let environment: CommandEnvironment

  private var stageWords: [String] {
    let stages = environment.pipelines.stages
    guard let blank = word.lastIndex(of: " ") else { return stages.names }
    let name = String(word.prefix { $0 != " " })
    let start = String(word[...blank])
    return (stages[name]?.parameters ?? []).map { "\(start)\($0.name)=" }
  }

  private var settings: [String] {
    let stages = environment.pipelines.stages
    let ofStages = (pipeline?.stageNames ?? []).flatMap { stage in
      (stages[stage.use]?.parameters ?? []).map { "\(stage.id).\($0.name)=" }
    }
    // Outputs may be named by variables or after the cursor: all formats are offered.
    return ofStages
      + environment.pipelines.formats.writers.flatMap { format in
        format.options.map { "\(format.id).\($0.name)=" }
      }
  }

  private var variables: [String] {
    let variables = pipeline?.variables ?? []
    guard let equals = word.firstIndex(of: "=") else { return variables.map { "\($0.name)=" } }
    let name = word[..<equals]
    guard let variable = variables.first(where: { $0.name == name }) else { return [] }
    return variable.usualValues.map { "\(name)=\($0)" }
  }

  // MARK: The pipeline

  /// The pipeline given in the words: a file, a name, or stages with -s.
  private var pipeline: PipelineDocument? {
    guard let (verb, rest) = try? CommandTable.call(before[...]) else { return nil }
    var stages: [String] = []
    var operand: String?
    var words = rest
    while let word = words.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        operand = operand ?? word
        continue
      }
      guard let (option, attached) = verb.option(in: word), option.value != nil else {
        continue
      }
      let value = attached ?? words.popFirst() ?? ""
      if option.name == Option.stage.name { stages.append(value) }
    }
    if !stages.isEmpty { return PipelineDocument(stages: stages) }
    guard let operand, let path = try? PipelineLibrary.standard().path(of: operand) else {
      return nil
    }
    return try? PipelineDocument(path: path)
  }
}

extension PipelineDocument {
  /// The id and the stage of each step.
  fileprivate var stageNames: [(id: String, use: String)] {
    stages.compactMap { stage in
      stage.use.map { (id: stage.id?.value ?? $0.value, use: $0.value) }
    }
  }
}

extension PipelineDocument.Variable {
  /// Typical values to choose from.
  fileprivate var usualValues: [String] {
    if let choices = bounds.choices { return choices.map { $0.text ?? $0.compactText } }
    switch type {
    case .bool: return ["true", "false"]
    case .choice(let names): return names
    default: return defaultValue.map { [$0.shortText] } ?? []
    }
  }
}
