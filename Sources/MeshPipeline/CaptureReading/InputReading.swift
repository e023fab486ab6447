package import MeshpipeBase
public import MeshpipeScene

/// What the user says of a scan's file, overriding what the file and its format say.
public struct InputReading: Sendable, Equatable {
  /// The axis that points up.
  public var up: SignedAxis?
  /// The length of a unit in metres.
  public var metersPerUnit: Double?
  /// What numbers of classes stand for.
  public var classes: ClassScheme?

  /// Leaves everything to the file by default.
  public init(up: SignedAxis? = nil, metersPerUnit: Double? = nil, classes: ClassScheme? = nil) {
    self.up = up
    self.metersPerUnit = metersPerUnit
    self.classes = classes
  }
}

extension ClassScheme {
  /// The scheme of a word of `--input-classes`; nil for another one.
  package init?(named word: String) {
    switch word {
    case "arkit": self = .arkit
    case "asprs": self = .asprs
    case "none": self = .numbered
    default: return nil
    }
  }

  /// A word, or the table as an object of names by number.
  package var json: JSONValue {
    switch self {
    case .arkit: "arkit"
    case .asprs: "asprs"
    case .numbered: "none"
    case .named(let names):
      JSONValue(
        .object(
          names.sorted { $0.key < $1.key }
            .map { JSONValue.Member("\($0.key)", JSONValue(.string($0.value))) }))
    }
  }

  /// Nil if it is neither a word nor a table of names by number.
  package init?(json: JSONValue) {
    if let word = json.text {
      self.init(named: word)
      return
    }
    guard case .object(let members) = json.content else { return nil }
    var names: [Int: String] = [:]
    for member in members {
      guard let number = Int(member.key), (0...65_535).contains(number),
        let name = member.value.text, !name.isEmpty
      else { return nil }
      names[number] = FaceClasses.normalized(name)
    }
    self = .named(names)
  }

  /// The scheme of a word or of a file with a table.
  ///
  /// - Throws: A ``FileError``, or ``InvalidClassTable`` for a file without an object of names by number.
  package init(wordOrFile text: String) throws {
    if let scheme = ClassScheme(named: text) {
      self = scheme
      return
    }
    let table = try JSONReader.read(FileSystem.contents(of: text), file: text).value
    guard let table, let scheme = ClassScheme(json: table), case .named = scheme else {
      throw InvalidClassTable(path: text)
    }
    self = scheme
  }
}

/// A file that should name classes by number and does not.
package struct InvalidClassTable: UserError {
  let path: String

  package var exitCode: ExitCode { .configuration }
  package var message: String {
    "\(path): not a table of classes; it is an object of names by number, "
      + "such as { \"2\": \"floor\", \"3\": \"cabinet\" }"
  }
}
