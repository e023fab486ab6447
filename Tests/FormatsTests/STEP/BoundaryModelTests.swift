import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Flat faces of meshes: how many there are is counted by hand.
struct BoundaryModelTests {
  private func model(_ mesh: Mesh, tolerance: Double = 1e-5) -> BoundaryModel {
    let styles = [Int32](repeating: -1, count: mesh.faceCount)
    return BoundaryModel(
      Facets(mesh, placement: .identity, styles: styles, tolerance: tolerance),
      tolerance: tolerance, check: {})
  }

  /// Faces, edges and vertices that are used.
  private func counts(_ model: BoundaryModel) -> [Int] {
    let sides = model.faces.flatMap { $0.loops.joined() }
    return [model.faces.count, model.edges.count, Set(sides.map(model.start)).count]
  }

  /// The area of all faces, without their holes.
  private func area(_ model: BoundaryModel) -> Double {
    model.faces.reduce(0) { sum, face in
      sum
        + face.loops.reduce(0) { sum, loop in
          let corners = loop.map { model.positions[model.start($0)] - face.plane.center }
          return sum
            + corners.indices.reduce(0) {
              $0 + corners[$1].cross(corners[($1 + 1) % corners.count]).dot(face.plane.normal) / 2
            }
        }
    }
  }

  /// A prism over an L with a rectangular hole: 6 + 4 sides, bottom and top.
  static func angle() -> Mesh {
    let cells = PlanarCells(
      outline: [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (0, 2)].map { SIMD2($0.0, $0.1) },
      holes: [[(0.25, 0.25), (0.75, 0.25), (0.75, 0.75), (0.25, 0.75)].map { SIMD2($0.0, $0.1) }])
    return Slab(cells) {
      Vector3(Float($0.x), Float($0.y), 0.5)
    } back: {
      Vector3(Float($0.x), Float($0.y), 0)
    }.mesh(mirrored: false)
  }

  @Test func `the faces of a cube and of an angle with a hole are counted`() {
    #expect(counts(model(MeshFixtures.cube)) == [6, 12, 8])
    let angle = model(Self.angle())
    #expect(counts(angle) == [12, 30, 20])
    #expect(angle.faces.count { $0.loops.count == 2 } == 2)
    #expect(abs(area(angle) - Self.angle().area) < 1e-6)
    #expect(angle.solids.count == 1 && angle.openShells.isEmpty)
    #expect(abs(angle.shells[0].volume - (4 - 0.25) / 2) < 1e-6)
  }

  @Test func `each edge of a solid is a side of two faces, once in each direction`() {
    let model = model(Self.angle())
    var uses = [[Bool]](repeating: [], count: model.edges.count)
    for side in model.faces.flatMap({ $0.loops.joined() }) {
      uses[side.edge].append(side.isForward)
    }
    #expect(uses.allSatisfy { $0.count == 2 && $0[0] != $0[1] })
  }

  @Test(arguments: [1, 7])
  func `a fine grid is one face with four corners`(rows: Int) {
    let found = model(MeshFixtures.grid(columns: 9, rows: rows))
    #expect(counts(found) == [1, 4, 4])
    #expect(found.solids.isEmpty && found.openShells.count == 1)
  }

  @Test func `a bend beyond the tolerance is kept, and one within it is not`() {
    var grid = MeshFixtures.grid(columns: 8, rows: 8)
    let size = grid.bounds.extent
    for vertex in grid.positions.indices where grid.positions[vertex].x > 4 {
      grid.positions[vertex] = Vector3(
        grid.positions[vertex].x, 0.01 * (grid.positions[vertex].x - 4),
        grid.positions[vertex].z)
    }
    #expect(model(grid, tolerance: 1e-5 * Double(size)).faces.count == 2)
    // The bend rises by 4 cm.
    #expect(model(grid, tolerance: 0.05).faces.count == 1)
  }

