import MeshPipeline

/// What the lines of one block of an OBJ file say, in arrays that begin at zero.
struct OBJBlock: Sendable {
  /// Where the block stands in the file.
  var range = 0..<0
  var positions: [Vector3] = []
  /// Red, green and blue as written; empty, or one per position up to the last one that has a colour.
  var colors: [Vector3] = []
  var textureCoordinates: [Vector2] = []
  var normals: [Vector3] = []

  /// One vertex per corner; faces are cut into triangles, fan-wise.
  var corners = OBJIndices()
  /// One index per corner, or nothing when no corner has one or all are those of the vertices.
  var textureIndices = OBJIndices()
  var normalIndices = OBJIndices()
  /// The faces with more than three corners, to be cut properly when all positions are known.
  var polygons: [FacePolygon] = []
  /// The vertices of point elements.
  var points = OBJIndices()

  var events: [Event] = []
  var lineCount = 0
  var fault: LineFault?
  var remarks = Remarks()

  var faceCount: Int { corners.values.count / 3 }

  /// Counts of positions, texture coordinates and normals.
  var elementCounts: SIMD3<Int> {
    SIMD3(positions.count, textureCoordinates.count, normals.count)
  }

  /// Stands in ``colors`` for vertices that have none.
  static let noColor = Vector3(.nan, .nan, .nan)

  /// Adds vertices without a colour among some that have one: they will be white.
  static func pad(_ colors: inout [Vector3], to count: Int) {
    while colors.count < count { colors.append(noColor) }
  }

  /// Empties the block but keeps its memory.
  mutating func removeAll() {
    positions.removeAll(keepingCapacity: true)
    colors.removeAll(keepingCapacity: true)
    textureCoordinates.removeAll(keepingCapacity: true)
    normals.removeAll(keepingCapacity: true)
    corners.removeAll()
    textureIndices.removeAll()
    normalIndices.removeAll()
    polygons.removeAll(keepingCapacity: true)
    points.removeAll()
    events.removeAll(keepingCapacity: true)
    (lineCount, fault, remarks) = (0, nil, Remarks())
  }

  /// A statement that holds for the faces after it, with its name's place in the file.
  struct Event {
    enum Kind { case group, object, material, library }
    var kind: Kind
    var firstFace: Int
    var name: Range<Int>
  }

  /// What is worth a warning, counted.
  struct Remarks {
    var nonFinite = 0
    var firstNonFiniteLine = 0
    var lines = 0
    /// Statements without any of the numbers that they need.
    var bare = 0
    var firstBareLine = 0
    var unknown = 0
    var firstUnknown = ""
    var firstUnknownLine = 0
  }
}

/// Indices into arrays of which the beginning is not known yet.
struct OBJIndices: Sendable {
  var values: [UInt32] = []
  /// The places in ``values`` of those that count from the beginning of the block's own elements,
  /// as negative indices of the file do; see ``offset(_:)``.
  var relative: [Int] = []
  /// Whether each is the index of its corner's vertex, as in `f 1//1 2//2 3//3`; ``values`` is empty then.
  var followVertices = false

  /// Whether any corner has one.
  var isUsed: Bool { followVertices || values.contains { $0 != Self.missing } }

  /// The value of a corner that has no such index.
  static let missing = UInt32.missingIndex

  /// A relative index, negative when it refers to an element before the block, as a value.
  static func relative(_ offset: Int) -> UInt32 { UInt32(offset + 0x8000_0000) }

  /// What ``relative(_:)`` was made of.
  static func offset(_ value: UInt32) -> Int { Int(value) - 0x8000_0000 }

  /// Adds the index of the corner at `place`, which has been added itself.
  @inline(__always)
  mutating func append(
    _ value: UInt32, isRelative: Bool, at place: Int, of corners: borrowing OBJIndices
  ) {
    if followVertices || place == 0 {
      if value == corners.values[place], !isRelative, corners.relative.isEmpty {
        followVertices = true
        return
      }
      if followVertices { list(corners.values[..<place]) }
    }
    if value == Self.missing, values.isEmpty { return }
    while values.count < place { values.append(Self.missing) }
    if isRelative { relative.append(place) }
    values.append(value)
  }

  /// Adds the indices of three corners, none of them relative, unless the first of them begins
  /// something: a list, or a list's end.
  ///
  /// - Parameters:
  ///   - vertices: The corners' own.
  ///   - place: That of the first of them.
  @inline(__always)
  mutating func appendUsual(
    _ face: (UInt32, UInt32, UInt32), vertices: (UInt32, UInt32, UInt32), at place: Int
  ) -> Bool {
    if followVertices { return face == vertices }
    if values.isEmpty { return face == (Self.missing, Self.missing, Self.missing) }
    guard values.count == place else { return false }
    values.append(face.0)
    values.append(face.1)
    values.append(face.2)
    return true
  }

  /// Lists indices that follow the vertices of corners.
  @inline(never)
  private mutating func list(_ corners: ArraySlice<UInt32>) {
    values.reserveCapacity(2 * corners.count)
    values += corners
    followVertices = false
  }

  mutating func listIfFollowing(_ corners: ArraySlice<UInt32>) {
    if followVertices { list(corners) }
  }

  /// Empties the list but keeps its memory.
  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    relative.removeAll(keepingCapacity: true)
    followVertices = false
  }
}
