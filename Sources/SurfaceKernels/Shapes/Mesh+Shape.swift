package import MeshpipeScene
import POSIX

extension Mesh {
  /// The vertices of a whole turn of a shape.
  private static var turnSteps: Int { 64 }

  /// The part of a shape over its extent: polygons or a rectangle, a sphere, a cylinder, a cone or a torus.
  ///
  /// - Parameters:
  ///   - hasCaps: Whether the ends of cylinders and cones are closed where they go all around.
  ///   - hasOutline: Whether a plane goes as far as its outline, if it has one, instead of the rectangle around it.
  package init(_ shape: Shape, hasCaps: Bool, hasOutline: Bool) {
    self.init(name: shape.name)
    let (u, w) = (shape.reference, shape.axis.cross(shape.reference))
    let turn = shape.angles.upperBound - shape.angles.lowerBound
    let steps = max(Int((turn / (2 * .pi) * Double(Self.turnSteps)).rounded(.up)), 1)
    let isWhole = turn >= 2 * .pi
    func direction(_ step: Int) -> SIMD3<Double> {
      let angle = shape.angles.lowerBound + turn * Double(step) / Double(steps)
      return u * cos(angle) + w * sin(angle)
    }
    switch shape.kind {
    case .plane:
      if hasOutline, addOutline(shape) { break }
      let (a, b) = (u * (shape.size.x / 2), w * (shape.size.y / 2))
      addGrid(2, 2, closing: (false, false)) { column, row in
        shape.center + (column == 0 ? -a : a) + (row == 0 ? -b : b)
      }
    case .sphere: addSphere(shape)
    case .cylinder, .cone:
      func ring(_ height: Double) -> (SIMD3<Double>, Double) {
        (shape.center + shape.axis * height, max(shape.radius + height * tan(shape.halfAngle), 0))
      }
      let ends = [ring(shape.heights.lowerBound), ring(shape.heights.upperBound)]
      addGrid(isWhole ? steps : steps + 1, 2, closing: (isWhole, false)) { column, row in
        ends[row].0 + direction(column) * ends[row].1
      }
      guard hasCaps, isWhole else { break }
      addCap(around: ends[0].0, steps) { 2 * (steps - 1 - $0) }
      addCap(around: ends[1].0, steps) { 2 * $0 + 1 }
    case .torus:
      let rows = Self.turnSteps / 2
      addGrid(isWhole ? steps : steps + 1, rows, closing: (isWhole, true)) { column, row in
        let angle = 2 * .pi * Double(row) / Double(rows)
        return shape.center
          + direction(column) * (shape.radius + shape.tubeRadius * cos(angle))
          + shape.axis * (shape.tubeRadius * sin(angle))
      }
    }
    if shape.isInward { flipWinding() }
  }

  /// Adds the polygons of a plane.
  ///
  /// - Returns: Whether it has polygons that can be cut into triangles.
  private mutating func addOutline(_ shape: Shape) -> Bool {
    guard let triangles = PolygonTriangulation.triangles(ofLoops: shape.outline),
      !triangles.isEmpty
    else { return false }
    let across = shape.axis.cross(shape.reference)
    positions = shape.outline.joined().map { position in
      Vector3(SIMD3<Float>(shape.center + shape.reference * position.x + across * position.y))
    }
    indices = triangles.map { UInt32($0) }
    return true
  }

  /// Adds a grid of vertices, column by column, that looks to where columns and rows turn counterclockwise.
  ///
  /// - Parameter closing: Whether the last column and row are beside the first ones.
  private mutating func addGrid(
    _ columns: Int, _ rows: Int, closing: (columns: Bool, rows: Bool),
    _ place: (Int, Int) -> SIMD3<Double>
  ) {
    for column in 0..<columns {
      for row in 0..<rows { positions.append(Vector3(SIMD3<Float>(place(column, row)))) }
    }
    for column in 0..<(closing.columns ? columns : columns - 1) {
      for row in 0..<(closing.rows ? rows : rows - 1) {
        let (next, above) = ((column + 1) % columns, (row + 1) % rows)
        let corners = [
          column * rows + row, next * rows + row, next * rows + above, column * rows + above,
        ].map { UInt32($0) }
        indices += [corners[0], corners[1], corners[2], corners[0], corners[2], corners[3]]
      }
    }
  }

  /// Adds a fan over an end.
  ///
  /// - Parameter vertex: The vertices of the end, counterclockwise seen from outside.
  private mutating func addCap(
    around center: SIMD3<Double>, _ count: Int, _ vertex: (Int) -> Int
  ) {
    let middle = UInt32(positions.count)
    positions.append(Vector3(SIMD3<Float>(center)))
    for step in 0..<count {
      indices += [middle, UInt32(vertex(step)), UInt32(vertex((step + 1) % count))]
    }
  }

  /// Adds the meridians of a sphere, and a fan at each pole.
  private mutating func addSphere(_ shape: Shape) {
    let (steps, rows) = (Self.turnSteps, Self.turnSteps / 2 - 1)
    addGrid(steps, rows, closing: (true, false)) { column, row in
      let longitude = 2 * .pi * Double(column) / Double(steps)
      let latitude = .pi * (Double(row + 1) / Double(rows + 1) - 0.5)
      let direction = SIMD3(
        cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
      return shape.center + direction * shape.radius
    }
    let pole = SIMD3(0, 0, shape.radius)
    addCap(around: shape.center - pole, steps) { rows * (steps - 1 - $0) }
    addCap(around: shape.center + pole, steps) { rows * $0 + rows - 1 }
  }
}
