public import MeshPipeline

/// Finds items whose outputs would get in one another's way, and says what becomes of them.
public struct OutputPlaces {
  /// Items that would write one file, as indices into the list that was given.
  public struct Clash: Sendable, Equatable {
    public var items: [Int]
    public var path: String
    /// The same place as another item writes it.
    public var otherPath: String
  }

  public private(set) var clashes: [Clash] = []

  /// - Parameter outputs: The outputs of each item.
  public init(_ outputs: [[String]]) {
    // By the path without case, since many volumes do not tell it.
    var places: [String: (items: [Int], paths: [String])] = [:]
    var keys: [String] = []
    for (item, paths) in outputs.enumerated() {
      for path in paths {
        let key = Self.key(path)
        if places[key] == nil { keys.append(key) }
        guard places[key]?.items.last != item else { continue }
        places[key, default: ([], [])].items.append(item)
        places[key, default: ([], [])].paths.append(path)
      }
    }
    var known: Set<[Int]> = []
    for key in keys {
      guard let place = places[key], place.items.count > 1, known.insert(place.items).inserted
      else { continue }
      let other = place.paths.first { $0 != place.paths[0] } ?? place.paths[0]
      clashes.append(Clash(items: place.items, path: other, otherPath: place.paths[0]))
    }
  }

  private static func key(_ path: String) -> String {
    var path = path
    while path.hasPrefix("./") { path = String(path.dropFirst(2)) }
    return path.lowercased()
  }
}

/// Several items would be written to one place.
public struct OutputCollision: UserError, Equatable {
  public var path: String
  public var otherPath: String
  /// The names of all of them.
  public var items: [String]
  /// The other collisions, each as its items and its place.
  public var others: [OutputCollision] = []

  public var exitCode: ExitCode { .usage }
  public var message: String {
    let all = ([self] + others.prefix(9)).map(\.sentence).joined(separator: "; ")
    let more = others.count > 9 ? "; and \(others.count - 9) more" : ""
    return all + more + "; " + Self.wayOut
  }

  /// What is wrong, without a way out.
  var sentence: String {
    let place =
      path == otherPath
      ? "'\(path)'"
      : "'\(otherPath)' and '\(path)', which are one file where case is ignored"
    let names = items.map { "'\($0)'" }
    let list = names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
    return "\(list) would \(items.count == 2 ? "both" : "all") be written to \(place)"
  }

  static let wayOut =
    "take one by its format with --prefer (--prefer glb,obj,ply), tell them apart by {stem}, {folder}, "
    + "{archive} or {ext} in the template, or leave some of them out with --exclude"
}
