public import MeshPipeline

/// Finds items whose outputs would get in one another's way.
public struct OutputPlaces {
  /// By the path without case, since many volumes do not tell it.
  private var items: [String: (name: String, path: String)] = [:]

  public init() {}

  /// Adds the outputs of an item.
  ///
  /// - Throws: ``OutputCollision`` when another item writes one of them.
  public mutating func add(_ outputs: [String], of item: BatchItem) throws(OutputCollision) {
    for path in outputs {
      let key = Self.key(path)
      if let other = items[key], other.name != item.name {
        throw OutputCollision(
          path: path, otherPath: other.path, items: [other.name, item.name])
      }
      items[key] = (item.name, path)
    }
  }

  private static func key(_ path: String) -> String {
    var path = path
    while path.hasPrefix("./") { path = String(path.dropFirst(2)) }
    return path.lowercased()
  }
}

/// Two items would be written to one place.
public struct OutputCollision: UserError, Equatable {
  public var path: String
  public var otherPath: String
  /// The names of both.
  public var items: [String]

  public var exitCode: ExitCode { .usage }
  public var message: String {
    let place =
      path == otherPath
      ? "'\(path)'"
      : "'\(otherPath)' and '\(path)', which are one file where case is ignored"
    return "'\(items[0])' and '\(items[1])' would both be written to \(place); "
      + "tell them apart by {stem}, {folder}, {archive} or {ext} in the template, "
      + "or leave one of them out with --exclude"
  }
}
