/// All meshes of a scene as one: arrays per vertex, corner and face, and a look for each face.
///
/// An attribute that no mesh has is an empty array; if only some meshes have it, the others have
/// zeros, which no look refers to.
package struct SceneSurface: Sendable {
  package private(set) var positions: [Vector3] = []
  package private(set) var indices: [UInt32] = []
  package private(set) var colors: [Color] = []
  package private(set) var normals: [Vector3] = []
  package private(set) var cornerNormals: [Vector3] = []
  package private(set) var textureCoordinates: [Vector2] = []
  /// Index into ``looks`` per face.
  package private(set) var faceLooks: [UInt16] = []
  package private(set) var looks: [SurfaceLook] = []
  private var lookIndices: [SurfaceLook: UInt16] = [:]

  package init(_ scene: Scene, _ choose: SurfaceLooks) {
    let meshes = scene.meshes.filter { $0.faceCount > 0 }.map { $0.splitAtFaceColors() }
    for mesh in meshes { append(mesh, among: meshes) }
    for mesh in meshes { appendLooks(of: mesh, choose) }
    hideBrokenFaces()
  }

  package var faceCount: Int { indices.count / 3 }

  private mutating func append(_ mesh: Mesh, among meshes: [Mesh]) {
    let start = UInt32(positions.count)
    positions += mesh.positions
    indices += start == 0 ? mesh.indices : mesh.indices.map { $0 + start }
    func join<Value>(
      _ all: inout [Value], _ path: KeyPath<Mesh, [Value]?>, blank: Value, count n: Int
    ) {
      guard meshes.contains(where: { $0[keyPath: path] != nil }) else { return }
      all += mesh[keyPath: path] ?? [Value](repeating: blank, count: n)
    }
    join(&colors, \.colors, blank: .white, count: mesh.vertexCount)
    join(&normals, \.normals, blank: .zero, count: mesh.vertexCount)
    join(&cornerNormals, \.cornerNormals, blank: .zero, count: mesh.cornerCount)
    join(&textureCoordinates, \.textureCoordinates, blank: .zero, count: mesh.cornerCount)
  }

  private mutating func appendLooks(of mesh: Mesh, _ choose: SurfaceLooks) {
    var known: [SIMD2<Int>: UInt16] = [:]
    var last = (key: SIMD2(-2, -2), look: UInt16(0))
    faceLooks.reserveCapacity(faceLooks.count + mesh.faceCount)
    for face in 0..<mesh.faceCount {
      let material = mesh.faceMaterials.map { Int($0[face]) }
      let label = mesh.classes.map { Int($0.labels[face]) }
      let key = SIMD2(material ?? -1, label ?? -1)
      if key != last.key {
        last = (
          key,
          known[key] ?? add(choose.look(of: mesh, material: material, label: label))
        )
        known[key] = last.look
      }
      faceLooks.append(last.look)
    }
  }

  private mutating func add(_ look: SurfaceLook) -> UInt16 {
    if let index = lookIndices[look] { return index }
    // Too many looks to be distinguishable share the last one.
    guard looks.count <= Int(UInt16.max) else { return .max }
    let index = UInt16(looks.count)
    looks.append(look)
    lookIndices[look] = index
    return index
  }

  /// Shrinks faces with a non-finite corner to a point, which no ray hits.
  private mutating func hideBrokenFaces() {
    let broken = positions.indices.filter { !positions[$0].isFinite }
    guard !broken.isEmpty else { return }
    var isBroken = [Bool](repeating: false, count: positions.count)
    let whole = positions.first(where: \.isFinite) ?? .zero
    for vertex in broken {
      isBroken[vertex] = true
      positions[vertex] = whole
    }
    for face in 0..<faceCount
    where (0..<3).contains(where: { isBroken[Int(indices[3 * face + $0])] }) {
      for corner in 1..<3 { indices[3 * face + corner] = indices[3 * face] }
    }
  }

  /// The bounding box of used vertices.
  package var usedBox: Box {
    let boxes = Parallel.mapChunks(of: indices.count) { corners in
      var box = Box()
      for corner in corners { box.add(positions[Int(indices[corner])].simd) }
      return box
    }
    var box = Box()
    for part in boxes { box.add(part) }
    return box
  }

  /// Whether most of the surface faces the centre of its box, as the walls of a room do.
  ///
  /// It is the sign of the volume enclosed by the surface, seen from that centre.
  package var looksInward: Bool {
    let middle = usedBox.center
    let parts = Parallel.mapChunks(of: faceCount) { faces in
      faces.reduce(0.0) { sum, face in
        let (a, b, c) = (
          corner(face, 0) - middle, corner(face, 1) - middle, corner(face, 2) - middle
        )
        return sum + Double(a.dot(b.cross(c)))
      }
    }
    return parts.reduce(0, +) < 0
  }

  package func corner(_ face: Int, _ corner: Int) -> SIMD3<Float> {
    positions[Int(indices[3 * face + corner])].simd
  }
}
