import MeshpipeBase

extension PipelineDocument {
  /// Reads an included file.
  typealias IncludeReader = (String) throws(FileError) -> [UInt8]

  /// The state while included files are read.
  struct Inclusion {
    let reading: IncludeReader
    /// The files being read, the document first.
    var files: [String]
    /// The variables that included files declare.
    var variables: [Variable] = []
  }

  /// The maximum depth of includes.
  private static let deepest = 16

  mutating func decodeStages(
    _ value: JSONValue, at path: JSONPath, _ inclusion: inout Inclusion
  ) {
    for (index, entry) in array(value, at: path, "stages").enumerated() {
      if entry["include"] != nil {
        include(entry, at: path[index], &inclusion)
      } else {
        decodeStage(entry, at: path[index])
      }
    }
  }

  /// Replaces an entry by the stages of another pipeline file.
  private mutating func include(
    _ value: JSONValue, at path: JSONPath, _ inclusion: inout Inclusion
  ) {
    guard let members = object(value, at: path, "an include", keys: Keys.include),
      let member = members.first(where: { $0.key == "include" }),
      let name = text(member.value, at: path["include"])
    else { return }
    let current = inclusion.files.last ?? ""
    let file =
      name.value.hasPrefix("/") || current.isEmpty
      ? name.value : FileSystem.path(of: name.value, beside: current)
    if inclusion.files.contains(file) {
      return report("'\(file)' includes itself", at: name.position, name.path)
    }
    guard inclusion.files.count < Self.deepest else {
      return report(
        "more than \(Self.deepest) files include one another", at: name.position, name.path)
    }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try inclusion.reading(file)
    } catch {
      return report(error.message, at: name.position, name.path)
    }
    if !includes.contains(where: { $0.path == file }) {
      includes.append(Include(path: file, text: String(decoding: bytes, as: UTF8.self)))
    }
    let result = JSONReader.read(bytes, file: file)
    diagnostics += result.diagnostics
    guard let root = result.value else { return }
    inclusion.files.append(file)
    decodeIncluded(root.moved(to: source.add(included: file)), &inclusion)
    inclusion.files.removeLast()
  }

  /// Takes stages and variables of an included pipeline; its outputs are ignored.
  private mutating func decodeIncluded(_ value: JSONValue, _ inclusion: inout Inclusion) {
    let root = JSONPath()
    guard let members = object(value, at: root, "the pipeline", keys: Keys.document) else { return }
    for member in members {
      switch member.key {
      case "meshpipe": decodeVersion(member.value, at: root[member.key])
      case "stages": decodeStages(member.value, at: root[member.key], &inclusion)
      case "variables":
        let own = variables
        variables = []
        decodeVariables(member.value, at: root[member.key])
        inclusion.variables += variables
        variables = own
      default: break
      }
    }
  }

  /// Declares the variables of included files that the document does not declare itself.
  mutating func declare(_ included: [Variable]) {
    for variable in included where !variables.contains(where: { $0.name == variable.name }) {
      variables.append(variable)
    }
  }
}

extension JSONValue {
  /// The same value as part of an included file.
  func moved(to file: PipelineSource.IncludedFile) -> JSONValue {
    let position = file.position(self.position)
    switch content {
    case .array(let elements):
      return JSONValue(.array(elements.map { $0.moved(to: file) }), at: position)
    case .object(let members):
      let moved = members.map {
        Member($0.key, $0.value.moved(to: file), keyPosition: file.position($0.keyPosition))
      }
      return JSONValue(.object(moved), at: position)
    default: return JSONValue(content, at: position)
    }
  }
}
