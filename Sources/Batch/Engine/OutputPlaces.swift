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
  /// How the template can tell them apart.
  package var wayOut = ""
  /// The other collisions, each with its items and its path.
  package var others: [OutputCollision] = []

  package var exitCode: ExitCode { .usage }
  package var message: String {
    let all = ([self] + others.prefix(9)).map(\.sentence).joined(separator: "; ")
    let more = others.count > 9 ? "; and \(others.count - 9) more" : ""
    return all + more + "; " + wayOut
  }

  /// The problem, without a way out.
  var sentence: String {
    let place =
      path == otherPath
      ? "'\(path)'"
      : "'\(otherPath)' and '\(path)', which are the same file where case is ignored"
    let shown = items.count > 4 ? 3 : items.count - 1
    let names = items.prefix(shown).map { "'\($0)'" }.joined(separator: ", ")
    let rest = items.count - shown
    let last = rest > 1 ? "\(NumberText.grouped(rest)) more" : "'\(items.last ?? "")'"
    let list = "\(names) and \(last)"
    return "\(list) would \(items.count == 2 ? "both" : "all") be written to \(place)"
  }
}

extension OutputTemplate {
  /// How the items that would be written to one path can be told apart.
  func wayOut(of items: [BatchItem]) -> String {
    var ways: [String] = []
    if Set(items.map { $0.place.fileExtension.lowercased() }).count > 1 {
      ways.append("choose one by format with --prefer (--prefer glb,obj,ply)")
    }
    let names: [Name] = [.stem, .folder, .archive, .ext]
    let distinct = names.filter { name in
      !has(name) && Set(items.map { name.value(at: $0.place).lowercased() }).count > 1
    }
    if !distinct.isEmpty {
      let words = distinct.map { "{\($0.rawValue)}" }.joined(separator: " or ")
      ways.append("tell them apart by \(words), which -o \(text) does not have")
    } else if has(.folder), items.allSatisfy({ $0.place.folder.isEmpty }) {
      ways.append(
        "{folder} is empty for files that are given one by one: give the folder that they are in, or one list of all "
          + "with --list")
    }
    return (ways + ["exclude some of them with --exclude"]).joined(separator: ", or ")
  }

  private func has(_ name: Name) -> Bool {
    // The pipeline names the file in a folder, mostly by the stem.
    parts.contains(.name(name)) || name == .stem && (isFolder || parts.contains(.name(.name)))
  }
}
