import MeshPipeline

/// The samples of features in a recording, and how their JSON is understood.
///
/// Apps write it in many ways: an object for each frame, in a list or on lines of its own; below other keys or at the top;
/// points as lists of three or four numbers, one after another, or as objects with x, y and z, which may have their
/// identifier with them; identifiers also as text, as JavaScript has to, or as the keys of points.
struct FeatureRecording {
  /// A fault at a byte; at the end of the file if that is too early.
  struct Fault: Error {
    var offset: Int
    var message: String
  }

  private var points: [SIMD3<Double>] = []
  private var identifiers: [UInt64] = []
  private var frames: [UInt32] = []
  private var frameCount: UInt32 = 0
  /// Whether samples are objects of their own, which belong to no frame.
  private var hasSingleSamples = false

  // MARK: Results

  var sampleCount: Int { points.count }

  /// A round place near points that are far from zero.
  var origin: SIMD3<Double> { DistantOrigin.place(of: points) }

  /// The positions relative to a place.
  func positions(from origin: SIMD3<Double>) -> [Vector3] {
    points.map { Vector3(SIMD3<Float>($0 - origin)) }
  }

  /// Nil if the samples have none.
  var identifiersOfAll: [UInt64]? { identifiers.isEmpty ? nil : identifiers }

  /// The frame of each sample, counted from 0; nil if there are not several.
  var framesOfAll: [UInt32]? { frameCount > 1 && !hasSingleSamples ? frames : nil }

  // MARK: Keys

  private static let pointKeys: Set = [
    "points", "positions", "vertices", "coordinates", "samples", "xyz", "worldpoints",
    "worldpositions",
  ]
  /// Those of one point, which is another thing's, such as the camera's, beside several.
  private static let placeKeys: Set = ["position", "point", "location", "coordinate"]
  private static let containerKeys: Set = [
    "frames", "rawfeaturepoints", "featurepoints", "features", "pointcloud", "arpointcloud", "data",
    "records", "observations", "tracks", "session", "recording",
  ]

  /// Whether a key, in plain form, is one of points.
  static func isOfPoints(_ key: String) -> Bool {
    pointKeys.contains(key) || placeKeys.contains(key) || containerKeys.contains(key) || key == "x"
  }

  // MARK: Reading

  /// Reads one value, or several one after another.
  mutating func read(_ bytes: Span<UInt8>) throws(Fault) {
    var scanner = FeatureScanner(textStart(of: bytes)..<bytes.count)
    while scanner.next(bytes) != nil { try container(&scanner, bytes, isFrame: false, depth: 0) }
  }

  private static let deepest = 64

  /// Reads an object, or a list of them.
  private mutating func container(
    _ scanner: inout FeatureScanner, _ bytes: Span<UInt8>, isFrame: Bool, depth: Int
  ) throws(Fault) {
    let start = scanner.position
    guard depth < Self.deepest else { throw scanner.fault("lists or objects are too deep") }
    switch scanner.next(bytes) {
    case UInt8(ascii: "{"):
      var record = FeatureRecord()
      record.isFrame = isFrame
      try read(&record, &scanner, bytes, depth: depth)
      try take(record, at: start)
    case UInt8(ascii: "["):
      var isFirst = true
      while try scanner.element(bytes, &isFirst, close: UInt8(ascii: "]")) {
        try container(&scanner, bytes, isFrame: isFrame, depth: depth + 1)
      }
    default: try scanner.skipValue(bytes)
    }
  }

  private mutating func read(
    _ record: inout FeatureRecord, _ scanner: inout FeatureScanner, _ bytes: Span<UInt8>, depth: Int
  ) throws(Fault) {
    guard depth < Self.deepest else { throw scanner.fault("lists or objects are too deep") }
    var isFirst = true
    while try scanner.element(bytes, &isFirst, close: UInt8(ascii: "}")) {
      let word = try scanner.key(bytes)
      let key = CustomAttribute.plainName(word)
      let next = scanner.next(bytes)
      let isList = next == UInt8(ascii: "[")
      if CustomAttribute.isIdentifier(key) {
        if isList {
          record.identifiers = try identifiers(&scanner, bytes)
          record.hasSeveral = true
        } else if next == UInt8(ascii: "{") || next == UInt8(ascii: "n") {
          try scanner.skipValue(bytes)
        } else if key == "id" {
          var value = scanner
          record.plainIdentifier = try? value.identifier(bytes)
          try scanner.skipValue(bytes)
        } else {
          record.identifier = try scanner.identifier(bytes)
        }
      } else if let axis = ["x", "y", "z"].firstIndex(of: key) {
        record.columns[axis] = isList ? try numbers(&scanner, bytes) : [try scanner.number(bytes)]
        if isList { record.hasSeveral = true }
      } else if Self.isOfPoints(key) || UInt64(word) != nil && isList {
        try readPoints(of: key, &record, &scanner, bytes, depth: depth + 1)
      } else {
        try scanner.skipValue(bytes)
      }
    }
  }

