import MeshpipeScene
import SurfaceKernels

extension TextureAccumulator {
  /// The colours painted around vertices, in linear light, 0…65535; the fourth is 0 where nothing
  /// was painted.
  ///
  /// A frame may differ from the consensus: the filled surface continues the painted colour.
  func painted(around isWanted: [Bool]) -> [SIMD4<Float>] {
    let mesh = raster.mesh
    let around = VertexCorners(indices: mesh.indices, vertexCount: mesh.vertexCount)
    return Parallel.array(count: mesh.vertexCount, chunkSize: 256) { vertex in
      var sum = SIMD4<Float>.zero
      guard isWanted[vertex] else { return sum }
      for corner in around[vertex] where isPainted(Int(corner) / 3) {
        add(triangle: Int(corner) / 3, corner: Int(corner) % 3, to: &sum)
      }
      return sum.w > 0 ? sum / sum.w : .zero
    }
  }

  /// Adds the texels of a triangle that are near one of its corners.
  private func add(triangle: Int, corner: Int, to sum: inout SIMD4<Float>) {
    raster.texelTriangle(of: triangle)?.forEachSpan { span in
      var pixel = raster.firstPixel(of: span, ofTriangle: triangle)
      for column in span.columns {
        let weight = max(0, span.weights(atColumn: column)[corner])
        let light = SIMD4(
          Float(LinearImage.linear[Int(pixels[pixel])]),
          Float(LinearImage.linear[Int(pixels[pixel + 1])]),
          Float(LinearImage.linear[Int(pixels[pixel + 2])]), 1)
        // Mostly those at the corner, but also some of a triangle of few texels.
        sum += light * (weight * weight * weight * weight)
        pixel += 3
      }
    }
  }
}
