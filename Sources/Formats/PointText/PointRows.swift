import MeshPipeline

/// The points of a scene as rows of text.
struct PointRows {
  /// What stands in a column.
  enum Column: Equatable {
    case position(Int), color(Int), normal(Int), alpha, confidence, classification
    /// The place of a custom attribute among ``custom``.
    case custom(Int)
    /// Something that the scene has not.
    case zero
  }

  private let scene: Scene
  private let classes: ClassNumbers?
  private let custom: PLYCustomRows
  /// The columns and their names, in the order of the rows.
  private(set) var columns: [(name: String, column: Column)] = []
  private let delimiter: UInt8
  private let origin: SIMD3<Double>

  /// - Parameters:
  ///   - scene: Point clouds alone.
  ///   - origin: Added to coordinates.
  init(_ scene: Scene, delimiter: UInt8, origin: SIMD3<Double>) {
    self.scene = scene
    var rest = scene
    classes = ClassNumbers(takenFrom: &rest)
    self.delimiter = delimiter
    self.origin = origin
    custom = PLYCustomRows(
      scene.pointClouds.map(\.attributes), taken: Self.namedColumns.map(\.name))
    columns = available
    // The classes say it, unless the user chooses it instead.
    if classes?.tellNeverClassified == true {
      columns.removeAll { $0.name == Survey.neverClassified }
    }
  }

  private static let namedColumns: [(name: String, column: Column, feature: SceneFeature)] = [
    ("x", .position(0), .points), ("y", .position(1), .points), ("z", .position(2), .points),
    ("red", .color(0), .colors), ("green", .color(1), .colors), ("blue", .color(2), .colors),
    ("alpha", .alpha, .colors),
    ("nx", .normal(0), .normals), ("ny", .normal(1), .normals), ("nz", .normal(2), .normals),
    ("confidence", .confidence, .confidences),
    ("classification", .classification, .classification),
  ]

  /// All that the scene has.
  private var available: [(name: String, column: Column)] {
    let features = scene.features
    let hasAlpha = scene.pointClouds.contains { $0.colors?.hasAlpha == true }
    return Self.namedColumns.filter {
      features.contains($0.feature) && ($0.column != .alpha || hasAlpha)
    }.map { ($0.name, $0.column) }
      + custom.properties.enumerated().map { ($1.name, .custom($0)) }
  }

  /// Chooses the columns by name.
  ///
  /// - Returns: The first unknown name; nil if there is none.
  mutating func select(_ names: [String]) -> String? {
    var chosen: [(name: String, column: Column)] = []
    for name in names {
      let known =
        available.first { $0.name == name }
        ?? Self.namedColumns.first { $0.name == name }.map { ($0.name, $0.column) }
      guard let known else { return name }
      chosen.append(known)
    }
    columns = chosen
    return nil
  }

  /// Chooses columns by name; what the scene has not is zero.
  mutating func select(orZero names: [String]) {
    columns = names.map { name in (name, available.first { $0.name == name }?.column ?? .zero) }
  }

  /// The names of the classes whose numbers aren't ARKit's.
  var classRemarks: [ClassRemark] {
    guard columns.contains(where: { $0.column == .classification }) else { return [] }
    let usual = FaceClasses.arkitNames
    return (classes?.remarks ?? []).filter {
      !usual.indices.contains($0.label) || usual[$0.label] != $0.name
    }
  }

  func write(to writer: FileWriter) throws {
    for index in scene.pointClouds.indices {
      let cloud = scene.pointClouds[index]
      let labels = classes?.numbers(ofCloud: index, in: scene)
      let properties = custom.values(of: cloud.attributes)
      let kinds = columns.map(\.column)
      try writer.write(count: cloud.positions.count) { range, buffer in
        let row = PLYRow(isText: true, delimiter: delimiter)
        for point in range {
          for kind in kinds {
            switch kind {
            case .position(let axis):
              append(cloud.positions[point][axis], axis: axis, row: row, to: &buffer)
            case .color(let part):
              row.append((cloud.colors?[point] ?? .white)[part], to: &buffer)
            case .alpha: row.append(cloud.colors?[point].alpha ?? 255, to: &buffer)
            case .normal(let axis): row.append(cloud.normals?[point][axis] ?? 0, to: &buffer)
            case .confidence: row.append(cloud.confidences?[point] ?? 0, to: &buffer)
            case .classification: row.append(labels?[point] ?? 0, to: &buffer)
            case .custom(let place): row.append(properties[place], of: point, to: &buffer)
            case .zero: row.append(UInt8(0), to: &buffer)
            }
          }
          row.end(&buffer)
        }
      }
    }
  }

  /// A coordinate, far from zero to a tenth of a thousandth.
  private func append(_ value: Float, axis: Int, row: PLYRow, to buffer: inout ByteBuffer) {
    guard origin[axis] != 0 else { return row.append(value, to: &buffer) }
    let steps = ((Double(value) + origin[axis]) * 10_000).rounded()
    guard let whole = Int64(exactly: steps) else {
      return buffer.append(Array("\(steps / 10_000)".utf8) + [delimiter])
    }
    if whole < 0 { buffer.append(byte: UInt8(ascii: "-")) }
    buffer.append(decimal: whole.magnitude / 10_000)
    buffer.append(byte: UInt8(ascii: "."))
    buffer.append(digits: UInt32(whole.magnitude % 10_000), count: 4)
    buffer.append(byte: delimiter)
  }
}

extension Vector3 {
  fileprivate subscript(axis: Int) -> Float { axis == 0 ? x : axis == 1 ? y : z }
}

extension Color {
  fileprivate subscript(part: Int) -> UInt8 { part == 0 ? red : part == 1 ? green : blue }
}
