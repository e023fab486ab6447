import MeshPipeline
import NativeLibraries

/// The compressed elements of a buffer view, as in `EXT_meshopt_compression`.
struct GLTFStream: Sendable {
  var mode: MeshoptDecoder.Mode
  var filter = MeshoptDecoder.Filter.none
  /// The number of elements.
  var count: Int
  /// The bytes of an element.
  var stride: Int
  var bytes: [UInt8]
}

/// A mesh in an order that compresses well.
///
/// Triangles follow strips and vertices their first use, within each primitive; points follow their neighbours.
struct GLTFCompressedMesh: Sendable {
  private let mesh: GLTFMeshLayout
  /// The vertex of the layout for each vertex of the file.
  private let order: [UInt32]
  /// Of all primitives, one after the other; nil for points.
  let indices: GLTFStream?

  init(_ mesh: GLTFMeshLayout) {
    let parts = Parallel.map(count: mesh.primitives.count) { number in
      Self.ordered(mesh.primitives[number], of: mesh)
    }
    self.mesh = mesh
    order = zip(parts, mesh.primitives).flatMap { part, primitive in
      let first = UInt32(primitive.vertices.lowerBound)
      return part.order.map { first + $0 }
    }
    guard !mesh.isPoints else {
      indices = nil
      return
    }
    let triangles = Parallel.joined(parts.map(\.triangles))
    indices = GLTFStream(
      mode: .triangles, count: triangles.count, stride: mesh.compressedIndexType.size,
      bytes: MeshoptEncoder.encoded(triangles: triangles, vertexCount: mesh.vertexCount))
  }

  private static func ordered(
    _ primitive: GLTFMeshLayout.Primitive, of mesh: GLTFMeshLayout
  ) -> (order: [UInt32], triangles: [UInt32]) {
    guard !mesh.isPoints else {
      let positions = primitive.vertices.map { mesh.position(of: $0) }
      return (MeshoptEncoder.order(ofPoints: positions), [])
    }
    var triangles = Array(mesh.indices[primitive.corners])
    let order = MeshoptEncoder.order(&triangles, vertexCount: primitive.vertices.count)
    return (order, triangles)
  }

  /// An attribute of all vertices.
  func stream(of attribute: GLTFAttribute) -> GLTFStream {
    let form = mesh.form(of: attribute)
    let vertices = order.lazy.map { Int($0) }
    var stream = GLTFStream(
      mode: .attributes, count: order.count, stride: form.stride, bytes: [])
    if attribute == .normal || attribute == .tangent {
      stream.filter = .octahedral
      stream.bytes = MeshoptEncoder.octahedralBytes(
        of: vertices.map { mesh.direction(attribute, of: $0) })
    } else {
      var buffer = ByteBuffer(capacity: order.count * form.stride)
      mesh.append(attribute, of: vertices, to: &buffer)
      stream.bytes = buffer.bytes
    }
    stream.bytes = MeshoptEncoder.encoded(vertices: stream.bytes, stride: form.stride)
    return stream
  }
}

extension GLTFMeshLayout {
  /// The type of a mesh's indices in a stream, whose elements have one size.
  var compressedIndexType: GLTFComponentType {
    primitives.allSatisfy(\.hasShortIndices) ? .unsignedShort : .unsignedInt
  }
}
