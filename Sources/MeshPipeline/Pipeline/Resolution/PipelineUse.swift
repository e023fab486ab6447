import MeshpipeBase

/// One use of a document: with the stages and formats that there are, and what a request says.
struct PipelineUse {
  let document: PipelineDocument
  let environment: PipelineEnvironment
  let request: PipelineRequest
  /// Whether the input is a folder, and so a capture.
  let hasInputFolder: Bool

  init(
    of document: PipelineDocument, in environment: PipelineEnvironment, for request: PipelineRequest
  ) {
    self.document = document
    self.environment = environment
    self.request = request
    hasInputFolder = request.input.map(FileSystem.isFolder) ?? false
  }

  /// The value of a built-in variable: nil if there is none, and the variable itself as long as there is no input.
  func value(of variable: BuiltInVariable) -> String? {
    guard let input = request.input else { return "${\(variable.rawValue)}" }
    return variable.value(forInput: input, isFolder: hasInputFolder, archive: request.archive)
  }

  /// Why a name is not that of a level; nil if it is.
  func problem(withLevel name: String) -> String? {
    let names = document.levels.map(\.name)
    if names.contains(name) { return nil }
    return names.isEmpty
      ? "the pipeline has no levels" : "unknown level '\(name)'" + nameHint(name, among: names)
  }

  /// Whether a file is given with `-o` in the place of an output of the document.
  func replacesOutput(_ path: String) -> Bool {
    request.givenOutputs.contains(path) && !document.outputs.isEmpty
  }
}

extension String {
  /// The texts before and after the first `=`; nil if there is none or nothing before it.
  package func splitAtEquals() -> (name: String, value: String)? {
    guard let equals = firstIndex(of: "="), equals != startIndex else { return nil }
    return (String(self[..<equals]).trimmingSpaces(), String(self[index(after: equals)...]))
  }

  /// The text as typed in a shell: in quotes if it has spaces or special characters.
  package var shellQuoted: String {
    let isPlain = !isEmpty && allSatisfy { $0.isLetter || $0.isNumber || "-_=.,/%+:@".contains($0) }
    if isPlain { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }

  /// Whether an option that takes words means a file by the text.
  package var isPathOfJSON: Bool { contains("/") || fileExtension(of: self) == "json" }
}
