import MeshpipeScene

/// The voxels of a grid that faces touch.
struct SolidRaster: Sendable {
  let voxel: Float
  let origin: SIMD3<Float>

  /// Faces at once, whose voxels are held in memory.
  private static let group = 1 << 16
  private static let chunk = 1 << 11

  /// The coordinates of the voxel at a point, rounded down.
  @inline(__always)
  func cell(of point: SIMD3<Float>) -> SIMD3<Int32> {
    let position = ((point - origin) / voxel).rounded(.down)
    // A vector of whole numbers takes them one by one, without being specialised.
    return SIMD3(Int32(position.x), Int32(position.y), Int32(position.z))
  }

  /// The keys of the blocks within a distance of some faces.
  func blocks(
    around input: SolidInput, faces: [UInt32]? = nil, distance: Float
  ) -> Set<UInt64> {
    let longest = max(4 * voxel, distance)
    let parts = Parallel.mapChunks(of: faces?.count ?? input.faceCount, chunkSize: Self.chunk) {
      range in
      var keys: Set<UInt64> = []
      var last: (low: SIMD3<Int32>, high: SIMD3<Int32>)?
      for face in range {
        input.forEachPiece(ofFace: faces.map { Int($0[face]) } ?? face, longest: longest) {
          a, b, c in
          let low = cell(of: pointwiseMin(pointwiseMin(a, b), c) - distance) &>> 3
          let high = (cell(of: pointwiseMax(pointwiseMax(a, b), c) + distance) &+ 1) &>> 3
          guard last.map({ $0.low != low || $0.high != high }) ?? true else { return }
          last = (low, high)
          for z in low.z...high.z {
            for y in low.y...high.y {
              for x in low.x...high.x { keys.insert(SparseBlocks.key(SIMD3(x, y, z))) }
            }
          }
        }
      }
      return keys
    }
    return parts.reduce(into: []) { $0.formUnion($1) }
  }

  /// The voxels at the corners of cells that faces touch, ascending.
  func voxels(around input: SolidInput, in grid: SparseBlocks) -> [UInt32] {
    var isNear = [Bool](repeating: false, count: grid.count * SparseBlocks.volume)
    for start in stride(from: 0, to: input.faceCount, by: Self.group) {
      let count = min(Self.group, input.faceCount - start)
      let parts = Parallel.mapChunks(of: count, chunkSize: Self.chunk) { range in
        voxels(around: input, range.lowerBound + start..<range.upperBound + start, in: grid)
      }
      for voxel in parts.joined() { isNear[Int(voxel)] = true }
    }
    return isNear.indices.filter { isNear[$0] }.map(UInt32.init)
  }

  private func voxels(
    around input: SolidInput, _ faces: Range<Int>, in grid: SparseBlocks
  ) -> [UInt32] {
    var voxels: [UInt32] = []
    var known: (key: SIMD3<Int32>, block: Int32) = (SIMD3(repeating: .max), -1)
    for face in faces {
      input.forEachPiece(ofFace: face, longest: voxel) { a, b, c in
        let low = cell(of: pointwiseMin(pointwiseMin(a, b), c))
        let high = cell(of: pointwiseMax(pointwiseMax(a, b), c)) &+ 1
        for z in low.z...high.z {
          for y in low.y...high.y {
            for x in low.x...high.x {
              let key = SIMD3(x, y, z) &>> 3
              if key != known.key { known = (key, grid.block(at: key)) }
              guard known.block >= 0 else { continue }
              let place = (x & 7) + (y & 7) << 3 + (z & 7) << 6
              voxels.append(UInt32(Int(known.block) * SparseBlocks.volume + Int(place)))
            }
          }
        }
      }
    }
    return voxels
  }

  /// The position of the cells around a face's piece relative to the surface.
  enum Place { case onSurface, inside, outside }

  /// The faces with a piece around which the surface doesn't pass, and that is not inside.
  func unsupported(_ input: SolidInput, by field: SolidField) -> [UInt32] {
    let parts = Parallel.mapChunks(of: input.faceCount, chunkSize: Self.chunk) { range in
      range.filter { face in
        var isUnsupported = false
        input.forEachPiece(ofFace: face, longest: 2 * voxel) { a, b, c in
          isUnsupported = isUnsupported || place(of: (a + b + c) / 3, in: field) == .outside
        }
        return isUnsupported
      }.map(UInt32.init)
    }
    return Array(parts.joined())
  }

  /// The position of a point relative to the surface, by the voxels at most one cell away from that of the point.
  func place(of point: SIMD3<Float>, in field: SolidField) -> Place {
    let first = cell(of: point) &- 1
    let key = first &>> 3
    let block = field.grid.block(at: key)
    guard block >= 0 else { return .outside }
    let start = first &- key &* 8
    var (inside, outside) = (false, false)
    for z in 0..<4 {
      for y in 0..<4 {
        for x in 0..<4 {
          let voxel = field.neighbors.voxel(
            in: Int(block), at: SIMD3(Int(start.x) + x, Int(start.y) + y, Int(start.z) + z))
          if let voxel, field.values[voxel] < 0 { inside = true } else { outside = true }
          if inside, outside { return .onSurface }
        }
      }
    }
    return inside ? .inside : .outside
  }
}
