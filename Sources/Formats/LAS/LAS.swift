package import MeshPipeline

/// The format of the ASPRS for points of laser scanners, uncompressed.
package enum LAS: Format {
  package static let id = "las"
  package static let name = "ASPRS LAS"
  package static let extensions = ["las"]
}

extension LAS: ReadableFormat {
  package static let canBring: Set<SceneFeature> = .ofPoints

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "LASF") }

  /// Reads the points of all versions up to 1.4 and all point formats, without waveforms.
  ///
  /// Fields that are the same default in all points are left out. Codes of the ASPRS are classes by
  /// their names, or by those that the file gives them. Feet become metres, and degrees a zone of UTM.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let header: LASHeader
      do throws(LASHeader.Fault) {
        header = try file.withBytes { bytes throws(LASHeader.Fault) in try LASHeader(bytes) }
      } catch {
        throw ReadingError.byte(path: file.path, offset: error.offset, error.message)
      }
      for remark in header.remarks {
        context.stage.warn("\(FileSystem.name(of: path)): \(remark)")
      }
      let scene = try LASAssembly(file: file, header: header, context: context).scene()
      try context.stage.progress(1)
      return scene
    }
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? { .blender }
}

extension LAS: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Version; 1.2 and 1.3 have the older point formats 0 to 3.")
    package var version = LASVersion.v14
    @Parameter(
      "Step to which coordinates are rounded, in the unit of the file; if absent, that of the file that was read, but at most a thousandth, or 0.0001.",
      in: 1e-9...1000)
    package var scale: Double? = nil
    @Parameter(
      "Position of the scene's origin, as in a national grid: east, north and up in metres; by default as in the file that was read."
    )
    package var origin: NumberVector? = nil

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = .ofPoints
  package static let axes = AxisConvention.fixed(.blender)
  package static let addsOrigin = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    Points of clouds and vertices of meshes, uncompressed: compressed files (LAZ) are neither read nor written. The fields of the \
    specification are custom attributes under the names of laspy and PDAL (`intensity`, `return_number`, `gps_time`, …); \
    normals, confidences and other attributes are extra bytes. Intensities under other names, as CloudCompare's \
    `scalar_Intensity`, are the field's, and fractions from 0 to 1 become 0 to 65535. Colours keep their 16 bits. Classes have the codes of the ASPRS by their names; floors are \
    ground (2), walls building (6), and other classes of rooms have codes from 64 on, with a table of their names in the file. \
    Where a table names them, that is what they are read as; otherwise 2 is `ground` and 6 `building`. Points far \
    from zero are read relative to a round place near them, which is \
    added again when they are written. Coordinate reference systems (keys of GeoTIFF, well-known text) are read for their units: \
    feet become metres, degrees a zone of UTM. What was not turned or scaled is written in the system and the units of the file \
    that was read, with its offset, step and codes of classes. The kind of its GPS times, its source ID and its system \
    identifier stay. Points of code 0, never classified, have no class, like those of code 1; \
    an attribute `never_classified` keeps them apart where a file has both.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    var options = try context.options(of: Self.self)
    let points = scene.asPoints(in: .blender)
    // Only another place is off the map of the file that was read.
    if options.origin?.value == points.origin { options.origin = nil }
    try context.requirePoints(in: points, of: Self.self)
    context.warnOfLosses(of: scene, in: Self.self)
    let body = try LASBody(points, options: options, in: context)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(body.head)
    try body.writePoints(to: writer)
    try writer.finish()
  }
}

/// A version of LAS that can be written.
package enum LASVersion: String, CaseIterable, ParameterValue {
  case v12 = "1.2"
  case v13 = "1.3"
  case v14 = "1.4"

  var minor: UInt8 {
    switch self {
    case .v12: 2
    case .v13: 3
    case .v14: 4
    }
  }

  var headerSize: Int {
    switch self {
    case .v12: 227
    case .v13: 235
    case .v14: 375
    }
  }
}
