import MeshpipeScene

/// A grid of voxels around a surface, with what is inside of it.
struct SolidField: Sendable {
  /// The edge of a voxel.
  let voxel: Float
  /// The position of the voxel (0, 0, 0) of the block at the origin.
  let origin: SIMD3<Float>
  private(set) var grid: SparseBlocks
  private(set) var neighbors: NeighborBlocks
  /// Negative inside; one half less the winding number, or ±2 for what a skin decided.
  var values: [Float]

  /// The magnitude of a value that a skin decided.
  static let decided: Float = 2
  /// The value inside because a face is near.
  static let offset: Float = -3
  /// The value inside of a ``SolidStrut``.
  static let strut: Float = -4
  /// Winding numbers this far from one half don't pass it within a voxel, where no face is near.
  private static let certain: Float = 0.25
  /// The loss of a carried value per voxel: some voxels further the winding number is computed again.
  private static let loss: Float = 0.05
  /// The maximum carried value; overlapping faces have larger ones.
  private static let mostCarried: Float = 0.5
  /// A ``WindingRegion`` takes as long to make as some winding numbers.
  private static let fewestInRegion = 8

  /// The lowest voxels of the parts of 4×4×4 voxels of a block.
  static let eighths = (0..<8).map { SIMD3($0 & 1, $0 >> 1 & 1, $0 >> 2) &* 4 }

  init(_ keys: Set<UInt64>, voxel: Float, origin: SIMD3<Float>) {
    self.voxel = voxel
    self.origin = origin
    grid = SparseBlocks(keys)
    neighbors = NeighborBlocks(grid)
    values = [Float](repeating: .nan, count: grid.count * SparseBlocks.volume)
  }

  @inline(__always)
  func position(ofVoxel voxel: Int) -> SIMD3<Float> {
    let block = grid.coordinates[voxel / SparseBlocks.volume]
    let position = SparseBlocks.place(of: voxel)
    return origin
      + (SIMD3<Float>(block) * Float(SparseBlocks.width)
        + SIMD3(Float(position.x), Float(position.y), Float(position.z))) * self.voxel
  }

  /// Adds blocks, whose values are NaN.
  mutating func add(_ keys: Set<UInt64>) {
    let old = self
    let all = keys.union(grid.coordinates.map(SparseBlocks.key))
    guard all.count > grid.count else { return }
    grid = SparseBlocks(all)
    neighbors = NeighborBlocks(grid)
    let coordinates = grid.coordinates
    values = Parallel.array(count: coordinates.count * SparseBlocks.volume, chunkSize: 512) {
      range, output in
      let before = old.grid.block(at: coordinates[range.lowerBound / SparseBlocks.volume])
      for index in 0..<SparseBlocks.volume {
        output.append(
          before < 0 ? .nan : old.values[Int(before) * SparseBlocks.volume + index])
      }
    }
  }

  // MARK: Winding numbers

  /// Sets the values of some voxels, given in ascending order.
  mutating func evaluate(_ voxels: [UInt32], _ windings: WindingNumbers) {
    var starts: [Int] = []
    for (index, voxel) in voxels.enumerated()
    where index == 0 || voxel >> 9 != voxels[index - 1] >> 9 {
      starts.append(index)
    }
    starts.append(voxels.count)
    let (field, places) = (self, starts)
    let parts = Parallel.mapChunks(of: starts.count - 1, chunkSize: 8) { range in
      range.flatMap { field.values(of: voxels[places[$0]..<places[$0 + 1]], windings) }
    }
    for (voxel, value) in zip(voxels, parts.joined()) { values[Int(voxel)] = value }
  }

  /// The values of some voxels of one block, many of them by eighths of it.
  private func values(of voxels: ArraySlice<UInt32>, _ windings: WindingNumbers) -> [Float] {
    let points = voxels.map { position(ofVoxel: Int($0)) }
    guard points.count >= Self.fewestInRegion else {
      return windings.values(at: points).map { 0.5 - $0 }
    }
    let corner = position(ofVoxel: Int(voxels[voxels.startIndex]) & ~(SparseBlocks.volume - 1))
    let diagonal = voxel * Float(3).squareRoot()
    let whole = WindingRegion(windings, center: corner + 3.5 * voxel, radius: 3.5 * diagonal)
    var values = [Float](repeating: .nan, count: points.count)
    for low in Self.eighths {
      let places = points.indices.filter {
        SparseBlocks.place(of: Int(voxels[voxels.startIndex + $0])) & 4 == low
      }
      guard !places.isEmpty else { continue }
      let middle = corner + (SIMD3(Float(low.x), Float(low.y), Float(low.z)) + 1.5) * voxel
      let region = WindingRegion(in: whole, center: middle, radius: 1.5 * diagonal)
      for (place, value) in zip(places, region.values(at: places.map { points[$0] })) {
        values[place] = 0.5 - value
      }
    }
    return values
  }

