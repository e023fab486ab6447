import MeshPipeline

/// glTF 2.0 in one binary file.
package enum GLB: Format {
  package static let id = "glb"
  package static let name = "Binary glTF 2.0"
  package static let extensions = ["glb"]
}
