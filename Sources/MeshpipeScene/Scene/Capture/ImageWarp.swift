/// A smooth displacement field over an image: the offset of the observed from the predicted
/// position of a point.
///
/// Effects that pose and lens model can't express, such as a rolling shutter, a focusing lens, or a
/// mesh slightly in front of or behind the true surface, displace parts of an image by some pixels.
/// Shifts are given at the nodes of a regular grid and interpolated bilinearly; beyond the image
/// those of its border continue.
public struct ImageWarp: Sendable, Equatable, Codable {
  /// Nodes along a side, at least 2: the first and the last are on the image border.
  public let columns: Int
  /// Nodes along the height, likewise.
  public let rows: Int
  /// The shift of each node, row by row, as a fraction of the image width.
  public let shifts: [SIMD2<Float>]

  /// A warp with the given shifts; nil if their number is not that of the nodes, or there are fewer
  /// than two along a side.
  public init?(columns: Int, rows: Int, shifts: [SIMD2<Float>]) {
    guard columns > 1, rows > 1, shifts.count == columns * rows else { return nil }
    self.columns = columns
    self.rows = rows
    self.shifts = shifts
  }

  /// The shift at a position, from 0 at the left and top to 1 at the right and bottom of the image.
  @inlinable @inline(__always)
  public func shift(at position: SIMD2<Float>) -> SIMD2<Float> {
    let cell = Self.cell(at: position, columns, rows)
    let (u, v) = (cell.part.x, cell.part.y)
    let top = shifts[cell.node] * (1 - u) + shifts[cell.node + 1] * u
    let bottom = shifts[cell.node + columns] * (1 - u) + shifts[cell.node + columns + 1] * u
    return top * (1 - v) + bottom * v
  }

  /// The first of the four nodes around a position, and its distance from there to the others.
  @inlinable @inline(__always)
  package static func cell(
    at position: SIMD2<Float>, _ columns: Int, _ rows: Int
  ) -> (node: Int, part: SIMD2<Float>) {
    // NaN counts as the border.
    let x = max(0, min(position.x, 1)) * Float(columns - 1)
    let y = max(0, min(position.y, 1)) * Float(rows - 1)
    let (column, row) = (min(Int(x), columns - 2), min(Int(y), rows - 2))
    return (row * columns + column, SIMD2(x - Float(column), y - Float(row)))
  }
}
