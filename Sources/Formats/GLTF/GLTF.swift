import MeshPipeline

/// glTF 2.0 as a JSON file with separate buffers and images.
package enum GLTF: Format {
  package static let id = "gltf"
  package static let name = "glTF 2.0"
  package static let extensions = ["gltf"]
}
