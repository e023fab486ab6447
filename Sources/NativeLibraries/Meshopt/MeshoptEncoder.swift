internal import CMeshopt
package import MeshpipeScene

/// Encodes geometry for `EXT_meshopt_compression` with meshoptimizer.
///
/// The bytes depend on the input and the library's version alone. Ask ``fault`` first: all functions need the library.
package enum MeshoptEncoder {
  /// Why the library can't be used, with the way out; nil if it can.
  package static var fault: NativeLibraryError? {
    guard let reason = unsafe meshpipe_meshopt_fault() else { return nil }
    return NativeLibraryError("meshoptimizer", unsafe String(cString: reason))
  }

  /// Puts triangles into an order that compresses well and vertices into that of their first use.
  ///
  /// - Parameters:
  ///   - triangles: Three indices each, less than `vertexCount`; replaced by those in the new order.
  /// - Returns: The old number of each vertex; vertices without triangles are last.
  package static func order(_ triangles: inout [UInt32], vertexCount: Int) -> [UInt32] {
    precondition(fault == nil && triangles.count.isMultiple(of: 3))
    precondition(triangles.allSatisfy { $0 < vertexCount })
    return unsafe numbers(vertexCount) { order, scratch in
      unsafe triangles.withUnsafeMutableBufferPointer { triangles in
        unsafe meshpipe_meshopt_order_triangles(
          triangles.baseAddress, triangles.count, order, scratch, vertexCount)
      }
    }
  }

  /// The order of points in which neighbours follow each other: the old number of each.
  package static func order(ofPoints positions: [Vector3]) -> [UInt32] {
    precondition(fault == nil)
    return unsafe numbers(positions.count) { order, scratch in
      unsafe positions.withUnsafeBytes { bytes in
        unsafe meshpipe_meshopt_order_points(
          bytes.baseAddress?.assumingMemoryBound(to: Float.self), order, scratch, positions.count)
      }
    }
  }

  private static func numbers(
    _ count: Int,
    _ body: (_ order: UnsafeMutablePointer<UInt32>?, _ scratch: UnsafeMutablePointer<UInt32>?) ->
      Void
  ) -> [UInt32] {
    var order = [UInt32](repeating: 0, count: count)
    var scratch = order
    guard count > 0 else { return order }
    unsafe order.withUnsafeMutableBufferPointer { order in
      unsafe scratch.withUnsafeMutableBufferPointer { scratch in
        unsafe body(order.baseAddress, scratch.baseAddress)
      }
    }
    return order
  }

  /// Vertices in mode ``MeshoptDecoder/Mode/attributes``.
  ///
  /// - Parameters:
  ///   - bytes: One vertex after the other.
  ///   - stride: The bytes of each: a multiple of 4, and at most 256.
  package static func encoded(vertices bytes: [UInt8], stride: Int) -> [UInt8] {
    precondition(fault == nil)
    precondition(stride > 0 && stride <= 256 && stride % 4 == 0 && bytes.count % stride == 0)
    let count = bytes.count / stride
    let capacity = meshpipe_meshopt_vertices_bound(count, stride)
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, length in
      length = unsafe meshpipe_meshopt_encode_vertices(
        bytes, count, stride, target.baseAddress, capacity)
    }
  }

  /// Indices in mode ``MeshoptDecoder/Mode/triangles``: in an order as by ``order(_:vertexCount:)``.
  package static func encoded(triangles: [UInt32], vertexCount: Int) -> [UInt8] {
    precondition(fault == nil && triangles.count.isMultiple(of: 3))
    let capacity = meshpipe_meshopt_triangles_bound(triangles.count, vertexCount)
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { target, length in
      length = unsafe meshpipe_meshopt_encode_triangles(
        triangles, triangles.count, target.baseAddress, capacity)
    }
  }

  /// Unit vectors as four bytes each, for filter ``MeshoptDecoder/Filter/octahedral``.
  ///
  /// A vector has eight bits for each of two directions; its fourth component, from -1 to 1, is kept.
  package static func octahedralBytes(of directions: [SIMD4<Float>]) -> [UInt8] {
    precondition(fault == nil)
    let size = 4 * directions.count
    return unsafe [UInt8](unsafeUninitializedCapacity: size) { target, length in
      unsafe directions.withUnsafeBytes { bytes in
        unsafe meshpipe_meshopt_octahedral_bytes(
          bytes.baseAddress?.assumingMemoryBound(to: Float.self), directions.count,
          target.baseAddress)
      }
      length = size
    }
  }
}
