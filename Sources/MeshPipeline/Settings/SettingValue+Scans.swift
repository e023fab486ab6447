public import MeshpipeBase
public import MeshpipeScene

/// The unit of a file that names none.
public struct LengthUnit: SettingElement {
  /// The names that options accept.
  package static let names = ["mm", "cm", "dm", "m", "km", "in", "ft", "usft"]

  /// The length in metres.
  public var meters: Double

  /// Creates a unit of any length.
  public init(meters: Double) { self.meters = meters }

  /// Reads a name.
  public init(word: String) throws {
    guard let meters = Length.units[word] else { throw SettingFault(message: " is not a unit") }
    self.meters = meters
  }
  /// Reads the metres.
  public init?(savedJSON: JSONValue) {
    guard let meters = savedJSON.number else { return nil }
    self.meters = meters
  }
  /// The metres.
  public var savedJSON: JSONValue { JSONValue(.number(meters)) }
}

/// A number of bytes with a unit: `5GB`, `500MiB`.
public struct StorageSize: SettingElement {
  /// The number of bytes.
  public var bytes: Int

  /// Creates a size.
  public init(bytes: Int) { self.bytes = bytes }

  /// Reads a number with a unit.
  public init(word: String) throws {
    // A number alone is of bytes, and meant as something else.
    guard let bytes = ByteSize.bytes(of: word), bytes == 0 || word.contains(where: \.isLetter)
    else {
      throw SettingFault(message: " is not a size with a unit; write 5GB or 500MB")
    }
    self.bytes = bytes
  }
  /// Reads the bytes.
  public init?(savedJSON: JSONValue) {
    guard let bytes = savedJSON.number.flatMap({ Int(exactly: $0) }) else { return nil }
    self.bytes = bytes
  }
  /// The bytes.
  public var savedJSON: JSONValue { JSONValue(.number(Double(bytes))) }
}

/// Whether masks of frames hide what they mark.
public enum MaskUse: String, CaseIterable, SettingElement, SettingValue {
  /// They do.
  case use
  /// Images and depth maps are used whole.
  case ignore
}

/// Where to look for what belongs to a scan: the frames of its capture, or RoomPlan's file of its room.
public enum CompanionRequest: SettingElement, SettingValue {
  /// In the folder of the scan, if the pipeline needs it.
  case besideInput
  /// In this file; frames also in this folder, or in the folder of this file.
  case path(String)
  /// Nowhere.
  case none

  /// Reads a path, or `none`.
  public init(word: String) { self = word == "none" ? .none : .path(word) }
  /// Reads a path, or a truth value.
  public init?(savedJSON: JSONValue) {
    switch savedJSON.content {
    case .string(let path): self = .path(path)
    case .bool(let isBeside): self = isBeside ? .besideInput : .none
    default: return nil
    }
  }
  /// The path, or false for nowhere and true for the folder of the scan.
  public var savedJSON: JSONValue {
    switch self {
    case .besideInput: true
    case .path(let path): JSONValue(.string(path))
    case .none: false
    }
  }

  /// Whether the user specified it.
  var isNamed: Bool {
    if case .path = self { true } else { false }
  }
}

/// A file with values of variables, as it was when it was read.
public struct VariableFile: SettingElement {
  /// The file as given by the user.
  package var path: String
  /// The values by the names of the variables.
  package var values: [JSONValue.Member]

  package init(path: String, values: [JSONValue.Member]) {
    self.path = path
    self.values = values
  }

  /// Reads a file with an object of names and values.
  ///
  /// - Throws: ``InvalidPipeline`` for mistakes in the text, or a ``FileError``.
  public init(word path: String) throws {
    let result = JSONReader.read(try FileSystem.contents(of: path, limit: 1 << 26), file: path)
    if !result.diagnostics.isEmpty { throw InvalidPipeline(result.diagnostics) }
    guard case .object(let members)? = result.value?.withoutPositions.content else {
      let position = result.value?.position ?? .none
      throw InvalidPipeline([
        Diagnostic(
          file: path, position: position,
          message: "expected an object of variables: { \"name\": value }")
      ])
    }
    self.init(path: path, values: members.filter { $0.key != "$schema" })
  }

  /// Reads the path and the values.
  public init?(savedJSON: JSONValue) {
    guard let path = savedJSON["file"]?.text,
      case .object(let members)? = savedJSON["values"]?.withoutPositions.content
    else { return nil }
    self.init(path: path, values: members)
  }
  /// The path and the values.
  public var savedJSON: JSONValue { ["file": path.json, "values": JSONValue(.object(values))] }
}

extension Misfits: SettingValue {
  /// Keeps them: the flag is given.
  public init(words: [String]) { self = .kept }
  /// Reads a raw value.
  public init?(savedJSON: JSONValue) {
    guard let value = savedJSON.text.flatMap(Misfits.init(rawValue:)) else { return nil }
    self = value
  }
  /// The raw value.
  public var savedJSON: JSONValue { JSONValue(.string(rawValue)) }
}

extension PoseConvention: SettingElement {
  /// Reads words separated by commas.
  public init(word: String) throws {
    guard let convention = PoseConvention(text: word) else {
      throw SettingFault(
        message: ": give one of gl and cv, of rows and columns, of c2w and w2c, separated by commas"
      )
    }
    self = convention
  }
  /// Reads a text.
  public init?(savedJSON: JSONValue) {
    guard let convention = savedJSON.text.flatMap(PoseConvention.init(text:)) else { return nil }
    self = convention
  }
  /// All of its words.
  public var savedJSON: JSONValue { JSONValue(.string(text)) }
}

extension ClassScheme: SettingElement {
  /// Reads a word, or a file with names by number.
  public init(word: String) throws {
    do {
      try self.init(wordOrFile: word)
    } catch {
      throw SettingFault(
        message: " is neither 'arkit', 'asprs' nor 'none', nor a file with names: "
          + error.userMessage)
    }
  }
  /// Reads a word, or the names by number.
  public init?(savedJSON: JSONValue) { self.init(json: savedJSON) }
  /// The word, or the names by number.
  public var savedJSON: JSONValue { json }
}
