import MeshPipeline

/// Converts the properties of a package to materials, textures, and corner attributes.
struct ThreeMFLooks {
  private(set) var materials: [Material] = []
  private(set) var textures = TextureCollection()
  /// Ids of property groups that are referred to but missing.
  private var missing: Set<UInt32> = []
  private var missingPictures: [String] = []
  private let package: ThreeMFPackage
  private var indexOfMaterial: [Key: UInt32] = [:]
  private var textureOfPath: [String: Int?] = [:]

  /// The appearance of a corner.
  fileprivate struct Look {
    var material: ThreeMFPart.Property?
    var finish: ThreeMFPart.Property?
    var texture: UInt32?
    var coordinates: Vector2?
    var color: Color?
    /// Whether the material's colour shows through the layers above it.
    var keepsColor = true
  }

  /// The properties shared by faces of one material.
  private struct Key: Hashable {
    var part: String
    var material: ThreeMFPart.Property?
    var finish: ThreeMFPart.Property?
    var texture: UInt32?
    var color: Color?
    var keepsColor: Bool
  }

  init(_ package: ThreeMFPackage) { self.package = package }

  /// Warnings about missing properties and textures.
  var remarks: [String] {
    let groups = missing.sorted().map(String.init).joined(separator: ", ")
    return
      (missing.isEmpty ? [] : ["faces refer to properties that do not exist (group \(groups))"])
      + missingPictures.map { "the image '\($0.prefix(120))' is not in the package" }
  }

  // MARK: Meshes

  /// The mesh of an object, in its own coordinates.
  mutating func mesh(
    of body: ThreeMFPart.Body, _ object: ThreeMFPart.Object, in part: String
  ) -> Mesh {
    var mesh = Mesh(name: object.name, positions: body.positions, indices: body.indices)
    guard !body.properties.isEmpty || object.property != nil else { return mesh }
    var corners = ThreeMFCorners(count: mesh.cornerCount)
    var keys = KeysOfFaces(count: mesh.faceCount)
    // Consecutive faces mostly have the same material, which saves the lookup.
    var repeated: ThreeMFPart.Property?
    for face in 0..<mesh.faceCount {
      let first = body.properties.isEmpty ? object.property : body.properties[3 * face]
      let isOne =
        body.properties.isEmpty
        || body.properties[3 * face + 1] == first && body.properties[3 * face + 2] == first
      if isOne, let repeated, repeated == first {
        keys.repeatLast()
        continue
      }
      var key: Key?
      var isPlain = isOne
      for corner in 3 * face..<3 * face + 3 {
        let property = body.properties.isEmpty ? first : body.properties[corner]
        guard let property, let look = look(property, in: part) else { continue }
        corners.set(corner, look.coordinates, look.color)
        isPlain = isPlain && look.coordinates == nil && look.color == nil
        guard corner == 3 * face else { continue }
        key = Key(
          part: part, material: look.material, finish: look.finish, texture: look.texture,
          keepsColor: look.keepsColor)
      }
      keys.append(key)
      repeated = isPlain ? first : nil
    }
    setMaterials(of: &mesh, keys, corners.attach(to: &mesh))
    return mesh
  }

  /// The keys of a mesh's faces, each different one once.
  private struct KeysOfFaces {
    private(set) var keys: [Key] = []
    /// Index into ``keys`` by face; ``none`` for faces without properties.
    private(set) var numbers: [UInt32] = []
    private var numberOfKey: [Key: UInt32] = [:]

    static let none = UInt32.max

    init(count: Int) { numbers.reserveCapacity(count) }

    mutating func append(_ key: Key?) {
      guard let key else { return numbers.append(Self.none) }
      if let last = numbers.last, last != Self.none, keys[Int(last)] == key { return repeatLast() }
      if let known = numberOfKey[key] { return numbers.append(known) }
      numbers.append(UInt32(keys.count))
      numberOfKey[key] = UInt32(keys.count)
      keys.append(key)
    }

    mutating func repeatLast() { numbers.append(numbers[numbers.count - 1]) }
  }

  private mutating func setMaterials(
    of mesh: inout Mesh, _ keys: KeysOfFaces, _ colors: [Color?]?
  ) {
    var faceMaterials: [UInt32] = []
    faceMaterials.reserveCapacity(keys.numbers.count)
    var last: (number: UInt32, color: Color?, index: UInt32)?
    var hasMaterial = false
    for (face, number) in keys.numbers.enumerated() {
      let color = colors?[face]
      if let last, last.number == number, last.color == color {
        faceMaterials.append(last.index)
        continue
      }
      var index = UInt32.max
      if number != KeysOfFaces.none {
        var key = keys.keys[Int(number)]
        key.color = color
        if key.material != nil || key.texture != nil || color != nil { index = material(key) }
      }
      hasMaterial = hasMaterial || index != .max
      faceMaterials.append(index)
      last = (number, color, index)
    }
    guard hasMaterial else { return }
    if faceMaterials.contains(.max) {
      let plain = materials.indexOfPlain()
      for face in faceMaterials.indices where faceMaterials[face] == .max {
        faceMaterials[face] = plain
      }
    }
    mesh.faceMaterials = faceMaterials
  }

