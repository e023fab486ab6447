package import MeshPipeline

/// A picture of what a surface has in its texture coordinates.
package enum SurfaceMapPNG: Format {
  package static let id = "surface-map"
  package static let name = "Surface map"
  package static let extensions = SurfaceMap.Kind.allCases.map { "\($0.rawValue).png" }
}

extension SurfaceMapPNG: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.surfaceMaps]
  package static let axes = AxisConvention.declared
  package static let holdsProvenance = Provenance.Extent.short
  package static let remark = """
    A map of `bake-maps` that materials have no place for, as PNG: the file's name says which, as `room.height.png`. \
    Position, height and curvature have 16 bits, and the PNG's `Description` says what black and white are. Further \
    pages of texture coordinates are files beside it: `room-2.height.png`.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    let file = output.mainFileName
    guard let kind = SurfaceMap.Kind(ofFile: file) else { throw Fault.unnamed(file: file) }
    let pages = scene.surfaceMaps.filter { $0.kind == kind }.flatMap(\.pages)
    guard !pages.isEmpty else { throw Fault.missing(kind.rawValue, scene.surfaceMaps) }
    let stem = file.dropLast(".\(kind.rawValue).png".count)
    let end = file.dropFirst(stem.count)
    // The main file last.
    for (index, page) in pages.enumerated().reversed() {
      let path = index == 0 ? output.mainPath : output.sidePath("\(stem)-\(index + 1)\(end)")
      let writer = try FileWriter(creating: path, in: context.stage)
      try writer.write(context.marked(page.bytes))
      try writer.finish()
    }
  }

  /// Why no map can be written.
  private enum Fault: UserError {
    case unnamed(file: String)
    case missing(String, [SurfaceMap])

    var exitCode: ExitCode {
      switch self {
      case .unnamed: .configuration
      case .missing: .data
      }
    }

    var message: String {
      switch self {
      case .unnamed(let file):
        "the name '\(file)' does not say which map to write; end it with "
          + SurfaceMapPNG.extensions.map { ".\($0)" }.joined(separator: ", ")
      case .missing(let kind, let maps):
        "the scene has no \(kind) map; it has "
          + (maps.isEmpty ? "none" : maps.map(\.kind.rawValue).joined(separator: ", "))
          + ", and 'bake-maps' makes those that its 'maps' names"
      }
    }
  }
}
