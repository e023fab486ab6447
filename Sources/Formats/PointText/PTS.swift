import MeshPipeline

/// Leica's points as text: their number, then lines of coordinates, intensity and colour.
package enum PTS: Format {
  package static let id = "pts"
  package static let name = "Leica PTS"
  package static let extensions = ["pts"]
}