  // MARK: Properties

  /// The appearance given by a property; nil, and recorded as missing, if it does not exist.
  private mutating func look(
    _ property: ThreeMFPart.Property, in part: String, isLayer: Bool = false
  ) -> Look? {
    let index = Int(property.index)
    switch package.parts[part]?.groups[property.group] {
    case .materials(let materials, let finishes) where index < materials.count:
      return Look(
        material: property, finish: finishes.map { .init(group: $0, index: property.index) })
    case .colors(let colors) where index < colors.count:
      return Look(color: colors[index])
    case .coordinates(let coordinates, let texture, let finishes) where index < coordinates.count:
      return Look(
        finish: finishes.map { .init(group: $0, index: 0) }, texture: texture,
        coordinates: coordinates[index])
    case .mixtures(let shares, let base, let members)
    where !members.isEmpty && index < shares.count / members.count:
      let own = shares[members.count * index..<members.count * (index + 1)]
      return Look(color: mixture(own, members, of: base, in: part))
    case .layers(let members, let groups, let multiplies)
    where !isLayer && !groups.isEmpty && index < members.count / groups.count:
      var result = Look()
      for (layer, group) in groups.enumerated() {
        let member = ThreeMFPart.Property(
          group: group, index: members[groups.count * index + layer])
        guard let look = look(member, in: part, isLayer: true) else { continue }
        result.cover(with: look, multiplies: multiplies[layer])
      }
      return result
    default:
      missing.insert(property.group)
      return nil
    }
  }

  private func mixture(
    _ shares: ArraySlice<Float>, _ members: [UInt32], of group: UInt32, in part: String
  ) -> Color {
    guard case .materials(let materials, _) = package.parts[part]?.groups[group] else {
      return .white
    }
    var sum = SIMD4<Float>.zero
    var total: Float = 0
    for (share, member) in zip(shares, members) where Int(member) < materials.count {
      sum += share * materials[Int(member)].color
      total += share
    }
    return total > 0 ? Color(linear: sum / total, hasAlpha: true) : .white
  }

  // MARK: Materials

  private mutating func material(_ key: Key) -> UInt32 {
    if let known = indexOfMaterial[key] { return known }
    let part = package.parts[key.part]
    var material = key.color.map { Material(ofFacesColored: $0) } ?? Material()
    if let property = key.material,
      case .materials(let materials, _) = part?.groups[property.group]
    {
      let base = materials[Int(property.index)]
      material.name = base.name
      if key.color == nil, key.keepsColor { material.baseColor = base.color }
    }
    if let finish = key.finish, let list = part?.finishes[finish.group],
      let values = list.indices.contains(Int(finish.index)) ? list[Int(finish.index)] : list.first
    {
      (material.metallic, material.roughness) = (values.metallic, values.roughness)
    }
    if let texture = key.texture {
      material.baseColorTexture = self.texture(texture, in: key.part)
      if material.name.isEmpty, let path = part?.textures[texture] {
        material.name = FileSystem.stem(of: path)
      }
    }
    // Equal materials of several parts or groups with the same name become one.
    let index = materials.firstIndex(of: material) ?? materials.count
    if index == materials.count { materials.append(material) }
    indexOfMaterial[key] = UInt32(index)
    return UInt32(index)
  }

  private mutating func texture(_ id: UInt32, in part: String) -> Int? {
    guard let path = package.parts[part]?.textures[id] else { return nil }
    let key = ThreeMFPackage.key(path)
    if let known = textureOfPath[key] { return known }
    let index = package.pictures[key].map {
      textures.add($0, fileName: FileSystem.name(of: path))
    }
    if index == nil { missingPictures.append(path) }
    textureOfPath[key] = index
    return index
  }
}

extension ThreeMFLooks.Look {
  /// Combines another layer with this one.
  fileprivate mutating func cover(with other: Self, multiplies: Bool) {
    if let material = other.material { self.material = material }
    if let finish = other.finish { self.finish = finish }
    if let texture = other.texture { (self.texture, coordinates) = (texture, other.coordinates) }
    if let color = other.color { self.color = color }
    if other.texture != nil || other.color != nil { keepsColor = keepsColor && multiplies }
  }
}
