import MeshpipeBase

/// What the steps of a resolution find: mistakes, and which variables a document uses.
///
/// Each step begins with the findings of the one before it and yields them with its own, since arguments, and files
/// that options name, are numbered in the order in which they are met. ``InputFiles`` meets neither, and yields
/// diagnostics alone.
struct Findings {
  /// The document's source with the arguments of the request, and the files that options name.
  private(set) var source: PipelineSource
  /// The files that options name, with what is in them; nil where that is at fault, which was reported.
  private(set) var optionFiles: [(path: String, value: JSONValue?)] = []
  private(set) var usedVariables: Set<String> = []
  /// In the order in which they were found; nil as a level for what is done once.
  private var reports: [(level: String?, diagnostic: Diagnostic)] = []

  /// The findings in the text of a document, and then others.
  init(_ document: PipelineDocument, _ diagnostics: [Diagnostic]) {
    source = document.source
    add(document.diagnostics + diagnostics)
  }

  mutating func add(_ diagnostics: [Diagnostic]) { reports += diagnostics.map { (nil, $0) } }

  mutating func add(_ diagnostic: Diagnostic) { reports.append((nil, diagnostic)) }

  mutating func report(
    _ message: String, at location: some Positioned, in level: String? = nil,
    _ severity: Diagnostic.Severity = .error, exitCode: ExitCode = .configuration
  ) {
    let (file, position) = source.locate(location.position)
    let isArgument = location.position.isArgument
    let diagnostic = Diagnostic(
      severity, file: file, position: position,
      // A path into a document made of arguments would not help.
      path: isArgument ? JSONPath() : location.path, message: message,
      exitCode: isArgument && exitCode == .configuration ? .usage : exitCode)
    reports.append((level, diagnostic))
  }

  mutating func use(variable name: String) { usedVariables.insert(name) }

  /// Adds an argument of the request, and returns where its value stands.
  mutating func location(ofArgument text: String) -> DocumentLocation {
    DocumentLocation(source.add(argument: text))
  }

  /// The content of a file that an option names, which is read once.
  ///
  /// - Returns: Nil if the file is at fault, which is reported.
  mutating func content(
    ofFile path: String, namedAt location: DocumentLocation, in level: String?
  ) -> JSONValue? {
    if let known = optionFiles.first(where: { $0.path == path }) { return known.value }
    let content = read(path, namedAt: location, in: level)
    optionFiles.append((path, content))
    return content
  }

  private mutating func read(
    _ path: String, namedAt location: DocumentLocation, in level: String?
  ) -> JSONValue? {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileSystem.contents(of: path, limit: PipelineDocument.largestFile)
    } catch {
      report(error.message, at: location, in: level)
      return nil
    }
    let result = JSONReader.read(bytes, file: path)
    add(result.diagnostics)
    guard let value = result.value, result.diagnostics.isEmpty else { return nil }
    let moved = value.moved(to: source.add(included: path))
    guard case .object = moved.content else {
      report(
        "expected an object of options, found \(value.kindDescription)",
        at: DocumentLocation(moved.position, location.path), in: level)
      return nil
    }
    return moved
  }

  /// All diagnostics in the order of the file, those of arguments last.
  ///
  /// A mistake is told once, with the names of the levels if not all of them have it.
  func diagnostics(of levels: [String]) -> [Diagnostic] {
    var merged: [(diagnostic: Diagnostic, levels: [String])] = []
    for (level, diagnostic) in reports {
      guard let level else { continue }
      if let index = merged.firstIndex(where: { $0.diagnostic == diagnostic }) {
        if !merged[index].levels.contains(level) { merged[index].levels.append(level) }
      } else {
        merged.append((diagnostic, [level]))
      }
    }
    let ofLevels = merged.map { diagnostic, names in
      guard names.count < levels.count else { return diagnostic }
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      var diagnostic = diagnostic
      diagnostic.message += " (level\(names.count > 1 ? "s" : "") \(list))"
      return diagnostic
    }
    return Self.sorted(reports.filter { $0.level == nil }.map(\.diagnostic) + ofLevels)
  }

  private static func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    func isFromFile(_ diagnostic: Diagnostic) -> Bool { diagnostic.position != .none }
    let ordered = diagnostics.enumerated().sorted { left, right in
      let (a, b) = (left.element, right.element)
      if isFromFile(a) != isFromFile(b) { return isFromFile(a) }
      return a.position == b.position ? left.offset < right.offset : a.position < b.position
    }
    return ordered.map(\.element)
  }
}

extension Diagnostic {
  /// A mistake in the request that is not in one of its values.
  static func usage(
    _ message: String, of argument: String = "", exitCode: ExitCode = .usage
  ) -> Diagnostic {
    Diagnostic(file: argument, message: message, exitCode: exitCode)
  }
}

/// What stands in a document: its position in the text, and its path.
protocol Positioned {
  var position: SourcePosition { get }
  var path: JSONPath { get }
}

extension Positioned {
  var location: DocumentLocation { DocumentLocation(position, path) }
}

struct DocumentLocation: Positioned {
  var position: SourcePosition
  var path: JSONPath

  /// - Parameter path: Empty for what stands in an argument.
  init(_ position: SourcePosition, _ path: JSONPath = JSONPath()) {
    (self.position, self.path) = (position, path)
  }
}

extension PipelineDocument.Located: Positioned {}
extension PipelineDocument.Variable: Positioned {}
extension PipelineDocument.InputEntry: Positioned {}
extension PipelineDocument.StageEntry: Positioned {}
extension PipelineDocument.OutputEntry: Positioned {}

typealias StageEntry = PipelineDocument.StageEntry
typealias OutputEntry = PipelineDocument.OutputEntry
typealias WrittenText = PipelineDocument.Located<String>
typealias WrittenValue = PipelineDocument.Located<JSONValue>

typealias ResolvedStage = ResolvedPipeline.ResolvedStage
typealias ResolvedOutput = ResolvedPipeline.ResolvedOutput
typealias SceneOrigin = ResolvedPipeline.Origin
