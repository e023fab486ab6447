import MeshPipeline

/// Object File Format: vertices and polygons, originally by Geomview.
package enum OFF: Format {
  package static let id = "off"
  package static let name = "Object File Format"
  package static let extensions = ["off"]
}
