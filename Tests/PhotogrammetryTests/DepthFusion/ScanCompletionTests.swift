import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// What of a scan's mesh a fused one keeps: its surface, and its classes.
struct ScanCompletionTests {
  /// A level surface that faces up.
  private static func level(
    x: ClosedRange<Float>, z: ClosedRange<Float>, y: Float = 0, step: Float
  ) -> Mesh {
    let columns = Int(((x.upperBound - x.lowerBound) / step).rounded())
    let rows = Int(((z.upperBound - z.lowerBound) / step).rounded())
    var mesh = Mesh()
    for row in 0...rows {
      for column in 0...columns {
        mesh.positions.append(
          Vector3(x.lowerBound + Float(column) * step, y, z.lowerBound + Float(row) * step))
      }
    }
    for row in 0..<UInt32(rows) {
      for column in 0..<UInt32(columns) {
        let first = row * UInt32(columns + 1) + column
        let below = first + UInt32(columns + 1)
        mesh.indices += [first, below, first + 1, first + 1, below, below + 1]
      }
    }
    mesh.normals = mesh.positions.map { _ in Vector3(0, 1, 0) }
    return mesh
  }

  private static func floor(_ mesh: Mesh) -> Mesh {
    var mesh = mesh
    mesh.classes = FaceClasses(labels: [UInt16](repeating: 2, count: mesh.faceCount))
    return mesh
  }

  @Test func `new surface shares edges with the scan, and continues its classes`() {
    let scan = Self.floor(Self.level(x: -1...0, z: -0.5...0.5, step: 0.05))
    let fused = Self.level(x: -0.95...1.01, z: -0.49...0.49, y: 0.002, step: 0.02)
    let result = scan.completed(
      by: fused, .arkit, voxel: 0.02, material: 0, up: Vector3(0, 1, 0))
    #expect(Array(result.positions.prefix(scan.vertexCount)) == scan.positions)
    let edges = Edges(result)
    #expect(edges.allSatisfy { $0.valence <= 2 })
    #expect(FaceComponents(edges: edges, faceCount: result.faceCount).count == 1)
    let area = (0..<result.faceCount).reduce(0) { $0 + result.area(ofFace: $1) }
    #expect(abs(area - (1 + 1.01 * 0.98)) < 0.01)
    #expect(result.classes?.labels.allSatisfy { $0 == 2 } == true)
    // One border, of the outline alone.
    let border = edges.filter(\.isBoundary).reduce(Float(0)) {
      $0 + (result.positions[Int($1.lower)].simd - result.positions[Int($1.higher)].simd).length
    }
    #expect(border < 6.2)
  }

  @Test func `a scan without holes stays as it is`() {
    let scan = Self.floor(Self.level(x: -1...1, z: -1...1, step: 0.05))
    let fused = Self.level(x: -0.9...0.9, z: -0.9...0.9, y: -0.004, step: 0.03)
    let result = scan.completed(
      by: fused, .arkit, voxel: 0.02, material: 0, up: Vector3(0, 1, 0))
    #expect(result == scan)
  }

  @Test func `classes end where a plane does`() {
    let scan = Self.floor(Self.level(x: -1...0, z: -0.5...0.5, step: 0.05))
    var fused = Self.level(x: -1...1, z: -0.5...0.5, step: 0.04)
    let table = Self.level(x: 0.2...0.8, z: -0.2...0.2, y: 0.7, step: 0.04)
    let (offset, count) = (UInt32(fused.vertexCount), fused.faceCount)
    fused.positions += table.positions
    fused.normals? += table.normals ?? []
    fused.indices += table.indices.map { $0 + offset }
    fused.takeClasses(of: scan, .arkit)
    #expect(fused.classes?.labels.prefix(count).allSatisfy { $0 == 2 } == true)
    #expect(fused.classes?.labels.dropFirst(count).allSatisfy { $0 == 0 } == true)
  }
}
