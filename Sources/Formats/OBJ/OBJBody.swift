import MeshPipeline

/// A scene as the lines of an OBJ file.
struct OBJBody {
  /// The file of the materials, named in the first line.
  var materialLibrary: String?
  /// What comments say.
  var remarks: [String] = []
  private(set) var materials: MaterialTable

  private let scene: Scene
  /// Added to positions.
  private let origin: SIMD3<Double>
  private let hasClasses: Bool
  /// The faces of each mesh in the order in which they are written.
  private let groups: [FaceGroups]
  /// The entry of ``materials`` for each group of each mesh.
  private let groupMaterials: [[Int?]]

  init(_ scene: Scene, origin: SIMD3<Double>) {
    self.scene = scene
    self.origin = origin
    hasClasses = scene.meshes.contains { $0.classes != nil }
    groups = scene.meshes.map { FaceGroups($0) }
    var materials = MaterialTable(of: scene, splitsByClass: false)
    let found = zip(scene.meshes, groups).map { mesh, groups in
      groups.groups.map { group in
        let className = group.label.flatMap { mesh.classes?.names[Int($0)] }
        return materials.index(material: group.material, className: className)
      }
    }
    // OBJ can't end a material, so a mesh without one needs an explicit one.
    let hasMaterials = !materials.entries.isEmpty
    groupMaterials = found.map { indices in
      indices.map { $0 ?? (hasMaterials ? materials.plainIndex() : nil) }
    }
    self.materials = materials
  }

  /// The number of lines of each kind written so far: indices count from one over the whole file.
  private struct Counts {
    var vertices: UInt32 = 0
    var textureCoordinates: UInt32 = 0
    var normals: UInt32 = 0
  }

  func write(to writer: FileWriter) throws {
    try writer.write("# \(scene.coordinateSystem.declaration)\n")
    for remark in remarks { try writer.write("# \(remark)\n") }
    if let materialLibrary { try writer.write("mtllib \(materialLibrary)\n") }
    var counts = Counts()
    for index in scene.meshes.indices { try writeMesh(index, counts: &counts, to: writer) }
    for cloud in scene.pointClouds { try write(cloud, counts: &counts, to: writer) }
  }

  /// A name on one line, which a backslash at its end would join with the next.
  private static func plain(_ name: String) -> String {
    let name = singleLine(name)
    return name.hasSuffix("\\") ? name + "_" : name
  }

  // MARK: Vertices

  private func writeVertices(
    _ positions: [Vector3], _ colors: [Color]?, to writer: FileWriter
  ) throws {
    let powers = DecimalPowers.shared
    try writer.write(count: positions.count) { range, buffer in
      for vertex in range {
        buffer.append("v")
        if origin == .zero {
          buffer.append(spaced: positions[vertex], powers: powers)
        } else {
          buffer.append(spaced: positions[vertex].double + origin)
        }
        if let color = colors?[vertex] { buffer.append(fractionsOf: color) }
        buffer.append("\n")
      }
    }
  }

  private func writeNormals(_ normals: [Vector3], to writer: FileWriter) throws {
    let powers = DecimalPowers.shared
    try writer.write(count: normals.count) { range, buffer in
      for index in range {
        buffer.append("vn")
        buffer.append(spaced: normals[index], powers: powers)
        buffer.append("\n")
      }
    }
  }

  private func writeTextureCoordinates(_ places: [Vector2], to writer: FileWriter) throws {
    let powers = DecimalPowers.shared
    try writer.write(count: places.count) { range, buffer in
      for index in range {
        buffer.append("vt ")
        buffer.append(decimal: places[index].x, powers: powers)
        buffer.append(" ")
        buffer.append(decimal: places[index].y, powers: powers)
        buffer.append("\n")
      }
    }
  }

  // MARK: Meshes

  private func writeMesh(_ index: Int, counts: inout Counts, to writer: FileWriter) throws {
    let mesh = scene.meshes[index]
    if !mesh.name.isEmpty { try writer.write("o \(Self.plain(mesh.name))\n") }
    try writeVertices(mesh.positions, mesh.colors, to: writer)
    var corners = FaceCorners(firstVertex: counts.vertices + 1)
    if let places = mesh.textureCoordinates {
      let (numbers, distinct) = mesh.distinct(places)
      try writeTextureCoordinates(distinct, to: writer)
      corners.textureCoordinates = numbers
      corners.firstTextureCoordinate = counts.textureCoordinates + 1
      counts.textureCoordinates += UInt32(distinct.count)
    }
    corners.firstNormal = counts.normals + 1
    if let normals = mesh.cornerNormals {
      let (numbers, distinct) = mesh.distinct(normals)
      try writeNormals(distinct, to: writer)
      corners.normals = numbers
      counts.normals += UInt32(distinct.count)
    } else if let normals = mesh.normals {
      try writeNormals(normals, to: writer)
      corners.normals = mesh.indices
      counts.normals += UInt32(normals.count)
    }
    counts.vertices += UInt32(mesh.vertexCount)
    for (group, material) in zip(groups[index].groups, groupMaterials[index]) {
      try writeMarks(of: group, in: mesh, material: material, to: writer)
      try write(group, of: mesh, order: groups[index].order, corners: corners, to: writer)
    }
  }

