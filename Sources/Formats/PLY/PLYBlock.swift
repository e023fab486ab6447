import MeshPipeline

/// The required properties of an element's records.
struct PLYPlan: Sendable {
  /// One per property, in order.
  private(set) var fields: [Field] = []
  /// The column of each required number, by its role.
  private(set) var columnOfRole: [PLYRole: Int] = [:]
  private(set) var typeOfRole: [PLYRole: NumberType] = [:]
  private(set) var width = 0
  /// The name of the property with the classes, without a prefix.
  private(set) var labelName = ""
  /// Whether the numbers are those of faces.
  let isOfFaces: Bool
  private(set) var hasIndices = false
  private(set) var hasLists = false
  /// Whether faces have no texture coordinates, so that their triangles can be written directly.
  var hasPlainFaces: Bool { !hasTexture && !isStrips }
  private var hasTexture = false
  let isStrips: Bool
  /// The single numbers that no built-in attribute takes.
  private(set) var customColumns: [PLYCustomColumn] = []

  /// A property, as far as needed for reading.
  struct Field: Sendable {
    enum Purpose { case skip, column, custom, indices, texture }
    var purpose: Purpose
    var type: NumberType
    var countType: NumberType?
    /// The column of a required single number, among those of the same purpose.
    var column = 0
    /// Subtracted from a number of that column.
    var shift = 0.0
  }

  /// Whether numbers of a column are shifted.
  private(set) var isShifted = false

  /// - Parameters:
  ///   - isWanted: Whether anything of the element is required.
  ///   - origin: Subtracted from positions.
  init(_ element: PLYHeader.Element, isWanted: Bool, origin: SIMD3<Double>) {
    isStrips = element.name == "tristrips"
    isOfFaces = element.name != "vertex"
    let roles = isWanted ? PLYRole.taken(by: element) : []
    for property in element.properties {
      var field = Field(purpose: .skip, type: property.type, countType: property.countType)
      if property.countType != nil {
        hasLists = true
        // Lists of vertices belong to something else, whatever their name.
        if isWanted, element.name != "vertex" { field.purpose = purpose(ofList: property.name) }
      } else if let role = PLYRole(propertyName: property.name), roles.contains(role),
        columnOfRole[role] == nil
      {
        field.purpose = .column
        field.column = width
        field.shift = role.axis.map { origin[$0] } ?? 0
        isShifted = isShifted || field.shift != 0
        columnOfRole[role] = width
        typeOfRole[role] = property.type
        if role == .label { labelName = PLYRole.plainName(of: property.name) }
        width += 1
      } else if isWanted, !isStrips, customColumns.count < CustomAttribute.mostOfElement {
        field.purpose = .custom
        field.column = customColumns.count
        customColumns.append(PLYCustomColumn(name: property.name, type: property.type))
      }
      fields.append(field)
    }
  }

  private mutating func purpose(ofList name: String) -> Field.Purpose {
    if ["vertex_indices", "vertex_index", "vertex_ids"].contains(name), !hasIndices {
      hasIndices = true
      return .indices
    }
    guard name == "texcoord", !hasTexture, !isStrips else { return .skip }
    hasTexture = true
    return .texture
  }

  /// The columns of some roles, -1 for missing ones.
  func columns(_ x: PLYRole, _ y: PLYRole, _ z: PLYRole, _ w: PLYRole? = nil) -> SIMD4<Int> {
    SIMD4(
      columnOfRole[x] ?? -1, columnOfRole[y] ?? -1, columnOfRole[z] ?? -1,
      w.flatMap { columnOfRole[$0] } ?? -1)
  }
}

/// The required values of some records of one element, in arrays.
struct PLYBlock: Sendable {
  /// The columns of consecutive records; for faces, one row per triangle.
  var rows: [Float] = []
  /// The same for columns of custom attributes, for faces one row per record; of 64-bit integers, their bits.
  var customRows: [Double] = []
  /// Three vertices per triangle; polygons are triangulated as fans.
  var corners: [UInt32] = []
  /// One per corner; empty if no face has any.
  var textureCoordinates: [Vector2] = []
  var polygons: [FacePolygon] = []

