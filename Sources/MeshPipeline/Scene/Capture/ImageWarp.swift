/// Small smooth shifts over a picture: where its camera model says that a point is seen, and where it is.
///
/// What a pose and a lens model cannot express, such as a rolling shutter, a lens that focuses, or a mesh
/// that lies a little before or behind the true surface, moves parts of a picture by some pixels. Shifts
/// are given at the nodes of a regular grid and interpolated bilinearly; beyond the picture those of its
/// border go on.
public struct ImageWarp: Sendable, Equatable {
  /// Nodes along a side, at least 2: the first and the last lie on the picture's border.
  public let columns: Int
  public let rows: Int
  /// The shift of each node, row by row, as a share of the picture's width.
  public let shifts: [SIMD2<Float>]

  /// A warp of the given shifts; nil when there are not as many as nodes, or less than two along a side.
  public init?(columns: Int, rows: Int, shifts: [SIMD2<Float>]) {
    guard columns > 1, rows > 1, shifts.count == columns * rows else { return nil }
    self.columns = columns
    self.rows = rows
    self.shifts = shifts
  }

  /// The shift at a place, from 0 at the left and top to 1 at the right and bottom of the picture.
  @inlinable @inline(__always)
  public func shift(at place: SIMD2<Float>) -> SIMD2<Float> {
    let cell = Self.cell(at: place, columns, rows)
    let (u, v) = (cell.part.x, cell.part.y)
    let top = shifts[cell.node] * (1 - u) + shifts[cell.node + 1] * u
    let bottom = shifts[cell.node + columns] * (1 - u) + shifts[cell.node + columns + 1] * u
    return top * (1 - v) + bottom * v
  }

  /// The first of the four nodes around a place, and how far it is from there to the others.
  @inlinable @inline(__always)
  public static func cell(
    at place: SIMD2<Float>, _ columns: Int, _ rows: Int
  ) -> (node: Int, part: SIMD2<Float>) {
    // Not a number counts as the border.
    let x = max(0, min(place.x, 1)) * Float(columns - 1)
    let y = max(0, min(place.y, 1)) * Float(rows - 1)
    let (column, row) = (min(Int(x), columns - 2), min(Int(y), rows - 2))
    return (row * columns + column, SIMD2(x - Float(column), y - Float(row)))
  }
}
