/// The name of a class of faces: `"floor"`.
public struct ClassLabel: ParameterValue, Hashable {
  /// Lower case.
  public var name: String
  /// Creates the label of a name in upper or lower case.
  public init(_ name: String) { self.name = name.lowercased() }

  /// Whether a class has this name, though it may be written in upper case, or with spaces or underscores.
  public func matches(_ className: String) -> Bool {
    Self.normalized(name) == Self.normalized(className)
  }

  /// A class name for comparison: lower case, with hyphens between words.
  ///
  /// Numbers stay, which readers of files drop: where a scan has a class `table-2`, it is not `table`.
  public static func normalized(_ className: String) -> String {
    String(className.lowercased().map { $0 == " " || $0 == "_" ? "-" : $0 })
  }

  /// ``ParameterType/classLabel``.
  public static let parameterType = ParameterType.classLabel
  /// The name.
  public var json: JSONValue { JSONValue(.string(name)) }

  /// Accepts any text that is not empty.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .string(let text) = json.content, !text.isEmpty else {
      throw .expected("the name of a class like \"floor\"", json)
    }
    self.init(text)
  }
}
