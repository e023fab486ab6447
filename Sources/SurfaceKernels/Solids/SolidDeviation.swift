import MeshpipeScene
import NativeLibraries

/// The distance of a solid from the faces that it was made from, in their units.
package struct SolidDeviation: Sendable {
  /// The mean distance from the solid's surface to the faces, where it follows them.
  package private(set) var mean = 0.0
  package private(set) var greatest = 0.0
  /// The mean distance from the faces that are not inside of the solid to its surface.
  package private(set) var meanOfInput = 0.0
  package private(set) var greatestOfInput = 0.0
  /// The area of the surface that follows no face: what closes holes, and the back of skins.
  package private(set) var newArea = 0.0
  package private(set) var area = 0.0
  package private(set) var volume = 0.0

  /// Surface farther from all faces is new, in voxels.
  static let reach: Float = 1.5
  /// More faces of the input tell no more.
  private static let mostMeasured = 300_000

  /// A face of the input from which the solid's surface is measured.
  struct Sample: BitwiseCopyable, Sendable {
    var middle: Vector3
    /// Twice the area.
    var weight: Float
  }

  /// - Parameter nearest: For each face of the solid, up to the reach.
  init(of solid: Mesh, _ nearest: [SolidInput.Nearest], voxel: Float) {
    let reach = Self.reach * voxel
    var followed = 0.0
    for (face, distance) in nearest.lazy.map(\.distance).enumerated() {
      let double = solid.areaVector(ofFace: face)
      area += double.length / 2
      volume += solid.centroid(ofFace: face).dot(double) / 6
      guard distance < reach else {
        newArea += double.length / 2
        continue
      }
      followed += double.length / 2
      mean += Double(distance) * double.length / 2
      greatest = max(greatest, Double(distance))
    }
    mean = followed > 0 ? mean / followed : 0
  }

  mutating func scale(by factor: Double) {
    mean *= factor
    greatest *= factor
    meanOfInput *= factor
    greatestOfInput *= factor
    newArea *= factor * factor
    area *= factor * factor
    volume *= factor * factor * factor
  }

  /// Faces of the input that are not inside of a solid.
  static func samples(
    of input: SolidInput, by field: SolidField, _ raster: SolidRaster
  ) -> [Sample] {
    let step = max(1, input.faceCount / mostMeasured)
    let count = (input.faceCount + step - 1) / step
    let parts = Parallel.mapChunks(of: count, chunkSize: 1 << 10) { range in
      range.compactMap { index -> Sample? in
        let (a, b, c) = input.corners(ofFace: index * step)
        let middle = (a + b + c) / 3
        guard raster.place(of: middle, in: field) != .inside else { return nil }
        return Sample(middle: Vector3(middle), weight: (b - a).cross(c - a).length)
      }
    }
    return Parallel.joined(parts)
  }

  /// Measures from faces of the input to the solid.
  mutating func measure(_ samples: [Sample], to solid: Mesh) throws(NativeLibraryError) {
    let tracer = try RayTracer(positions: solid.positions, indices: solid.indices, quality: .low)
    let found: [SIMD2<Float>] = Parallel.array(
      count: samples.count, chunkSize: 1 << 10
    ) { range, output in
      var last: UInt32?
      for sample in range.lazy.map({ samples[$0] }) {
        guard let hit = tracer.nearest(to: sample.middle.simd, likely: last) else {
          output.append(.zero)
          continue
        }
        output.append(SIMD2(hit.distance, sample.weight))
        last = hit.face
      }
    }
    let weight = found.reduce(0) { $0 + Double($1.y) }
    guard weight > 0 else { return }
    meanOfInput = found.reduce(0) { $0 + Double($1.x) * Double($1.y) } / weight
    greatestOfInput = found.reduce(0) { max($0, Double($1.x)) }
  }
}
