import MeshPipeline

/// The contents of one block of an OBJ file, in arrays that begin at zero.
struct OBJBlock: Sendable {
  /// The range of the block in the file.
  var range = 0..<0
  var positions: [Vector3] = []
  /// Red, green and blue as written; empty, or one per position up to the last one with a colour.
  var colors: [Vector3] = []
  var textureCoordinates: [Vector2] = []
  var normals: [Vector3] = []

  /// One vertex per corner; faces are triangulated as fans.
  var corners = OBJIndices()
  /// One index per corner; empty if no corner has one or all are those of the vertices.
  var textureIndices = OBJIndices()
  var normalIndices = OBJIndices()
  /// Faces with more than three corners, to be triangulated properly when all positions are known.
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

  /// Marks vertices without a colour in ``colors``.
  static let noColor = Vector3(.nan, .nan, .nan)

  /// Adds vertices without a colour, which become white, among coloured ones.
  static func pad(_ colors: inout [Vector3], to count: Int) {
    while colors.count < count { colors.append(noColor) }
  }

  /// Clears the block but keeps its memory.
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

  /// A statement that applies to the following faces, with the position of its name in the file.
  struct Event {
    enum Kind { case group, object, material, library }
    var kind: Kind
    var firstFace: Int
    var name: Range<Int>
  }

  /// Counts of what deserves a warning.
  struct Remarks {
    var nonFinite = 0
    var firstNonFiniteLine = 0
    /// Texture coordinates beyond any picture.
    var brokenPlaces = 0
    var firstBrokenPlaceLine = 0
    var lines = 0
    /// Statements without any of their required numbers.
    var bare = 0
    var firstBareLine = 0
    var unknown = 0
    var firstUnknown = ""
    var firstUnknownLine = 0
  }
}

/// Indices into arrays whose first part is not known yet.
struct OBJIndices: Sendable {
  var values: [UInt32] = []
  /// The positions in ``values`` of indices relative to the block's own elements, from negative
  /// indices in the file; see ``offset(_:)``.
  var relative: [Int] = []
  /// Whether each is the index of its corner's vertex, as in `f 1//1 2//2 3//3`; ``values`` is then
  /// empty.
  var followVertices = false

  /// Whether any corner has one.
  var isUsed: Bool { followVertices || values.contains { $0 != Self.missing } }

  /// The value of a corner that has no such index.
  static let missing = UInt32.missingIndex

  /// A relative index, negative if it refers to an element before the block, as a value.
  static func relative(_ offset: Int) -> UInt32 { UInt32(offset + 0x8000_0000) }

  /// The inverse of ``relative(_:)``.
  static func offset(_ value: UInt32) -> Int { Int(value) - 0x8000_0000 }

  /// Adds the index of the corner at `place`, whose vertex has been added.
  @inline(__always)
  mutating func append(
    _ value: UInt32, isRelative: Bool, at index: Int, of corners: borrowing OBJIndices
  ) {
    if followVertices || index == 0 {
      if value == corners.values[index], !isRelative, corners.relative.isEmpty {
        followVertices = true
        return
      }
      if followVertices { list(corners.values[..<index]) }
    }
    if value == Self.missing, values.isEmpty { return }
    while values.count < index { values.append(Self.missing) }
    if isRelative { relative.append(index) }
    values.append(value)
  }

  /// Adds the indices of three corners, none of them relative, unless the first of them starts or
  /// ends a list.
  ///
  /// - Parameters:
  ///   - vertices: The corners' vertices.
  ///   - place: The position of the first of them.
  @inline(__always)
  mutating func appendUsual(
    _ face: (UInt32, UInt32, UInt32), vertices: (UInt32, UInt32, UInt32), at index: Int
  ) -> Bool {
    if followVertices { return face == vertices }
    if values.isEmpty { return face == (Self.missing, Self.missing, Self.missing) }
    guard values.count == index else { return false }
    values.append(face.0)
    values.append(face.1)
    values.append(face.2)
    return true
  }

  /// Makes a list of indices that so far followed the vertices.
  @inline(never)
  private mutating func list(_ corners: ArraySlice<UInt32>) {
    values.reserveCapacity(2 * corners.count)
    values += corners
    followVertices = false
  }

  mutating func listIfFollowing(_ corners: ArraySlice<UInt32>) {
    if followVertices { list(corners) }
  }

  /// Clears the list but keeps its memory.
  mutating func removeAll() {
    values.removeAll(keepingCapacity: true)
    relative.removeAll(keepingCapacity: true)
    followVertices = false
  }
}
