import MeshPipeline

/// Points as lines of numbers, with or without a header.
package enum XYZ: Format {
  package static let id = "xyz"
  package static let name = "XYZ text"
  package static let extensions = ["xyz", "asc", "csv"]
}
