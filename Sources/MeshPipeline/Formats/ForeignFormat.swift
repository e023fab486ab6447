/// A known format that meshpipe does not read.
public struct ForeignFormat: Sendable {
  /// The file extensions without the dot, lower case.
  public var extensions: [String]
  /// A description of such a file: `a model of Revit`.
  public var name: String
  /// How to convert it to a supported format.
  public var wayOut: String

  /// Describes a format by its extensions, without the dot.
  public init(_ extensions: [String], _ name: String, wayOut: String) {
    self.extensions = extensions
    self.name = name
    self.wayOut = wayOut
  }
}
