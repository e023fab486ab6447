/// What a surveyor's file says beside its points: on which map they are, how finely, and with which codes.
///
/// The numbers of a scene are metres, or whatever its coordinate system says; this is what a writer of the same kind of
/// file needs to give them back as they were.
public struct Survey: Sendable, Equatable {
  /// The map that the coordinates belong to; nil if the file names none.
  public var referenceSystem: ReferenceSystem?
  /// The numbers that coordinates of the file can have; nil once the scene was turned or scaled.
  package var lattice: Lattice?
  /// The codes of classes by their names.
  package var classCodes: [String: UInt8] = [:]
  /// The code of points without a class: 0, never classified, or 1, unclassified.
  package var unclassifiedCode: UInt8 = 1
  /// Whether GPS times count from 1980 less a billion seconds, and not from the beginning of a week; nil if no file says so.
  package var hasStandardTime: Bool?
  /// The number of the file in its project, as of a flight line; 0 for none.
  package var sourceID: UInt16 = 0
  /// What made the points, as the file calls it; empty if it says nothing, or for points of several.
  package var systemName = ""

  /// Numbers in equal steps, in the file's units: east, north and up.
  package struct Lattice: Sendable, Equatable {
    package var step: SIMD3<Double>
    /// One of the numbers.
    package var offset: SIMD3<Double>

    package init(step: SIMD3<Double>, offset: SIMD3<Double>) {
      self.step = step
      self.offset = offset
    }
  }

  /// Knows nothing.
  public init() {}

  /// Ends what no longer holds for a scene that was turned or scaled, or whose origin was given up.
  package mutating func leaveGrid() {
    referenceSystem?.isLeft = true
    lattice = nil
  }

  /// Takes what another survey says, whose points are added; where they disagree, this one stays.
  package mutating func merge(_ other: Survey) {
    if let system = referenceSystem {
      if other.referenceSystem?.isLeft == true { referenceSystem?.isLeft = true }
      // Points of two maps are on neither.
      if let second = other.referenceSystem, !second.isSame(as: system) {
        referenceSystem?.isLeft = true
      }
    } else {
      referenceSystem = other.referenceSystem
    }
    classCodes.merge(other.classCodes) { own, _ in own }
    hasStandardTime = hasStandardTime ?? other.hasStandardTime
    if sourceID != other.sourceID { sourceID = 0 }
    if systemName != other.systemName { systemName = "" }
    if let own = lattice, let second = other.lattice {
      lattice?.step = pointwiseMin(own.step, second.step)
    } else {
      lattice = lattice ?? other.lattice
    }
  }

  /// The name of the attribute that tells points of code 0, never classified, from those of code 1, unclassified.
  package static let neverClassified = "never_classified"
}

/// A coordinate reference system: the map, or the ellipsoid, on which coordinates are places of the earth.
public struct ReferenceSystem: Sendable, Equatable {
  /// Its code in the EPSG registry: `EPSG:25832`, with heights `EPSG:25832+7837`; nil if the file has none.
  public var code: String?
  /// `ETRS89 / UTM zone 32N`; nil if the file has none.
  public var name: String?
  /// The length in metres of a unit of east and north in the file.
  public var horizontalUnit = 1.0
  /// The length in metres of a unit of height in the file.
  public var verticalUnit = 1.0
  /// How the file says it, in the records of LAS.
  package var records: [Record] = []
  /// Whether the scene was turned, scaled or moved away from it.
  public package(set) var isLeft = false

  /// A record of LAS.
  package struct Record: Sendable, Equatable {
    package var user: String
    package var id: UInt16
    package var title: String
    package var body: [UInt8]

    package init(user: String, id: UInt16, title: String, body: [UInt8]) {
      self.user = user
      self.id = id
      self.title = title
      self.body = body
    }
  }

  /// Knows neither code nor name, in metres.
  public init() {}

  /// The system in words: `EPSG:25832 (ETRS89 / UTM zone 32N)`.
  public var words: String {
    switch (code, name) {
    case (let code?, let name?): "\(code) (\(name))"
    case (let code?, nil): code
    case (nil, let name?): name
    case (nil, nil): "without a code or a name"
    }
  }

  /// Whether both are the same map in the same units, as far as they say.
  package func isSame(as other: ReferenceSystem) -> Bool {
    let isSameMap = code != nil && other.code != nil ? code == other.code : name == other.name
    return isSameMap && horizontalUnit == other.horizontalUnit && verticalUnit == other.verticalUnit
  }
}
