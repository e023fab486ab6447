import MeshPipeline

/// Wavefront OBJ with its material libraries.
package enum OBJ: Format {
  package static let id = "obj"
  package static let name = "Wavefront OBJ"
  package static let extensions = ["obj"]
}
