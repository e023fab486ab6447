package import MeshPipeline

/// The result of an item: one line of the journal.
package struct JournalEntry: Sendable, Equatable {
  /// The outcome of an item.
  package enum State: String, Sendable, CaseIterable {
    /// All outputs are in place.
    case done
    /// It will fail again as long as nothing changes.
    case failed
    /// A limit of time or memory, a killed worker: worth a retry.
    case temporary
  }

  /// The state of a file when the item was finished.
  package struct File: Sendable, Equatable {
    /// As in the item or output.
    package var path: String
    /// In bytes.
    package var size: Int
    /// In nanoseconds since 1970; 0 if only the bytes count.
    package var modified: Int64
    /// Lower-case hexadecimal.
    package var sha256: String

    package init(path: String, size: Int, modified: Int64 = 0, sha256: String) {
      self.path = path
      self.size = size
      self.modified = modified
      self.sha256 = sha256
    }
  }

  /// ``BatchItem/name``.
  package var item: String
  /// The hash of the item's bytes, the resolved pipeline and the version of meshpipe; empty if the
  /// work ended before it was known.
  package var key: String
  /// Whether it succeeded, and if not, whether a retry may help.
  package var state: State
  package var exitCode: ExitCode
  /// Why it failed; empty if it did not.
  package var error: String
  /// The warnings of the run.
  package var warnings: [String]
  /// The time for the item, wall clock.
  package var seconds: Double
  /// The peak resident memory of the worker during the item, in bytes.
  package var peakMemory: Int
  /// The bytes of the item's files, as listed.
  package var size: Int
  /// The files read, for an item on disk.
  package var inputs: [File]
  /// Paths of missing files that would change the result.
  package var missing: [String]
  /// The files written, main files first.
  package var outputs: [File]
  /// Faces read and written.
  package var facesBefore: Int
  package var facesAfter: Int
  /// The path of the result's image, relative to the folder of the journal; empty if there is none.
  package var thumbnail: String
  /// The path of the item's page, likewise.
  package var page: String
  /// The number of attempts in this batch, including this one.
  package var attempt: Int
  /// The shard that processed it: `3/16`; empty if the batch is not sharded.
  package var shard: String
  /// When the work ended, in nanoseconds since 1970; set by the journal if it is 0.
  package var time: Int64

  package init(item: String, key: String = "", state: State, exitCode: ExitCode = .success) {
    self.item = item
    self.key = key
    self.state = state
    self.exitCode = exitCode
    error = ""
    warnings = []
    seconds = 0
    peakMemory = 0
    size = 0
    inputs = []
    missing = []
    outputs = []
    facesBefore = 0
    facesAfter = 0
    thumbnail = ""
    page = ""
    attempt = 1
    shard = ""
    time = 0
  }
}

extension JournalEntry {
  /// The entry as a line of the journal; empty values are omitted.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("item", item.json), .init("state", state.rawValue.json),
      .init("exit", Int(exitCode.rawValue).json),
    ]
    func add(_ key: String, _ value: JSONValue, unless isEmpty: Bool) {
      if !isEmpty { members.append(.init(key, value)) }
    }
    add("error", error.json, unless: error.isEmpty)
    add("warnings", warnings.json, unless: warnings.isEmpty)
    add("key", key.json, unless: key.isEmpty)
    members.append(.init("seconds", seconds.json(digits: 4)))
    add("peakMemory", .exact(peakMemory), unless: peakMemory == 0)
    add("size", .exact(size), unless: size == 0)
    add("facesBefore", .exact(facesBefore), unless: facesBefore == 0)
    add("facesAfter", .exact(facesAfter), unless: facesAfter == 0)
    add("inputs", JSONValue(.array(inputs.map(\.json))), unless: inputs.isEmpty)
    add("missing", missing.json, unless: missing.isEmpty)
    add("outputs", JSONValue(.array(outputs.map(\.json))), unless: outputs.isEmpty)
    add("thumbnail", thumbnail.json, unless: thumbnail.isEmpty)
    add("page", page.json, unless: page.isEmpty)
    members.append(.init("attempt", attempt.json))
    add("shard", shard.json, unless: shard.isEmpty)
    members.append(.init("time", String(time).json))
    return JSONValue(.object(members))
  }

  /// - Returns: Nil if it is not a valid entry.
  init?(_ json: JSONValue) {
    guard let item = json["item"]?.text, !item.isEmpty,
      let state = json["state"]?.text.flatMap({ State(rawValue: $0) }),
      let code = json["exit"]?.wholeNumber.flatMap({ Int32(exactly: $0) }),
      let exitCode = ExitCode(rawValue: code)
    else { return nil }
    self.init(
      item: item, key: json["key"]?.text ?? "", state: state, exitCode: exitCode)
    error = json["error"]?.text ?? ""
    warnings = json["warnings"]?.elements.compactMap(\.text) ?? []
    seconds = json["seconds"]?.number ?? 0
    peakMemory = json["peakMemory"]?.wholeNumber ?? 0
    size = json["size"]?.wholeNumber ?? 0
    facesBefore = json["facesBefore"]?.wholeNumber ?? 0
    facesAfter = json["facesAfter"]?.wholeNumber ?? 0
    guard let inputs = File.list(json["inputs"]), let outputs = File.list(json["outputs"]) else {
      return nil
    }
    self.inputs = inputs
    self.outputs = outputs
    missing = json["missing"]?.elements.compactMap(\.text) ?? []
    thumbnail = json["thumbnail"]?.text ?? ""
    page = json["page"]?.text ?? ""
    attempt = json["attempt"]?.wholeNumber ?? 1
    shard = json["shard"]?.text ?? ""
    time = Int64(json["time"]?.wholeNumber ?? 0)
  }
}

extension JournalEntry.File {
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("path", path.json), .init("size", .exact(size)),
    ]
    if modified != 0 { members.append(.init("modified", String(modified).json)) }
    members.append(.init("sha256", sha256.json))
    return JSONValue(.object(members))
  }

  /// - Returns: Nil if one of the files is invalid: half a list must not be taken for the whole.
  fileprivate static func list(_ json: JSONValue?) -> [JournalEntry.File]? {
    var files: [JournalEntry.File] = []
    for element in json?.elements ?? [] {
      guard let path = element["path"]?.text, let size = element["size"]?.wholeNumber,
        let sha256 = element["sha256"]?.text
      else { return nil }
      files.append(
        JournalEntry.File(
          path: path, size: size, modified: Int64(element["modified"]?.wholeNumber ?? 0),
          sha256: sha256))
    }
    return files
  }
}

extension JSONValue {
  /// A whole number; as a string if a JSON number would not hold all its digits.
  static func exact(_ value: Int) -> JSONValue {
    value.magnitude < 1 << 53 ? value.json : String(value).json
  }

  /// The whole number, written as a number or as a string; nil if it is something else.
  var wholeNumber: Int? {
    switch content {
    case .number(let number): Int(exactly: number)
    case .string(let text): Int(text)
    default: nil
    }
  }
}
