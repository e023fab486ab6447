import MeshPipeline

/// A path pattern as in shells: `*` and `?` within a name, `[a-z]`, `[!a-z]`, and `**` for any
/// number of folders.
struct GlobPattern: Sendable {
  /// The parts between slashes.
  let segments: [Segment]
  /// Whether the pattern applies to names at any depth.
  let isOfNames: Bool

  init(_ text: String) {
    let parts = text.split(separator: "/")
    segments = parts.map { Segment(String($0)) }
    isOfNames = parts.count < 2 && !text.hasPrefix("/")
  }

  /// Whether a text has a special character.
  static func isPattern(_ text: String) -> Bool { text.contains { "*?[".contains($0) } }

  /// Whether a relative path, or one of its parent folders, matches.
  func matches(_ path: String) -> Bool {
    let parts = path.split(separator: "/").map { Array($0) }
    if isOfNames {
      guard let segment = segments.first else { return false }
      return parts.contains { segment.matches($0) }
    }
    return parts.indices.contains { matches(parts[...$0]) }
  }

  /// Backtracks to the last `**` when a name doesn't match, so that time is at most proportional to
  /// the product of the lengths.
  private func matches(_ parts: ArraySlice<[Character]>) -> Bool {
    var (part, segment) = (0, 0)
    var lastStar: (part: Int, segment: Int)?
    while part < parts.count {
      if segment < segments.count, segments[segment].isAnyFolders {
        lastStar = (part, segment)
        segment += 1
      } else if segment < segments.count, segments[segment].matches(parts[part]) {
        (part, segment) = (part + 1, segment + 1)
      } else if let star = lastStar {
        lastStar = (star.part + 1, star.segment)
        (part, segment) = (star.part + 1, star.segment + 1)
      } else {
        return false
      }
    }
    return segments[segment...].allSatisfy { $0.isAnyFolders }
  }
}

extension GlobPattern {
  /// The pattern of a name between two slashes.
  struct Segment: Sendable {
    let text: String
    private let tokens: [Token]

    private enum Token: Sendable {
      case any, one
      case literal(Character)
      case oneOf([ClosedRange<Character>], isNegated: Bool)
    }

    init(_ text: String) {
      self.text = text
      var tokens: [Token] = []
      var rest = Substring(text)
      while let character = rest.popFirst() {
        switch character {
        case "*": tokens.append(.any)
        case "?": tokens.append(.one)
        case "[":
          if let (token, after) = Self.set(rest) {
            tokens.append(token)
            rest = after
          } else {
            tokens.append(.literal("["))
          }
        default: tokens.append(.literal(character))
        }
      }
      self.tokens = tokens
    }

    /// Whether this is `**`.
    var isAnyFolders: Bool { text == "**" }

    /// Whether any character is special.
    var isLiteral: Bool {
      tokens.allSatisfy { if case .literal = $0 { true } else { false } }
    }

    func matches(_ name: [Character]) -> Bool {
      var (place, token) = (0, 0)
      var lastStar: (place: Int, token: Int)?
      while place < name.count {
        if token < tokens.count, case .any = tokens[token] {
          lastStar = (place, token)
          token += 1
        } else if token < tokens.count, Self.matches(tokens[token], name[place]) {
          (place, token) = (place + 1, token + 1)
        } else if let star = lastStar {
          lastStar = (star.place + 1, star.token)
          (place, token) = (star.place + 1, star.token + 1)
        } else {
          return false
        }
      }
      return tokens[token...].allSatisfy { if case .any = $0 { true } else { false } }
    }

    private static func matches(_ token: Token, _ character: Character) -> Bool {
      switch token {
      case .any, .one: true
      case .literal(let expected): expected == character
      case .oneOf(let ranges, let isNegated):
        ranges.contains { $0.contains(character) } != isNegated
      }
    }

    /// Parses a set after its bracket; nil if it is not closed.
    private static func set(_ text: Substring) -> (token: Token, rest: Substring)? {
      var rest = text
      let isNegated = rest.first == "!" || rest.first == "^"
      if isNegated { rest.removeFirst() }
      var ranges: [ClosedRange<Character>] = []
      while let first = rest.popFirst() {
        if first == "]", !ranges.isEmpty { return (.oneOf(ranges, isNegated: isNegated), rest) }
        if rest.first == "-", let last = rest.dropFirst().first, last != "]" {
          rest.removeFirst(2)
          ranges.append(min(first, last)...max(first, last))
        } else {
          ranges.append(first...first)
        }
      }
      return nil
    }
  }
}

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
    FileSystem.isFolder(path)
  }
}
