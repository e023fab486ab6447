import MeshPipeline
import MeshTestSupport
import Stages

extension MeshFixtures {
  /// A sheet of cells from the origin along x and z, whose coordinates show all of the texture.
  ///
  /// - Parameter height: That of the place at x and z.
  static func sheet(
    _ cells: Int, size: SIMD2<Float> = SIMD2(1, 1),
    height: (Float, Float) -> Float = { _, _ in 0 }
  ) -> Mesh {
    var mesh = Mesh(name: "square")
    for row in 0...cells {
      for column in 0...cells {
        let place = SIMD2(Float(column), Float(row)) / Float(cells) * size
        mesh.positions.append(Vector3(place.x, height(place.x, place.y), place.y))
      }
    }
    for row in 0..<cells {
      for column in 0..<cells {
        let first = UInt32(row * (cells + 1) + column)
        let below = first + UInt32(cells) + 1
        mesh.indices += [first, below, first + 1, first + 1, below, below + 1]
      }
    }
    mesh.textureCoordinates = mesh.indices.map { vertex in
      let place = mesh.positions[Int(vertex)]
      return Vector2(place.x / size.x, 1 - place.z / size.y)
    }
    return mesh
  }
}

extension BakeMaps {
  /// The light scene with maps of 64 texels from the heavy one.
  static func baked(
    _ light: Scene, from heavy: Scene, _ context: StageContext = StageContext(),
    _ change: (inout Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = Parameters()
    (parameters.from, parameters.size) = (SceneReference("heavy"), 64)
    change(&parameters)
    context.lend([parameters.from: heavy])
    return try BakeMaps(parameters).run(light, in: context)
  }
}
