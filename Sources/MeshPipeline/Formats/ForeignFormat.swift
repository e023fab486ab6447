/// A format that is met and not read.
public struct ForeignFormat: Sendable {
  /// The file extensions without the dot, lower case.
  public var extensions: [String]
  /// What such a file is: `a model of Revit`.
  public var name: String
  /// How one comes to a file that is read.
  public var wayOut: String

  public init(_ extensions: [String], _ name: String, wayOut: String) {
    self.extensions = extensions
    self.name = name
    self.wayOut = wayOut
  }
}
