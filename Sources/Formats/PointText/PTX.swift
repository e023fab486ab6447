package import MeshPipeline

/// Leica's scans as text, each with the place of its scanner and its grid of points.
package enum PTX: Format {
  package static let id = "ptx"
  package static let name = "Leica PTX"
  package static let extensions = ["ptx"]
}

extension PTX: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [.points, .colors, .customAttributes]

  /// Reads the points of all scans, moved by the matrix of each.
  ///
  /// Points at 0 0 0, which the format has where the scanner saw nothing, are left out.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      do {
        return try PTXReader(file: file, context: context).scene()
      } catch let fault as LineFault {
        throw ReadingError.line(path: path, line: fault.line + 1, fault.message)
      }
    }
  }

  /// Scanners stand upright.
  package static func coordinateSystem(of path: String) -> CoordinateSystem? { .blender }
}
