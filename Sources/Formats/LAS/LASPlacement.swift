import MeshPipeline

/// How the numbers of a LAS file become positions in metres near zero.
struct LASPlacement {
  /// What is done to the numbers.
  enum Map: Sendable {
    /// East, north and up are multiplied by the length of their units.
    case scaled(SIMD3<Double>)
    /// Longitude and latitude become east and north; heights are multiplied.
    case projected(TransverseMercator, height: Double)
  }

  private(set) var map = Map.scaled(SIMD3(1, 1, 1))
  /// Subtracted from positions in metres.
  private(set) var origin = SIMD3<Double>.zero
  private(set) var survey = Survey()
  private(set) var interpretation = Interpretation()
  /// What the user should know of it.
  private(set) var warnings: [String] = []

  /// Why a file can't be used, with the way out.
  struct Refusal: Error {
    var message: String
  }

  /// Longitudes or latitudes further apart are not those of one scan, nor on the map of one zone.
  private static let widest = 12.0

  /// - Parameters:
  ///   - bounds: Those of the file's numbers.
  ///   - givenUnit: The length of a unit in metres, if the user says it.
  init(
    _ header: LASHeader, bounds: (low: SIMD3<Double>, high: SIMD3<Double>), givenUnit: Double?
  ) throws(Refusal) {
    let reference = LASReference(header.referenceRecords, prefersText: header.prefersText)
    survey.referenceSystem = reference?.system
    survey.lattice = .init(step: header.scale, offset: header.offset)
    let agrees =
      givenUnit == 1 && reference?.kind == .projected
      && reference?.system.horizontalUnit == 1
    if givenUnit != nil, !agrees {
      survey.leaveGrid()
    } else {
      try place(reference, bounds)
    }
    takeOrigin(bounds)
  }

  private mutating func place(
    _ reference: LASReference?, _ bounds: (low: SIMD3<Double>, high: SIMD3<Double>)
  ) throws(Refusal) {
    switch reference?.kind {
    case .geocentric:
      throw Refusal(
        message: """
          its coordinates are distances from the middle of the earth (geocentric), in which nothing is upright; \
          \(Self.wayOut)
          """)
    case .sexagesimal:
      throw Refusal(
        message: """
          its coordinates are degrees, minutes and seconds in one number (DDD.MMSSsss), by its header; make them decimal \
          degrees first. If they are that already, only the header is wrong: 'pdal translate a.las b.las \
          --readers.las.override_srs=EPSG:4326 --writers.las.forward=scale,offset'
          """)
    case .otherAngles:
      throw Refusal(message: "its coordinates are angles other than degrees; \(Self.wayOut)")
    case .geographic(let ellipsoid):
      guard Degrees.canBe(bounds) else {
        warnings.append(
          """
          says that its coordinates are degrees (\(reference?.system.words ?? "")), which they can't be: they are taken for metres
          """)
        survey.referenceSystem = nil
        return
      }
      guard let ellipsoid, let reference else {
        throw Refusal(
          message: """
            its coordinates are degrees, on an ellipsoid that its header does not describe; \(Self.wayOut)
            """)
      }
      try project(
        from: ellipsoid, bounds: bounds, geographic: reference.geographic,
        declared: reference.system)
    case nil where Self.looksLikeDegrees(bounds, survey.lattice?.step ?? .zero):
      try project(from: .wgs84, bounds: bounds, geographic: (4326, "WGS 84"), declared: nil)
    case nil, .projected:
      guard let system = reference?.system else { return }
      let (horizontal, vertical) = (system.horizontalUnit, system.verticalUnit)
      map = .scaled(SIMD3(horizontal, horizontal, vertical))
      interpretation.set(.referenceSystem, system.words, .declared)
      let heights = ", heights in \(CoordinateSystem.unitWords(ofMeters: vertical))"
      let words =
        CoordinateSystem.unitWords(ofMeters: horizontal) + (horizontal == vertical ? "" : heights)
      for unit in reference?.implausibleUnits ?? [] {
        warnings.append(
          """
          says that its unit is \(JSONValue.text(of: unit)) m long, which can't be: its coordinates are taken for \(words); \
          '--input-unit' says otherwise
          """)
      }
      guard horizontal != 1 || vertical != 1 else { return }
      interpretation.set(
        .unit, words, .declared, because: "which become metres", option: "--input-unit")
    }
  }

  private static let wayOut = """
    project it first, as with 'pdal translate a.las b.las reprojection --filters.reprojection.out_srs=EPSG:25832', \
    with the code of the UTM zone or of the national grid
    """

  /// Whether numbers that nothing explains are degrees, in steps of centimetres there.
  private static func looksLikeDegrees(
    _ bounds: (low: SIMD3<Double>, high: SIMD3<Double>), _ step: SIMD3<Double>
  ) -> Bool {
    max(abs(step.x), abs(step.y)) <= 1e-6 && Degrees.areLikely(bounds, slenderness: 20)
  }

  // MARK: Degrees

  private mutating func project(
    from ellipsoid: Ellipsoid, bounds: (low: SIMD3<Double>, high: SIMD3<Double>),
    geographic: (code: Int?, name: String?), declared: ReferenceSystem?
  ) throws(Refusal) {
    let (low, high) = bounds
    let middle = (low + high) / 2
    guard max(high.x - low.x, high.y - low.y) <= Self.widest, max(abs(low.y), abs(high.y)) <= 84
    else {
      throw Refusal(
        message: """
          its coordinates are degrees (\(declared?.words ?? "by their numbers")), too far apart or too near a pole for a zone of UTM; \
          \(Self.wayOut)
          """)
    }
    let projection = TransverseMercator(ellipsoid, longitude: middle.x, latitude: middle.y)
    let system = UTMSystem(projection, ellipsoid, geographic: geographic)
    map = .projected(projection, height: declared?.verticalUnit ?? 1)
    survey.referenceSystem = system.referenceSystem
    survey.lattice = nil
    interpretation.set(
      .referenceSystem, system.referenceSystem.words, declared == nil ? .numbers : .declared,
      because: "projected from degrees" + (declared.map { ", \($0.words)" } ?? ""),
      option: "--input-unit")
    let reason =
      declared.map { "\($0.words), by its header" } ?? """
        by their numbers; nothing in the file says so, and '--input-unit m' takes them for metres
        """
    warnings.append(
      """
      its coordinates are degrees (\(reason)), which are projected to metres: \
      \(system.referenceSystem.words)
      """)
  }

  // MARK: Positions

  /// A place in metres of numbers of the file.
  func place(_ numbers: SIMD3<Double>) -> SIMD3<Double> {
    switch map {
    case .scaled(let unit): return numbers * unit
    case .projected(let projection, let height):
      let position = projection.place(longitude: numbers.x, latitude: numbers.y)
      return SIMD3(position.x, position.y, numbers.z * height)
    }
  }

  private mutating func takeOrigin(_ bounds: (low: SIMD3<Double>, high: SIMD3<Double>)) {
    var corners = [place(bounds.low), place(bounds.high)]
    if case .projected = map {
      corners.append(place(SIMD3(bounds.low.x, bounds.high.y, bounds.low.z)))
      corners.append(place(SIMD3(bounds.high.x, bounds.low.y, bounds.low.z)))
    }
    origin = DistantOrigin.place(of: corners)
  }
}