  /// Writes class and material of the faces that follow.
  private func writeMarks(
    of group: FaceGroups.Group, in mesh: Mesh, material: Int?, to writer: FileWriter
  ) throws {
    if hasClasses {
      let name = group.label.flatMap { mesh.classes?.names[Int($0)] } ?? "default"
      try writer.write("g \(String(Self.plain(name).map { $0 == " " ? "-" : $0 }))\n")
    }
    if let material { try writer.write("usemtl \(materials.entries[material].name)\n") }
  }

  /// The indices of a mesh's corners.
  private struct FaceCorners {
    var firstVertex: UInt32
    var firstTextureCoordinate: UInt32 = 0
    var firstNormal: UInt32 = 0
    var textureCoordinates: [UInt32]?
    var normals: [UInt32]?
  }

  private func write(
    _ group: FaceGroups.Group, of mesh: Mesh, order: [UInt32]?, corners: FaceCorners,
    to writer: FileWriter
  ) throws {
    let (start, indices) = (group.range.lowerBound, mesh.indices)
    try writer.write(count: group.range.count) { range, buffer in
      for place in range {
        let face = order.map { Int($0[start + place]) } ?? start + place
        buffer.append("f")
        for corner in 3 * face..<3 * face + 3 {
          buffer.append(" ")
          buffer.append(decimal: indices[corner] + corners.firstVertex)
          if let numbers = corners.textureCoordinates {
            buffer.append("/")
            buffer.append(decimal: numbers[corner] + corners.firstTextureCoordinate)
          }
          if let numbers = corners.normals {
            if corners.textureCoordinates == nil { buffer.append("/") }
            buffer.append("/")
            buffer.append(decimal: numbers[corner] + corners.firstNormal)
          }
        }
        buffer.append("\n")
      }
    }
  }

  // MARK: Points

  private func write(
    _ cloud: PointCloud, counts: inout Counts, to writer: FileWriter
  ) throws {
    guard !cloud.positions.isEmpty else { return }
    try writer.write("o \(cloud.name.isEmpty ? "points" : Self.plain(cloud.name))\n")
    try writeVertices(cloud.positions, cloud.colors, to: writer)
    let first = counts.vertices + 1
    try writer.write(count: cloud.positions.count) { range, buffer in
      for point in range {
        buffer.append("p ")
        buffer.append(decimal: first + UInt32(point))
        buffer.append("\n")
      }
    }
    counts.vertices += UInt32(cloud.positions.count)
  }
}

extension Mesh {
  /// The values of corners without duplicates at the same vertex, and the index of each corner's.
  fileprivate func distinct<Value: Equatable>(
    _ values: [Value]
  ) -> (numbers: [UInt32], values: [Value]) {
    var split = SplitCorners(vertexCount: vertexCount)
    var numbers = [UInt32](repeating: 0, count: cornerCount)
    for corner in 0..<cornerCount {
      numbers[corner] = split.number(corner: UInt32(corner), vertex: indices[corner]) {
        values[Int($0)] == values[Int($1)]
      }
    }
    return (numbers, split.corners.map { values[Int($0)] })
  }
}

extension ByteBuffer {
  /// Appends a position far from zero; more digits than those of a micrometre would be noise.
  fileprivate mutating func append(spaced position: SIMD3<Double>) {
    for axis in 0..<3 {
      append(" ")
      append(Array("\((position[axis] * 1e6).rounded() / 1e6)".utf8))
    }
  }

  /// Appends a colour as fractions that round back to the same 8-bit values.
  fileprivate mutating func append(fractionsOf color: Color) {
    append(fraction: color.red)
    append(fraction: color.green)
    append(fraction: color.blue)
  }

  private mutating func append(fraction component: UInt8) {
    switch component {
    case 0: append(" 0")
    case 255: append(" 1")
    default:
      append(" 0.")
      append(digits: (UInt32(component) * 10_000 + 127) / 255, count: 4)
    }
  }
}
