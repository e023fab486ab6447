import MeshpipeScene

/// Depths of a photograph that are known before, at any size.
package struct StereoPrior: Sendable {
  let size: SIMD2<Int>
  /// Inverse depths in units of the scene, row by row; 0 where nothing is known.
  let inverseDepths: [Float]

  /// - Parameter depths: In units of the scene, row by row; 0 or infinite where nothing is known.
  package init(size: SIMD2<Int>, depths: [Float]) {
    self.size = size
    inverseDepths = depths.map { $0 > 0 && $0.isFinite ? 1 / $0 : 0 }
  }

  /// The inverse depths of an image of another size with the same field of view.
  func resized(to size: SIMD2<Int>) -> [Float] {
    let columns = (0..<size.x).map { ($0 * 2 + 1) * self.size.x / (2 * size.x) }
    return (0..<size.y).flatMap { y in
      let row = (y * 2 + 1) * self.size.y / (2 * size.y) * self.size.x
      return columns.map { inverseDepths[row + $0] }
    }
  }

  /// Some points, in the axes of the scene.
  func points(_ camera: StereoCamera, _ size: SIMD2<Int>) -> [SIMD3<Float>] {
    let step = max(1, self.size.x / 24)
    let factor = SIMD2<Float>(size) / SIMD2<Float>(self.size)
    var points: [SIMD3<Float>] = []
    for y in stride(from: step / 2, to: self.size.y, by: step) {
      for x in stride(from: step / 2, to: self.size.x, by: step) {
        let q = inverseDepths[y * self.size.x + x]
        guard q > 0 else { continue }
        let pixel = (SIMD2(Float(x), Float(y)) + 0.5) * factor - 0.5
        points.append(camera.point(pixel.x, pixel.y, depth: 1 / q))
      }
    }
    return points
  }
}
