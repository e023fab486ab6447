internal import CAssimp
import MeshpipeScene

/// Joins the parts of a surface and welds vertices with equal positions.
///
/// Assimp gives every corner its own vertex, or splits vertices at seams; here equal positions
/// of one colour become one vertex, and other attributes that differ between faces move to the corners.
struct AssimpMeshAssembly {
  private var mesh: Mesh
  private var points: PointCloud
  private var cornerNormals = PartialAttribute(filler: Vector3.zero)
  private var textureCoordinates = PartialAttribute(filler: Vector2.zero)
  private var pointNormals = PartialAttribute(filler: Vector3.zero)
  private var pointColors = PartialAttribute(filler: Color.white)
  private var colors: [Color] = []
  private var hasColors = false
  private var faceMaterials: [UInt32] = []

  init(name: String) {
    mesh = Mesh(name: name)
    points = PointCloud(name: name)
  }

  /// Adds the triangles of a part, and its points if it has no triangles; lines are ignored.
  mutating func add(_ part: aiMesh) {
    let vertices = unsafe UnsafeBufferPointer(
      start: part.mVertices, count: Int(part.mNumVertices))
    let faces = unsafe UnsafeBufferPointer(start: part.mFaces, count: Int(part.mNumFaces))
    var corners: [Int] = []
    corners.reserveCapacity(3 * faces.count)
    var pointVertices: [Int] = []
    for number in faces.indices {
      let face = unsafe faces[number]
      guard let indices = unsafe face.mIndices else { continue }
      switch unsafe face.mNumIndices {
      case 3:
        let triangle = unsafe (Int(indices[0]), Int(indices[1]), Int(indices[2]))
        guard max(triangle.0, triangle.1, triangle.2) < vertices.count else { continue }
        corners.append(triangle.0)
        corners.append(triangle.1)
        corners.append(triangle.2)
      case 1:
        let vertex = unsafe Int(indices[0])
        if vertex < vertices.count { pointVertices.append(vertex) }
      default: continue
      }
    }
    if !corners.isEmpty {
      unsafe addTriangles(corners, of: part, vertices: vertices)
    } else if faces.isEmpty || !pointVertices.isEmpty {
      unsafe addPoints(
        faces.isEmpty ? Array(vertices.indices) : pointVertices, of: part, vertices: vertices)
    }
  }

  private mutating func addTriangles(
    _ corners: [Int], of part: aiMesh, vertices: UnsafeBufferPointer<aiVector3D>
  ) {
    let partColors = unsafe part.mColors.0
    var number = [UInt32](repeating: .max, count: vertices.count)
    for corner in corners {
      if number[corner] == .max {
        number[corner] = UInt32(mesh.positions.count)
        mesh.positions.append(Vector3(unsafe vertices[corner]))
        colors.append(unsafe partColors.map { Color(unsafe $0[corner]) } ?? .white)
      }
      mesh.indices.append(number[corner])
    }
    if unsafe partColors != nil { hasColors = true }
    cornerNormals.append(
      unsafe part.mNormals.map { normals in
        corners.map { Vector3(unsafe normals[$0]).normalized }
      }, count: corners.count)
    textureCoordinates.append(
      unsafe part.mTextureCoords.0.map { coordinates in
        corners.map { unsafe Vector2(coordinates[$0].x, coordinates[$0].y).finite }
      }, count: corners.count)
    unsafe faceMaterials += repeatElement(part.mMaterialIndex, count: corners.count / 3)
  }

  private mutating func addPoints(
    _ chosen: [Int], of part: aiMesh, vertices: UnsafeBufferPointer<aiVector3D>
  ) {
    pointNormals.append(
      unsafe part.mNormals.map { normals in
        chosen.map { Vector3(unsafe normals[$0]).normalized }
      }, count: chosen.count)
    pointColors.append(
      unsafe part.mColors.0.map { colors in
        chosen.map { Color(unsafe colors[$0]) }
      }, count: chosen.count)
    points.positions += chosen.map { Vector3(unsafe vertices[$0]) }
  }

  /// The surface and the points; either may be empty.
  mutating func finish() -> (Mesh, PointCloud) {
    if mesh.faceCount > 0 {
      mesh.faceMaterials = faceMaterials
      if hasColors { mesh.colors = colors }
      weldVertices()
      mesh.textureCoordinates = textureCoordinates.values
      if let values = cornerNormals.values {
        if let shared = sharedValues(values, indices: mesh.indices, vertexCount: mesh.vertexCount) {
          mesh.normals = shared
        } else {
          mesh.cornerNormals = values
        }
      }
    }
    points.normals = pointNormals.values
    points.colors = pointColors.values
    return (mesh, points)
  }

  /// Merges vertices at the same position, unless their colours differ: these can't move to corners.
  private mutating func weldVertices() {
    let (first, vertices) = PositionWelder.weld(
      mesh.positions, tags: mesh.colors?.map(\.packed) ?? [])
    guard first.count < mesh.vertexCount else { return }
    mesh.positions = first.map { mesh.positions[Int($0)] }
    mesh.colors = mesh.colors.map { colors in first.map { colors[Int($0)] } }
    mesh.indices = mesh.indices.map { vertices[Int($0)] }
  }

  /// The values per vertex, if all corners at each vertex agree.
  private func sharedValues(
    _ values: [Vector3], indices: [UInt32], vertexCount: Int
  ) -> [Vector3]? {
    var shared = [Vector3](repeating: .zero, count: vertexCount)
    var isSet = [Bool](repeating: false, count: vertexCount)
    for (corner, vertex) in indices.enumerated() {
      let vertex = Int(vertex)
      if isSet[vertex] {
        guard shared[vertex] == values[corner] else { return nil }
      } else {
        shared[vertex] = values[corner]
        isSet[vertex] = true
      }
    }
    return shared
  }
}

/// An attribute that some parts of a surface may lack.
private struct PartialAttribute<Value> {
  let filler: Value
  private(set) var values: [Value]?
  private var count = 0

  init(filler: Value) { self.filler = filler }

  /// Adds the values of a part, or `count` default values for a part without.
  mutating func append(_ part: [Value]?, count partCount: Int) {
    if let part {
      if values == nil { values = Array(repeating: filler, count: count) }
      values?.append(contentsOf: part)
    } else {
      let fillers = repeatElement(filler, count: partCount)
      values?.append(contentsOf: fillers)
    }
    count += partCount
  }
}

extension Vector3 {
  /// The vector of `aiVector3D`, with negative zero as zero.
  init(_ vector: aiVector3D) {
    self.init(vector.x + 0, vector.y + 0, vector.z + 0)
  }
}

extension Color {
  /// A colour of Assimp, components 0 to 1.
  init(_ color: aiColor4D) {
    func byte(_ value: Float) -> UInt8 {
      UInt8((min(max(value.isFinite ? value : 0, 0), 1) * 255).rounded())
    }
    self.init(
      red: byte(color.r), green: byte(color.g), blue: byte(color.b), alpha: byte(color.a))
  }
}
