import MeshPipeline

/// Stereolithography triangles, ASCII and binary.
package enum STL: Format {
  package static let id = "stl"
  package static let name = "STL"
  package static let extensions = ["stl"]
}
