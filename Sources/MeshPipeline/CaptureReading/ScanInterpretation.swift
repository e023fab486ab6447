import MeshpipeBase
import MeshpipeScene

/// What is known of a scan's file besides its contents.
struct FileFacts {
  let format: String
  /// How programs take the axes of such files; nil for a format whose reader knows them.
  let axes: AxisConvention?
  /// Whether meshpipe wrote the file, and said so in it.
  let isOwn: Bool
  /// The units in which programs take such files, in metres.
  let unitsInUse: [Double]
  /// Whether frames or a room of ARKit belong to it.
  let isPartOfCapture: Bool

  init(path: String, format: FormatReader, isPartOfCapture: Bool) {
    self.format = format.name
    axes = format.axes
    unitsInUse = format.unitsInUse
    isOwn = format.coordinateSystem(of: path) != nil
    self.isPartOfCapture = isPartOfCapture
  }
}

extension SignedAxis {
  /// The axis as it is told: `y up`.
  package var words: String { "\(rawValue) up" }
}

/// The one place where what a file leaves open is answered.
///
/// An answer comes from the user, the file, its format or its numbers, in this order; what none of them says is assumed,
/// and never against one of them.
extension Scene {
  mutating func interpret(_ facts: FileFacts, as reading: InputReading) {
    coordinateSystem = coordinateSystem.reread(up: reading.up, metersPerUnit: reading.metersPerUnit)
    interpretAxes(facts, reading)
    interpretUnit(facts, reading)
    if origin != .zero {
      interpretation.set(
        .origin, origin.shortText, .numbers,
        because: "positions are far from zero, and relative to it")
    }
    interpretClasses(facts, reading)
    interpretLooks(facts)
  }

  // MARK: Axes

  private mutating func interpretAxes(_ facts: FileFacts, _ reading: InputReading) {
    let option = "--input-up"
    func set(_ source: Interpretation.Source, _ reason: String = "") {
      interpretation.set(
        .axes, coordinateSystem.up.words, source, because: reason, option: option,
        isDoubtful: source == .assumed)
    }
    if reading.up != nil { return set(.option) }
    switch facts.axes {
    case nil, .fixed: set(.format)
    case .declared: set(.declared)
    case .undeclared where facts.isOwn: set(.declared)
    case .undeclared(let usual):
      if let up = upAxisOfGrid {
        takeUp(up)
        set(.numbers, "such coordinates are east, north and height")
      } else if let up = upAxisOfFloors {
        takeUp(up)
        set(.numbers, "floors and ceilings face along it")
      } else if coordinateSystem.up == usual.up {
        set(.format, "programs take \(facts.format) so")
      } else {
        let other = usual.up.rawValue.uppercased()
        set(
          .assumed,
          "nothing in the file says so, and other programs take \(facts.format) for \(other) up")
      }
    }
  }

  private mutating func takeUp(_ up: SignedAxis) {
    guard up != coordinateSystem.up else { return }
    coordinateSystem = coordinateSystem.reread(
      up: up, metersPerUnit: coordinateSystem.metersPerUnit)
  }

  /// The up axis of coordinates in a national grid or a zone of UTM: the one that can be a height; nil if they need be none.
  private var upAxisOfGrid: SignedAxis? {
    let bounds = bounds
    guard !bounds.isEmpty else { return nil }
    let middle =
      (origin + (SIMD3<Double>(bounds.minimum) + SIMD3<Double>(bounds.maximum)) / 2)
      * coordinateSystem.metersPerUnit
    let (x, y, z) = (abs(middle.x), abs(middle.y), abs(middle.z))
    guard x > Self.leastGridCoordinate, max(y, z) > Self.leastGridCoordinate else { return nil }
    if y > Self.leastGridCoordinate, z < Self.highestPlace { return .z }
    if z > Self.leastGridCoordinate, y < Self.highestPlace { return .y }
    return nil
  }

  /// Metres; a phone does not walk so far, and a grid of a country begins farther from its zero.
  private static let leastGridCoordinate = 10_000.0
  /// Metres; no height above the sea is larger.
  private static let highestPlace = 9000.0

  /// The axis along which floors and ceilings face; nil without such classes, or if they face along none.
  private var upAxisOfFloors: SignedAxis? {
    var areas = SIMD3<Double>.zero
    var total = 0.0
    for mesh in meshes {
      guard let classes = mesh.classes, classes.column == nil else { continue }
      let isLevel = classes.names.map { Self.levelClasses.contains($0) }
      guard isLevel.contains(true) else { continue }
      guard let facing = mesh.facing(where: { isLevel[Int($0)] }) else { continue }
      areas += facing.areas
      total += facing.total
    }
    guard total > 0 else { return nil }
    for (axis, area) in [(SignedAxis.y, areas.y), (.z, areas.z)]
    where area > Self.leastShareOfLevel * total { return axis }
    return nil
  }

