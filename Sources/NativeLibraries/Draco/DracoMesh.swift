internal import CDraco
package import MeshPipeline

/// A mesh that was compressed by `KHR_draco_mesh_compression`, decoded with Draco.
@safe package final class DracoMesh {
  /// Why there is no mesh; the reason, for the message of a file.
  package struct Failure: Error {
    package var reason: String
  }

  private let mesh: OpaquePointer

  /// Decodes a mesh.
  ///
  /// - Parameter mostElements: The most points and corners of faces that the data may claim, which is checked before memory
  ///   is taken for them. All attributes together may have four times as many numbers.
  package init(_ bytes: Span<UInt8>, mostElements: Int) throws(Failure) {
    var mesh: OpaquePointer?
    let reason = unsafe nativeMessage { error, size in
      unsafe mesh = bytes.withUnsafeBufferPointer { bytes in
        unsafe meshpipe_draco_decode(
          bytes.baseAddress, bytes.count, UInt64(max(0, mostElements)), error, size)
      }
    }
    guard let mesh = unsafe mesh else { throw Failure(reason: reason) }
    unsafe self.mesh = mesh
  }

  deinit { unsafe meshpipe_draco_free_mesh(mesh) }

  package var pointCount: Int { unsafe meshpipe_draco_point_count(mesh) }

  /// Three points for each face.
  package var triangles: [UInt32] {
    let count = unsafe 3 * meshpipe_draco_face_count(mesh)
    return unsafe [UInt32](unsafeUninitializedCapacity: count) { target, length in
      if let start = target.baseAddress { unsafe meshpipe_draco_indices(mesh, start) }
      length = count
    }
  }

  /// The number of components of an attribute; nil if there is no attribute with this identifier.
  package func width(ofAttribute identifier: Int) -> Int? {
    guard let number = UInt32(exactly: identifier) else { return nil }
    let width = unsafe meshpipe_draco_components(mesh, number)
    return width > 0 ? Int(width) : nil
  }

  /// The values of an attribute for each point, one after the other.
  ///
  /// - Parameter type: One of glTF's.
  /// - Returns: Nil if there is no such attribute, or if the type can't hold its values.
  package func values(ofAttribute identifier: Int, as type: NumberType) -> [UInt8]? {
    guard let width = width(ofAttribute: identifier) else { return nil }
    let count = pointCount * width * type.size
    var isDone = false
    let values = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, length in
      unsafe target.initialize(repeating: 0)
      isDone = unsafe meshpipe_draco_values(
        mesh, UInt32(identifier), type.draco, target.baseAddress)
      length = count
    }
    return isDone ? values : nil
  }
}
