import MeshPipeline

/// The format of the ASPRS for points of laser scanners, uncompressed.
package enum LAS: Format {
  package static let id = "las"
  package static let name = "ASPRS LAS"
  package static let extensions = ["las"]
}
