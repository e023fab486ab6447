package import MeshPipeline

/// Finds items whose outputs would collide.
package struct OutputPlaces {
  /// Items that would write the same file, as indices into the given list.
  package struct Clash: Sendable, Equatable {
    package var items: [Int]
    package var path: String
    /// The same path as written by another item.
    package var otherPath: String
  }

  package private(set) var clashes: [Clash] = []

  /// - Parameter outputs: The outputs of each item.
  package init(_ outputs: [[String]]) {
    // Ignoring case, since many volumes don't distinguish it.
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

/// Several items would be written to the same path.
package struct OutputCollision: UserError, Equatable {
  package var path: String
  package var otherPath: String
  /// The names of all of them.
  package var items: [String]
  /// The other collisions, each with its items and its path.
  package var others: [OutputCollision] = []

  package var exitCode: ExitCode { .usage }
  package var message: String {
    let all = ([self] + others.prefix(9)).map(\.sentence).joined(separator: "; ")
    let more = others.count > 9 ? "; and \(others.count - 9) more" : ""
    return all + more + "; " + Self.wayOut
  }

  /// The problem, without a way out.
  var sentence: String {
    let place =
      path == otherPath
      ? "'\(path)'"
      : "'\(otherPath)' and '\(path)', which are the same file where case is ignored"
    let names = items.map { "'\($0)'" }
    let list = names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
    return "\(list) would \(items.count == 2 ? "both" : "all") be written to \(place)"
  }

  static let wayOut =
    "choose one by format with --prefer (--prefer glb,obj,ply), distinguish them by {stem}, {folder}, "
    + "{archive} or {ext} in the template, or exclude some of them with --exclude"
}
