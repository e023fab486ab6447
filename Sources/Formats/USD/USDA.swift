import MeshPipeline

/// Universal Scene Description as text.
package enum USDA: Format {
  package static let id = "usda"
  package static let name = "USD as text"
  package static let extensions = ["usda"]
}
