internal import CAssimp
import MeshpipeBase

extension WireDigest {
  /// Adds the numbers of an imported scene that become those of a ``Scene``.
  mutating func mix(_ scene: aiScene) {
    let meshes = unsafe UnsafeBufferPointer(start: scene.mMeshes, count: Int(scene.mNumMeshes))
    for index in meshes.indices {
      guard let mesh = unsafe meshes[index] else { continue }
      let count = unsafe Int(mesh.pointee.mNumVertices)
      unsafe mix(mesh.pointee.mVertices, count)
      unsafe mix(mesh.pointee.mNormals, count)
      unsafe mix(mesh.pointee.mColors.0, count)
      unsafe mix(mesh.pointee.mTextureCoords.0, count)
    }
  }

  private mutating func mix<Element>(_ start: UnsafeMutablePointer<Element>?, _ count: Int) {
    guard let start = unsafe start else { return }
    let bytes = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(start: start, count: count))
    unsafe mix(bytes.bytes)
  }
}