  private static let levelClasses: Set = ["floor", "ceiling"]
  /// Cosine-weighted share of floors' area; noise tilts faces, and a lying scan has next to none.
  private static let leastShareOfLevel = 0.8

  // MARK: Units

  private mutating func interpretUnit(_ facts: FileFacts, _ reading: InputReading) {
    // A reader that knows more has said so.
    if reading.metersPerUnit == nil, interpretation[.unit] != nil { return }
    let (source, reason, isDoubtful) = unitFinding(facts, reading)
    interpretation.set(
      .unit, coordinateSystem.unitWords, source, because: reason,
      option: "--input-unit", isDoubtful: isDoubtful)
  }

  private func unitFinding(
    _ facts: FileFacts, _ reading: InputReading
  ) -> (Interpretation.Source, reason: String, isDoubtful: Bool) {
    if reading.metersPerUnit != nil {
      let size = SIMD3<Double>(bounds.size).max() * coordinateSystem.metersPerUnit
      guard size > 0, size < Self.smallestRoom, hasRoomClasses else { return (.option, "", false) }
      let millimeters = NumberText.fixed(1000 * size, digits: 0)
      return (.option, "then the room is \(millimeters) mm long", true)
    }
    switch facts.axes {
    case nil, .fixed: return (.format, "", false)
    case .declared: return (.declared, "", false)
    case .undeclared where facts.isOwn: return (.declared, "", false)
    case .undeclared: break
    }
    let size = SIMD3<Double>(bounds.size).max()
    let nothing = "nothing in the file says so"
    if let other = facts.unitsInUse.first(where: { $0 != coordinateSystem.metersPerUnit }) {
      let words = CoordinateSystem.unitWords(ofMeters: other)
      return size * other < Self.leastPart
        ? (.numbers, "in \(words) it would be smaller than a part", false)
        : (.assumed, "\(nothing), and many programs take \(facts.format) in \(words)", true)
    }
    guard size > Self.largestScan, origin == .zero else { return (.assumed, nothing, false) }
    let kilometers = JSONValue.text(of: (size / 100).rounded() / 10)
    return (.assumed, "\(nothing), and the scan is \(kilometers) km long", true)
  }

  /// Whether something in it is a floor, a wall or a ceiling.
  private var hasRoomClasses: Bool {
    meshes.contains { mesh in
      mesh.classes?.names.contains { Self.levelClasses.contains($0) || $0 == "wall" } ?? false
    }
  }

  /// Metres: no room is smaller.
  private static let smallestRoom = 0.3
  /// Metres: a smaller part is neither drawn nor printed.
  private static let leastPart = 0.002
  /// Metres: what is larger has no scanner's unit, unless it is on a map.
  private static let largestScan = 1000.0
}

extension Mesh {
  /// Faces that are looked at.
  private static let samples = 1 << 14

  /// How faces with chosen labels lie: the area of some of them as seen along each axis and in all, both twice as large,
  /// and the middle of these; nil if there are none.
  func facing(
    where isChosen: (UInt16) -> Bool
  ) -> (areas: SIMD3<Double>, total: Double, middle: SIMD3<Double>)? {
    var (areas, total, middle) = (SIMD3<Double>.zero, 0.0, SIMD3<Double>.zero)
    guard let labels = classes?.labels else { return nil }
    for face in stride(from: 0, to: faceCount, by: max(1, faceCount / Self.samples))
    where isChosen(labels[face]) {
      let normal = areaVector(ofFace: face)
      guard normal.length.isFinite else { continue }
      areas += SIMD3(abs(normal.x), abs(normal.y), abs(normal.z))
      total += normal.length
      middle += centroid(ofFace: face) * normal.length
    }
    return total > 0 ? (areas, total, middle / total) : nil
  }
}

/// What the colours of a file mean, and whether its faces have a back.
extension Scene {
  mutating func interpretLooks(_ facts: FileFacts) {
    // A reader whose format specifies the encoding has said so.
    if features.contains(.colors), interpretation[.colors] == nil {
      interpretation.set(.colors, "sRGB", .assumed, because: "nothing in the file says so")
    }
    guard features.contains(.faces) else { return }
    // Writers show both sides of faces without a material.
    let seen = Set(usedMaterials.map { materials[$0].isDoubleSided })
    let words =
      seen.count > 1 ? "as each material says" : seen.contains(false) ? "front" : "both"
    let isSaid = if case .undeclared = facts.axes { false } else { !seen.isEmpty }
    interpretation.set(
      .sides, words, isSaid ? .declared : .assumed,
      because: isSaid ? "" : "a scan's surface has no back", option: "an output's 'sides'")
  }
}