  // Space for the current record.
  private var row: [Float] = []
  private var outline: [UInt32] = []
  private var texture: [Float] = []

  init() {}

  /// Creates a block to which all others are appended; untouched memory costs nothing.
  ///
  /// - Parameter count: The maximum number of records; of faces, those with three corners.
  init(roomFor count: Int, _ plan: PLYPlan) {
    rows.reserveCapacity(plan.width * count)
    customRows.reserveCapacity(plan.customColumns.count * count)
    if plan.hasIndices { corners.reserveCapacity(3 * count) }
  }

  /// Appends the next records of the file.
  mutating func append(_ next: borrowing PLYBlock) {
    for var polygon in next.polygons {
      polygon.firstFace += corners.count / 3
      polygons.append(polygon)
    }
    if !next.textureCoordinates.isEmpty {
      let missing = corners.count - textureCoordinates.count
      textureCoordinates += repeatElement(.zero, count: missing)
      textureCoordinates += next.textureCoordinates
    }
    rows += next.rows
    customRows += next.customRows
    corners += next.corners
  }

  /// Clears the block but keeps its memory.
  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    customRows.removeAll(keepingCapacity: true)
    corners.removeAll(keepingCapacity: true)
    textureCoordinates.removeAll(keepingCapacity: true)
    polygons.removeAll(keepingCapacity: true)
  }

  /// Reads lines, one record each.
  ///
  /// - Parameter vertexCount: Indices below it are valid.
  mutating func read(
    _ count: Int, from source: inout PLYTextSource, _ bytes: Span<UInt8>, plan: PLYPlan,
    vertexCount: Int
  ) throws(PLYFault) {
    guard plan.hasLists else {
      guard plan.customColumns.isEmpty, !plan.isShifted else {
        return try readWithCustomColumns(count, from: &source, bytes, plan: plan)
      }
      let areWanted = plan.fields.map { $0.purpose == .column }
      for _ in 0..<count {
        for isWanted in areWanted {
          let value = try source.float(bytes, .float32)
          if isWanted { rows.append(value) }
        }
        try source.endRecord(bytes)
      }
      return
    }
    for _ in 0..<count {
      try read(&source, bytes, plan, vertexCount: vertexCount)
      try source.endRecord(bytes)
    }
  }

  private mutating func readWithCustomColumns(
    _ count: Int, from source: inout PLYTextSource, _ bytes: Span<UInt8>, plan: PLYPlan
  ) throws(PLYFault) {
    for _ in 0..<count {
      for field in plan.fields {
        if field.purpose == .custom {
          customRows.append(try source.custom(bytes, field.type))
        } else if field.shift != 0 {
          rows.append(Float(try source.double(bytes, .float64) - field.shift))
        } else {
          let value = try source.float(bytes, .float32)
          if field.purpose == .column { rows.append(value) }
        }
      }
      try source.endRecord(bytes)
    }
  }

  /// Reads a record.
  ///
  /// - Parameter vertexCount: Indices below it are valid.
  mutating func read<Source: PLYSource>(
    _ source: inout Source, _ bytes: Span<UInt8>, _ plan: PLYPlan, vertexCount: Int
  ) throws(PLYFault) {
    if !row.isEmpty { row.removeAll(keepingCapacity: true) }
    if !outline.isEmpty { outline.removeAll(keepingCapacity: true) }
    if !texture.isEmpty { texture.removeAll(keepingCapacity: true) }
    let start = source.position
    var isPlain = false
    for index in plan.fields.indices {
      let field = plan.fields[index]
      var count = 1
      if let countType = field.countType {
        count = try source.integer(bytes, countType)
        guard count >= 0, count <= source.room(for: field.type) else {
          throw PLYFault(offset: source.position, message: "a list of \(count) does not fit here")
        }
      }
      switch field.purpose {
      case .skip:
        try source.skip(bytes, field.type, count: count)
      case .column:
        let value = try source.float(bytes, field.type)
        if plan.hasIndices { row.append(value) } else { rows.append(value) }
      case .custom:
        customRows.append(try source.custom(bytes, field.type))
      case .indices where count == 3 && plan.hasPlainFaces:
        for _ in 0..<3 {
          corners.append(try Self.index(&source, bytes, type: field.type, vertexCount: vertexCount))
        }
        isPlain = true
      case .indices:
        try readIndices(
          &source, bytes, type: field.type, count: count, isStrips: plan.isStrips,
          vertexCount: vertexCount)
      case .texture:
        for _ in 0..<count { texture.append(try source.float(bytes, field.type)) }
      }
    }
    guard plan.hasIndices else { return }
    if isPlain {
      for value in row { rows.append(value) }
      return
    }
    if plan.isStrips {
      appendStrips()
    } else {
      guard outline.count >= 3 else {
        throw PLYFault(
          offset: start, message: "a face has \(outline.count) corners; it needs at least three")
      }
      try appendFace(at: start)
    }
  }

  private mutating func readIndices<Source: PLYSource>(
    _ source: inout Source, _ bytes: Span<UInt8>, type: NumberType, count: Int,
    isStrips: Bool, vertexCount: Int
  ) throws(PLYFault) {
    for _ in 0..<count {
      outline.append(
        try Self.index(
          &source, bytes, type: type, vertexCount: vertexCount, allowsRestart: isStrips))
    }
  }

  /// Reads a vertex index, or -1, which separates strips and becomes the largest number here.
  @inline(__always)
  private static func index<Source: PLYSource>(
    _ source: inout Source, _ bytes: Span<UInt8>, type: NumberType, vertexCount: Int,
    allowsRestart: Bool = false
  ) throws(PLYFault) -> UInt32 {
    let offset = source.position
    let index = try source.integer(bytes, type)
    if allowsRestart, index == -1 { return .max }
    guard index >= 0, index < vertexCount else {
      throw PLYFault(
        offset: offset,
        message: "the face refers to vertex \(index), but there are \(vertexCount)")
    }
    return UInt32(index)
  }

  private mutating func appendFace(at offset: Int) throws(PLYFault) {
    guard texture.isEmpty || texture.count == 2 * outline.count else {
      throw PLYFault(
        offset: offset,
        message: "\(texture.count) texture coordinates for a face of \(outline.count) corners")
    }
    let firstFace = corners.count / 3
    for corner in 2..<outline.count { appendTriangle(0, corner - 1, corner) }
    if outline.count > 3 {
      polygons.append(FacePolygon(firstFace: firstFace, cornerCount: outline.count))
    }
  }

  /// Consecutive strips, separated by -1; every other triangle is reversed to match the winding of
  /// the first.
  private mutating func appendStrips() {
    var stripStart = 0
    for index in outline.indices {
      if outline[index] == .max {
        stripStart = index + 1
      } else if index >= stripStart + 2 {
        let isEven = (index - stripStart) % 2 == 0
        let (a, b) = isEven ? (index - 2, index - 1) : (index - 1, index - 2)
        // Degenerate triangles connect strips and are not part of the surface.
        if outline[a] != outline[b], outline[b] != outline[index], outline[a] != outline[index] {
          appendTriangle(a, b, index)
        }
      }
    }
  }

  private mutating func appendTriangle(_ a: Int, _ b: Int, _ c: Int) {
    if !texture.isEmpty || !textureCoordinates.isEmpty {
      while textureCoordinates.count < corners.count { textureCoordinates.append(.zero) }
      appendTexture(a)
      appendTexture(b)
      appendTexture(c)
    }
    corners.append(outline[a])
    corners.append(outline[b])
    corners.append(outline[c])
    for value in row { rows.append(value) }
  }

  private mutating func appendTexture(_ corner: Int) {
    textureCoordinates.append(
      texture.isEmpty ? .zero : Vector2(texture[2 * corner], texture[2 * corner + 1]))
  }
}
