import MeshPipeline

extension GlobPattern {
  /// The files and folders on disk that match a pattern, sorted.
  ///
  /// Hidden ones match only if the pattern also begins with a dot.
  static func expand(_ text: String) -> [String] {
    var found: Set<String> = []
    let root = text.hasPrefix("/") ? "/" : "."
    expand(GlobPattern(text).segments[...], in: root, depth: 0, into: &found)
    return found.sorted()
  }

  private static func expand(
    _ segments: ArraySlice<Segment>, in folder: String, depth: Int, into found: inout Set<String>
  ) {
    guard let segment = segments.first else {
      found.insert(folder)
      return
    }
    let rest = segments.dropFirst()
    if segment.isLiteral {
      let path = DiskPath.join(folder, segment.text)
      if (try? FileSystem.status(of: path)) ?? nil != nil {
        expand(rest, in: path, depth: depth, into: &found)
      }
      return
    }
    if segment.isAnyFolders {
      expand(rest, in: folder, depth: depth, into: &found)
      // A folder includes everything in it.
      if rest.isEmpty { return }
    }
    // Unreadable folders have no matches.
    for name in (try? FileSystem.names(inFolder: folder)) ?? [] {
      if name.hasPrefix("."), !segment.text.hasPrefix(".") { continue }
      let path = DiskPath.join(folder, name)
      if segment.isAnyFolders {
        guard depth < 100, isFolder(path), !FileSystem.isSymbolicLink(path) else { continue }
        expand(segments, in: path, depth: depth + 1, into: &found)
      } else if segment.matches(Array(name)), rest.isEmpty || isFolder(path) {
        expand(rest, in: path, depth: depth, into: &found)
      }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? FileSystem.status(of: path))?.isFolder == true
  }
}