  /// Carries the values of voxels to those around that have none, where they can't change sides, and
  /// asks for the winding number elsewhere.
  mutating func flood(_ windings: WindingNumbers) {
    var isReached = [Bool](repeating: false, count: values.count)
    var front = reachedVoxels()
    for voxel in front { isReached[Int(voxel)] = true }
    while !front.isEmpty {
      let field = self
      let voxels = front
      let found: [Float] = Parallel.array(count: voxels.count, chunkSize: 512) { index in
        field.carried(to: Int(voxels[index])) ?? .nan
      }
      for (voxel, value) in zip(voxels, found) { values[Int(voxel)] = value }
      evaluate(voxels.filter { values[Int($0)].isNaN }.sorted(), windings)
      front = unknownNeighbors(of: voxels, &isReached)
    }
  }

  /// The voxels without a value beside one that has one.
  private func reachedVoxels() -> [UInt32] {
    let parts = Parallel.mapChunks(of: values.count, chunkSize: SparseBlocks.volume) { range in
      range.filter { voxel in
        guard values[voxel].isNaN else { return false }
        return Self.steps.contains { step in
          neighbor(of: voxel, step).map { !values[$0].isNaN } ?? false
        }
      }.map(UInt32.init)
    }
    return Array(parts.joined())
  }

  private func unknownNeighbors(of front: [UInt32], _ isReached: inout [Bool]) -> [UInt32] {
    let reached = Parallel.mapChunks(of: front.count) { range in
      range.flatMap { unknownNeighbors(of: Int(front[$0])) }
    }
    var next: [UInt32] = []
    for voxel in reached.joined() where !isReached[Int(voxel)] {
      isReached[Int(voxel)] = true
      next.append(voxel)
    }
    return next
  }

  private static let steps: [SIMD3<Int>] = [
    SIMD3(-1, 0, 0), SIMD3(1, 0, 0), SIMD3(0, -1, 0), SIMD3(0, 1, 0), SIMD3(0, 0, -1),
    SIMD3(0, 0, 1),
  ]

  @inline(__always)
  private func neighbor(of voxel: Int, _ step: SIMD3<Int>) -> Int? {
    let place = SparseBlocks.place(of: voxel) &+ step
    return neighbors.voxel(in: voxel / SparseBlocks.volume, at: place)
  }

  private func unknownNeighbors(of voxel: Int) -> [UInt32] {
    Self.steps.compactMap { step in
      guard let other = neighbor(of: voxel, step), values[other].isNaN else { return nil }
      return UInt32(other)
    }
  }

  /// The value that goes on to a voxel from those around; nil if it may change sides.
  ///
  /// Without the loss, a value that is wrong by now would go on as far as blocks are added for it.
  private func carried(to voxel: Int) -> Float? {
    var least: Float?
    for step in Self.steps {
      guard let other = neighbor(of: voxel, step) else { continue }
      let value = values[other]
      guard !value.isNaN, value > -Self.decided else { continue }
      guard abs(value) >= Self.certain, least.map({ ($0 < 0) == (value < 0) }) ?? true else {
        return nil
      }
      if least.map({ abs(value) < abs($0) }) ?? true { least = value }
    }
    return least.map { value in
      let size = min(abs(value), Self.mostCarried) - Self.loss
      return value < 0 ? -size : size
    }
  }

  // MARK: Growth

  /// The blocks that are missing around edges of the grid which cross the surface.
  ///
  /// The surface is a mesh of quads around such edges, which share cells: where all voxels around each
  /// crossing are there, none is missed.
  func missingBlocks() -> Set<UInt64> {
    let parts = Parallel.mapChunks(of: grid.count, chunkSize: 64) { range in
      var keys: Set<UInt64> = []
      for block in range { addMissing(around: block, to: &keys) }
      return keys
    }
    return parts.reduce(into: []) { $0.formUnion($1) }
  }

  private func addMissing(around block: Int, to keys: inout Set<UInt64>) {
    guard !neighbors.isSurrounded(block) else { return }
    let all = values[block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume]
    let isNegative = values[block * SparseBlocks.volume] < 0
    let isUniform = !all.contains { ($0 < 0) != isNegative }
    let last = SparseBlocks.width - 1
    for voxel in block * SparseBlocks.volume..<(block + 1) * SparseBlocks.volume {
      let place = SparseBlocks.place(of: voxel)
      guard place.min() == 0 || place.max() == last else { continue }
      let isInside = values[voxel] < 0
      let isCrossed = Self.steps.contains { step in
        let next = place &+ step
        // Within a block of one sign there are no crossings.
        guard !isUniform || next.min() < 0 || next.max() > last,
          let other = neighbor(of: voxel, step)
        else { return false }
        return (values[other] < 0) != isInside
      }
      guard isCrossed else { continue }
      var sides = SIMD3<Int>.zero
      for axis in 0..<3 { sides[axis] = place[axis] == 0 ? -1 : place[axis] == last ? 1 : 0 }
      for number in 1..<8 {
        let offset = SIMD3(
          number & 1 == 1 ? sides.x : 0, number & 2 == 2 ? sides.y : 0,
          number & 4 == 4 ? sides.z : 0)
        guard offset != .zero, !neighbors.has(block, offset) else { continue }
        keys.insert(
          SparseBlocks.key(grid.coordinates[block] &+ SIMD3<Int32>(truncatingIfNeeded: offset)))
      }
    }
  }
}
