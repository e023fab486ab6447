import MeshPipeline

/// The meshes of a folder by name, for files named after them.
///
/// `room.mtl` and `room_0.jpg` belong to `room.obj`, and also to `room.low.obj`, which may use
/// them; not to `room2.obj`.
struct StemFamilies {
  /// By a mesh's lower-case stem, all meshes with that stem or one that begins with it.
  private var members: [String: [Int]] = [:]

  init(_ stems: [String]) {
    let stems = stems.map { $0.lowercased() }
    for stem in stems { members[stem] = [] }
    for (index, stem) in stems.enumerated() {
      for start in Self.starts(of: stem) { members[start]?.append(index) }
    }
  }

  /// The meshes that a file is named after; empty if there is none in the folder.
  func owners(ofName name: String) -> [Int] {
    for start in Self.starts(of: name.lowercased()) {
      if let owners = members[start] { return owners }
    }
    return []
  }

  /// The name and its prefixes that end before something other than a letter or digit, the longest
  /// first.
  private static func starts(of name: String) -> [String] {
    var result = [name]
    for index in name.indices.reversed() where index > name.startIndex {
      let character = name[index]
      if !character.isLetter, !character.isNumber { result.append(String(name[..<index])) }
    }
    return result
  }
}