  @Test func `noise within the tolerance is taken off where three planes meet`() {
    var noisy = Self.angle()
    var random = SplitMix64(seed: 7)
    noisy.positions = noisy.positions.map { position in
      func shift() -> Float { Float(0.001 * random.unit() - 0.0005) }
      return Vector3(position.x + shift(), position.y + shift(), position.z + shift())
    }
    let found = model(noisy, tolerance: 0.002)
    #expect(counts(found) == [12, 30, 20])
    let farthest = found.faces.flatMap { face in
      face.loops.joined().map { abs(face.plane.distance(to: found.positions[found.start($0)])) }
    }.max()
    #expect((farthest ?? 1) < 1e-9)
  }

  @Test func `faces of different looks stay apart`() {
    let grid = MeshFixtures.grid(columns: 4, rows: 4)
    let styles = (0..<grid.faceCount).map { Int32(2 * $0 / grid.faceCount) }
    let found = BoundaryModel(
      Facets(grid, placement: .identity, styles: styles, tolerance: 1e-5), tolerance: 1e-5,
      check: {})
    #expect(found.faces.map(\.style) == [0, 1])
  }

  @Test func `boxes that touch along an edge are two solids, and a box in a box is its cavity`() {
    func box(_ low: Float, _ high: Float, at shift: Vector3 = Vector3(0, 0, 0)) -> Mesh {
      var mesh = MeshFixtures.cube
      let (minimum, size) = (mesh.bounds.minimum, mesh.bounds.size)
      mesh.positions = mesh.positions.map {
        let share = ($0.simd - minimum) / size
        return Vector3(low + (high - low) * share + shift.simd)
      }
      return mesh
    }
    func joined(_ one: Mesh, _ other: Mesh) -> Mesh {
      var mesh = one
      mesh.positions += other.positions
      mesh.indices += other.indices.map { $0 + UInt32(one.vertexCount) }
      return mesh
    }
    let touching = model(joined(box(0, 1), box(0, 1, at: Vector3(1, 1, 0))))
    #expect(touching.solids.count == 2 && counts(touching) == [12, 24, 16])
    var inner = box(0.25, 0.75)
    inner.flipWinding()
    let hollow = model(joined(box(0, 1), inner))
    #expect(hollow.solids.map(\.cavities.count) == [1])
    #expect(abs(hollow.shells.reduce(0) { $0 + $1.volume } - 0.875) < 1e-6)
    var inverted = box(0, 1)
    inverted.flipWinding()
    let turned = model(inverted)
    #expect(turned.solids.count == 1 && turned.isInsideOut(turned.solids[0]))
  }

  @Test func `where a hole touches the outline there are several faces`() {
    let cells = PlanarCells(
      outline: [(0, 0), (3, 0), (3, 3), (0, 3)].map { SIMD2($0.0, $0.1) },
      holes: [[(0, 0), (2, 1), (1, 2)].map { SIMD2($0.0, $0.1) }])
    // Equal positions become one vertex.
    let mesh = Mesh(
      positions: cells.points.map { Vector3(Float($0.x), Float($0.y), 0) },
      indices: cells.triangles)
    let found = model(mesh)
    #expect(found.faces.count > 1)
    #expect(abs(area(found) - 7.5) < 1e-6)
    for face in found.faces {
      let vertices = face.loops.joined().map(found.start)
      #expect(Set(vertices).count == vertices.count)
    }
  }

  @Test(arguments: MeshFixtures.all.indices)
  func `the faces of any mesh cover it`(fixture: Int) {
    for mesh in MeshFixtures.all[fixture].meshes where mesh.faceCount > 0 {
      let finite = mesh.positions.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
      guard finite else { continue }
      let found = model(mesh, tolerance: 1e-6 * Double(mesh.bounds.extent))
      #expect(abs(area(found) - mesh.area) < 1e-4 * mesh.area)
      #expect(found.faces.allSatisfy { $0.loops.allSatisfy { $0.count > 2 } })
    }
  }
}
