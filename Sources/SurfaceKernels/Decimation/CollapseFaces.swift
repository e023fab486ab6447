import MeshpipeScene

/// A corner of a face that is being decimated.
struct CollapseCorner: BitwiseCopyable, Equatable, Sendable {
  /// Eight times its face, plus 0, 1 or 2.
  private let number: UInt32

  @inline(__always)
  fileprivate init(number: UInt32) { self.number = number }

  /// - Parameter place: The index of the corner in the face: 0, 1 or 2.
  @inline(__always)
  init(_ index: Int, of face: Int) {
    number = UInt32(truncatingIfNeeded: CollapseFaces.wordCount * face + index)
  }

  /// No corner.
  static let none = CollapseCorner(number: .max)

  /// The next corner of the same face.
  @inline(__always)
  var next: CollapseCorner {
    CollapseCorner(number: number & 7 == 2 ? number - 2 : number + 1)
  }

  /// The previous corner of the same face.
  @inline(__always)
  var previous: CollapseCorner {
    CollapseCorner(number: number & 7 == 0 ? number + 2 : number - 1)
  }

  /// The index of the corner in arrays of three elements per face.
  @inline(__always)
  var index: Int { Int(number >> 3 * 3 + number & 7) }

  /// The word of its vertex in the records of the faces.
  @inline(__always)
  fileprivate var vertexWord: UInt32 { number }

  /// The word of the next corner of its vertex.
  @inline(__always)
  fileprivate var linkWord: UInt32 { number + 4 }

  /// The first word of its face's record.
  @inline(__always)
  fileprivate var faceWord: UInt32 { number & ~7 }

  /// The word of its face's region.
  @inline(__always)
  fileprivate var regionWord: UInt32 { number | 3 }
}

/// The faces of a surface that is being decimated.
///
/// A face is a record of 32 bytes, so that a step finds all of it in one line of the cache: the
/// vertices of its corners, its region, for each corner the next one of the same vertex, and the
/// face of the input.
struct CollapseFaces: ~Copyable, Sendable {
  fileprivate static let wordCount = 8
  private static let regionPlace = 3
  private static let inputPlace = 7
  /// The first vertex of a removed face.
  private static let removed = UInt32.max

  private let words: ScratchBuffer<UInt32>

  /// Faces that are not set.
  init(capacity: Int) { words = ScratchBuffer(uninitialized: Self.wordCount * capacity) }

  // MARK: Faces

  /// Sets the region and the input's index of a face.
  @inline(__always)
  func set(_ face: Int, region: UInt32, input: UInt32) {
    words[Self.wordCount * face + Self.regionPlace] = region
    words[Self.wordCount * face + Self.inputPlace] = input
  }

  /// The input's index of a face.
  @inline(__always)
  func input(_ face: Int) -> UInt32 { words[Self.wordCount * face + Self.inputPlace] }

  @inline(__always)
  func region(_ face: Int) -> UInt32 { words[Self.wordCount * face + Self.regionPlace] }

  @inline(__always)
  func region(of corner: CollapseCorner) -> UInt32 { words[corner.regionWord] }

  @inline(__always)
  func isRemoved(_ face: Int) -> Bool { words[Self.wordCount * face] == Self.removed }

  @inline(__always)
  func isRemoved(faceOf corner: CollapseCorner) -> Bool { words[corner.faceWord] == Self.removed }

  @inline(__always)
  func remove(faceOf corner: CollapseCorner) { words[corner.faceWord] = Self.removed }

  /// Asks for the records of a range of faces to be in the core's cache soon.
  @inline(__always)
  func prefetch(_ faces: Range<Int>) {
    words.prefetch(Self.wordCount * faces.lowerBound..<Self.wordCount * faces.upperBound)
  }

  // MARK: Corners

  /// The vertex of a corner.
  @inline(__always)
  subscript(corner: CollapseCorner) -> UInt32 {
    get { words[corner.vertexWord] }
    nonmutating set { words[corner.vertexWord] = newValue }
  }

  /// The next corner of the same vertex; may be one of a removed face.
  @inline(__always)
  func following(_ corner: CollapseCorner) -> CollapseCorner {
    CollapseCorner(number: words[corner.linkWord])
  }

  @inline(__always)
  func follow(_ corner: CollapseCorner, by other: CollapseCorner) {
    words[corner.linkWord] = other.vertexWord
  }
}
