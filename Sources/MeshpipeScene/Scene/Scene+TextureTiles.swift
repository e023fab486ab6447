/// The pictures of a texture in tiles (UDIM): each covers one square of the texture coordinates, ten in a row.
package struct TextureTiles: Sendable, Equatable {
  /// The name that stands for all of them, for messages.
  package var name: String
  /// The path of the picture of each tile, by its number: 1001 for the square at the origin.
  package var paths: [Int: String]
  /// The tile that is named in the place of all; nil if the name has a mark instead.
  package var named: Int?

  package init(name: String, paths: [Int: String], named: Int? = nil) {
    self.name = name
    self.paths = paths
    self.named = named
  }

  /// The path of the picture that stands for all until it is known which are used; nil if the name has one of its own.
  package var standIn: String? { named == nil ? paths.min { $0.key < $1.key }?.value : nil }

  /// The number of the tile at some coordinates; nil where there can be none.
  package static func number(at position: SIMD2<Float>) -> Int? {
    let (u, v) = (position.x.rounded(.down), position.y.rounded(.down))
    guard (0...9).contains(u), (0...899).contains(v) else { return nil }
    return 1001 + Int(u) + 10 * Int(v)
  }

  /// The lower left corner of a tile.
  fileprivate static func corner(ofTile number: Int) -> Vector2 {
    Vector2(Float((number - 1001) % 10), Float((number - 1001) / 10))
  }

  /// Whether faces on some tiles mean these: a picture that names one tile may as well be repeated.
  fileprivate func mean(_ tiles: Set<Int?>) -> Bool {
    guard let named else { return true }
    let isThere = tiles.allSatisfy { $0.map { paths[$0] != nil } ?? false }
    return isThere && tiles != [named] && (named == 1001 || tiles.contains(named))
  }
}

extension Scene {
  /// Gives the faces on each tile of a texture a material with the picture of that tile, and brings their coordinates back
  /// into 0 to 1, as all formats can have it.
  ///
  /// - Parameters:
  ///   - sets: The tiles of textures, by the index of the texture that stands for them.
  ///   - load: The picture at a path.
  /// - Returns: Sentences for the user, each once.
  package mutating func spreadTiles(
    _ sets: [Int: TextureTiles], load: (String) -> Texture?
  ) -> [String] {
    guard !sets.isEmpty else { return [] }
    let tiled = materials.indices.filter { material in
      Material.textureKeys.contains {
        materials[material][keyPath: $0].map { sets[$0] != nil } ?? false
      }
    }
    var used: [UInt32: Set<Int?>] = [:]
    let numbers = Set(tiled.map { UInt32($0) })
    for mesh in meshes { mesh.collectTiles(of: numbers, into: &used) }
    var spreading = TileSpreading(sets: sets, scene: self)
    for material in tiled {
      spreading.spread(UInt32(material), over: used[UInt32(material)] ?? [], load: load)
    }
    self.materials = spreading.materials
    self.textures = spreading.textures
    for index in meshes.indices { meshes[index].moveToTiles(spreading.places) }
    return Set(spreading.remarks).sorted()
  }
}

/// The materials of the tiles.
private struct TileSpreading {
  let sets: [Int: TextureTiles]
  var materials: [Material]
  var textures: [Texture]
  /// The material of each tile of a material with tiles.
  var places: [UInt32: [Int?: UInt32]] = [:]
  var remarks: [String] = []
  private var loaded: [String: Int?] = [:]

  init(sets: [Int: TextureTiles], scene: Scene) {
    self.sets = sets
    materials = scene.materials
    textures = scene.textures
  }

  mutating func spread(_ index: UInt32, over tiles: Set<Int?>, load: (String) -> Texture?) {
    let original = materials[Int(index)]
    let keys = Material.textureKeys.filter {
      original[keyPath: $0].map { sets[$0] != nil } ?? false
    }
    let isMeant = keys.contains { key in
      original[keyPath: key].flatMap { sets[$0] }?.mean(tiles) ?? false
    }
    guard isMeant, !tiles.isEmpty else { return }
    var places: [Int?: UInt32] = [:]
    for tile in tiles.sorted(by: { $0 ?? 0 < $1 ?? 0 }) {
      var material = original
      for key in keys {
        guard let set = original[keyPath: key].flatMap({ sets[$0] }) else { continue }
        let texture = tile.flatMap { set.paths[$0] }.flatMap { self.texture(at: $0, load) }
        if let texture {
          material[keyPath: key] = texture
        } else {
          material.removeTexture(key)
          remarks.append(
            "'\(set.name)' has no tile \(tile.map { "\($0)" } ?? "where some faces are"); they are shown without it"
          )
        }
      }
      // Tiles with the same picture share a material.
      if let same = places.values.sorted().first(where: { materials[Int($0)].looks(like: material) }
      ) {
        places[tile] = same
      } else if places.isEmpty {
        materials[Int(index)] = material
        places[tile] = index
      } else {
        material.name = "\(original.name).\(tile ?? 0)"
        places[tile] = UInt32(materials.count)
        materials.append(material)
      }
    }
    self.places[index] = places
  }

  /// The index of a picture; those of equal pictures are the same.
  private mutating func texture(at path: String, _ load: (String) -> Texture?) -> Int? {
    if let known = loaded[path] { return known }
    var index: Int?
    if let texture = load(path) {
      index = textures.firstIndex { $0.bytes == texture.bytes } ?? textures.count
      if index == textures.count { textures.append(texture) }
    }
    loaded[path] = .some(index)
    return index
  }
}

extension Material {
  fileprivate func looks(like other: Material) -> Bool {
    var (first, second) = (self, other)
    (first.name, second.name) = ("", "")
    return first == second
  }
}

extension Mesh {
  /// The tile of a face, by its middle: corners may lie on the border.
  private func tile(ofFace face: Int, _ coordinates: [Vector2]) -> Int? {
    let sum = (0..<3).reduce(SIMD2<Float>.zero) {
      $0 + SIMD2(coordinates[3 * face + $1].x, coordinates[3 * face + $1].y)
    }
    return TextureTiles.number(at: sum / 3)
  }

  /// Adds the tiles on which the faces of some materials are.
  fileprivate func collectTiles(of materials: Set<UInt32>, into used: inout [UInt32: Set<Int?>]) {
    guard let coordinates = textureCoordinates, let faceMaterials else { return }
    for (face, material) in faceMaterials.enumerated() where materials.contains(material) {
      used[material, default: []].insert(tile(ofFace: face, coordinates))
    }
  }

  /// Gives faces the materials of their tiles.
  fileprivate mutating func moveToTiles(_ places: [UInt32: [Int?: UInt32]]) {
    guard !places.isEmpty, let coordinates = textureCoordinates, let faceMaterials else { return }
    for (face, material) in faceMaterials.enumerated() {
      guard let tiles = places[material] else { continue }
      let tile = tile(ofFace: face, coordinates)
      guard let own = tiles[tile] else { continue }
      self.faceMaterials?[face] = own
      guard let corner = tile.map(TextureTiles.corner) else { continue }
      for index in 3 * face..<3 * face + 3 {
        textureCoordinates?[index] = Vector2(
          coordinates[index].x - corner.x, coordinates[index].y - corner.y)
      }
    }
  }
}