  /// Reads what a key of points, of frames or of a feature has.
  private mutating func readPoints(
    of key: String, _ record: inout FeatureRecord, _ scanner: inout FeatureScanner,
    _ bytes: Span<UInt8>,
    depth: Int
  ) throws(Fault) {
    switch scanner.next(bytes) {
    case UInt8(ascii: "{"):
      try read(&record, &scanner, bytes, depth: depth)
    case UInt8(ascii: "["):
      if let identifier = UInt64(key) {
        var own = FeatureRecord()
        own.identifier = identifier
        try readList(&own, &scanner, bytes, isFrames: false, depth: depth)
        try take(own, at: scanner.position, isPart: true)
      } else if Self.placeKeys.contains(key) {
        var own = FeatureRecord()
        try readList(&own, &scanner, bytes, isFrames: false, depth: depth)
        let numbers = own.numbers
        if own.points.isEmpty, numbers.count == 3 || numbers.count == 4 {
          record.place = SIMD3(numbers[0].value, numbers[1].value, numbers[2].value)
        } else {
          record.points += own.points
          record.numbers += numbers
        }
      } else {
        try readList(&record, &scanner, bytes, isFrames: key == "frames", depth: depth)
      }
    default: try scanner.skipValue(bytes)
    }
  }

  /// Reads points, coordinates, or objects that have them.
  private mutating func readList(
    _ record: inout FeatureRecord, _ scanner: inout FeatureScanner, _ bytes: Span<UInt8>,
    isFrames: Bool,
    depth: Int
  ) throws(Fault) {
    var isFirst = true
    while try scanner.element(bytes, &isFirst, close: UInt8(ascii: "]")) {
      let start = scanner.position
      switch scanner.next(bytes) {
      case UInt8(ascii: "["):
        let values = try numbers(&scanner, bytes)
        guard values.count == 3 || values.count == 4 else {
          throw Fault(
            offset: start, message: "a point has \(values.count) numbers, but three are needed")
        }
        record.points.append(SIMD3(values[0].value, values[1].value, values[2].value))
        record.hasSeveral = true
      case UInt8(ascii: "{"):
        var own = FeatureRecord()
        own.isFrame = isFrames
        try read(&own, &scanner, bytes, depth: depth + 1)
        guard !own.hasSeveral, !isFrames, !own.isEmpty else {
          try take(own, at: start)
          continue
        }
        try own.settle(at: start)
        record.points += own.points
        if let identifier = own.identifier ?? own.plainIdentifier {
          record.identifiers.append(identifier)
        }
        record.hasSeveral = true
      default: record.numbers.append(try scanner.number(bytes))
      }
    }
  }

  private func numbers(
    _ scanner: inout FeatureScanner, _ bytes: Span<UInt8>
  ) throws(Fault) -> [FeatureScanner.Number] {
    var numbers: [FeatureScanner.Number] = []
    numbers.reserveCapacity(4)
    var isFirst = true
    while try scanner.element(bytes, &isFirst, close: UInt8(ascii: "]")) {
      numbers.append(try scanner.number(bytes))
    }
    return numbers
  }

  private func identifiers(
    _ scanner: inout FeatureScanner, _ bytes: Span<UInt8>
  ) throws(Fault) -> [UInt64] {
    var identifiers: [UInt64] = []
    var isFirst = true
    while try scanner.element(bytes, &isFirst, close: UInt8(ascii: "]")) {
      identifiers.append(try scanner.identifier(bytes))
    }
    return identifiers
  }

  // MARK: Taking

  /// Adds the samples of an object.
  ///
  /// - Parameter isPart: Whether others belong to the same frame.
  private mutating func take(
    _ record: FeatureRecord, at offset: Int, isPart: Bool = false
  ) throws(Fault) {
    guard !record.isEmpty else { return }
    var record = record
    try record.settle(at: offset)
    let isOne = !record.hasSeveral && !record.isFrame
    if record.identifiers.isEmpty,
      let identifier = record.identifier ?? (isOne ? record.plainIdentifier : nil)
    {
      record.identifiers = Array(repeating: identifier, count: record.points.count)
    }
    guard record.identifiers.isEmpty || record.identifiers.count == record.points.count else {
      throw Fault(
        offset: offset,
        message:
          "there are \(record.identifiers.count) identifiers, but \(record.points.count) points")
    }
    guard
      record.points.isEmpty || points.isEmpty
        || record.identifiers.isEmpty == identifiers.isEmpty
    else {
      throw Fault(offset: offset, message: "only some of the points have identifiers")
    }
    points += record.points
    identifiers += record.identifiers
    frames += repeatElement(frameCount, count: record.points.count)
    if isPart || !record.hasSeveral { hasSingleSamples = true }
    frameCount += isPart ? 0 : 1
  }
}
