import MeshpipeBase

/// The inputs and outputs of a run, by which the next run finds out that there is nothing to do.
///
/// Kept in a hidden file next to the main output. Files are compared by size and time, and by
/// SHA-256 where these are not conclusive.
package struct BuildStamp: Sendable, Equatable {
  /// The version of the stamp's format.
  static let formatVersion = 1

  /// The recorded state of a file.
  package struct Entry: Sendable, Equatable {
    package var path: String
    package var size: Int
    /// In nanoseconds since 1970.
    package var modified: Int64
    package var sha256: String

    /// Records the state and the hash of a file.
    init(hashing path: String) throws {
      guard let status = try FileSystem.status(of: path) else {
        throw FileError(.examine, path)
      }
      self.init(
        path: path, size: status.size, modified: status.modified,
        sha256: try SHA256.hexadecimal(ofFile: path))
    }

    init(path: String, size: Int, modified: Int64, sha256: String) {
      self.path = path
      self.size = size
      self.modified = modified
      self.sha256 = sha256
    }
  }

  /// The hash of everything else that the outputs depend on: the resolved pipeline, options and the
  /// version of meshpipe.
  package var recipe: String
  package var inputs: [Entry]
  package var outputs: [Entry]
  /// Paths of files that did not exist, but would change the outputs if they did.
  package var missing: [String]
  /// When the files were recorded, in nanoseconds since 1970.
  package var time: Int64

  /// Records a run.
  ///
  /// - Parameters:
  ///   - recipe: Everything that the outputs depend on besides the inputs.
  ///   - start: When the run began.
  /// - Returns: Nil if an input has changed since the run began, so that it is unknown what was
  ///   read.
  package init?(
    recipe: JSONValue, inputs: [String], missing: [String] = [], outputs: [String],
    since start: Int64
  ) throws {
    time = FileSystem.now
    self.recipe = Self.hash(of: recipe)
    self.inputs = try inputs.map(Entry.init(hashing:))
    self.outputs = try outputs.map(Entry.init(hashing:))
    self.missing = missing
    if self.inputs.contains(where: { $0.modified >= start }) { return nil }
  }

  init(recipe: String, inputs: [Entry], missing: [String], outputs: [Entry], time: Int64) {
    self.recipe = recipe
    self.inputs = inputs
    self.missing = missing
    self.outputs = outputs
    self.time = time
  }

  /// The path of the stamp that belongs to an output: `models/.room.glb.meshpipe`.
  package static func path(besideOutput output: String) -> String {
    "\(FileSystem.folder(of: output))/.\(FileSystem.name(of: output)).meshpipe"
  }

  /// Whether the inputs, outputs and recipe are unchanged since the recorded run.
  package func isCurrent(recipe: JSONValue) -> Bool {
    guard Self.hash(of: recipe) == self.recipe else { return false }
    return (inputs + outputs).allSatisfy(isUnchanged)
      && missing.allSatisfy { FileSystem.canonicalPath(of: $0) == nil }
  }

  /// The same stamp with the current times of its files, which are known to be unchanged.
  package func refreshed() -> BuildStamp {
    var stamp = self
    func refresh(_ entry: Entry) -> Entry {
      var entry = entry
      if let status = try? FileSystem.status(of: entry.path) { entry.modified = status.modified }
      return entry
    }
    stamp.time = FileSystem.now
    stamp.inputs = inputs.map(refresh)
    stamp.outputs = outputs.map(refresh)
    return stamp
  }

  private func isUnchanged(_ entry: Entry) -> Bool {
    guard let status = try? FileSystem.status(of: entry.path), status.size == entry.size else {
      return false
    }
    // Times are coarse: a file written just before it was recorded may have been written again.
    let isTimeSure = entry.modified + 2_000_000_000 < time
    if status.modified == entry.modified, isTimeSure { return true }
    return (try? SHA256.hexadecimal(ofFile: entry.path)) == entry.sha256
  }

  private static func hash(of recipe: JSONValue) -> String {
    SHA256.hexadecimal(of: Array(recipe.compactText.utf8))
  }
}

extension BuildStamp {
  /// Reads a stamp; nil if there is none that this version understands.
  package static func read(_ path: String) -> BuildStamp? {
    guard let bytes = try? FileSystem.contents(of: path, limit: 1 << 24),
      let json = JSONReader.read(bytes).value,
      json["meshpipeStamp"]?.content == number(formatVersion).content,
      let recipe = json["recipe"]?.text, let time = json["time"]?.text.flatMap({ Int64($0) }),
      let inputs = json["inputs"]?.entries, let outputs = json["outputs"]?.entries,
      !outputs.isEmpty, case .array(let missing)? = json["missing"]?.content
    else { return nil }
    return BuildStamp(
      recipe: recipe, inputs: inputs, missing: missing.compactMap(\.text), outputs: outputs,
      time: time)
  }

  /// Writes the stamp.
  package func write(to path: String) throws {
    try FileSystem.replaceFile(path, with: json.prettyText)
  }

  private var json: JSONValue {
    [
      "meshpipeStamp": Self.number(Self.formatVersion),
      "recipe": JSONValue(.string(recipe)),
      // A JSON number would not hold all digits.
      "time": JSONValue(.string(String(time))),
      "inputs": JSONValue(.array(inputs.map(json))),
      "missing": JSONValue(.array(missing.map { JSONValue(.string($0)) })),
      "outputs": JSONValue(.array(outputs.map(json))),
    ]
  }

  private func json(of entry: Entry) -> JSONValue {
    [
      "path": JSONValue(.string(entry.path)), "size": Self.number(entry.size),
      "modified": JSONValue(.string(String(entry.modified))),
      "sha256": JSONValue(.string(entry.sha256)),
    ]
  }

  private static func number(_ value: Int) -> JSONValue { JSONValue(.number(Double(value))) }
}

extension JSONValue {
  /// The files of a stamp; nil if one of them is malformed.
  fileprivate var entries: [BuildStamp.Entry]? {
    guard case .array(let elements) = content else { return nil }
    var entries: [BuildStamp.Entry] = []
    for element in elements {
      guard let path = element["path"]?.text, case .number(let size)? = element["size"]?.content,
        let bytes = Int(exactly: size),
        let modified = element["modified"]?.text.flatMap({ Int64($0) }),
        let sha256 = element["sha256"]?.text
      else { return nil }
      entries.append(
        BuildStamp.Entry(path: path, size: bytes, modified: modified, sha256: sha256))
    }
    return entries
  }
}
