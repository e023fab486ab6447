import MeshPipeline

/// The Stanford polygon file format, ASCII and binary.
package enum PLY: Format {
  package static let id = "ply"
  package static let name = "Stanford PLY"
  package static let extensions = ["ply"]
}
