import MeshpipeScene

/// The equations of a reconstruction on all levels, and their solution from coarse to fine.
struct PoissonSystem: Sendable {
  let levels: [PoissonLevel]
  private let transfers: [LevelTransfer]
  private let samples: CellSamples
  private let areas: SampleAreas

  /// The number of relaxation passes over the blocks of a level: of level 0, which starts from nothing, of level 1, and
  /// of others.
  private static let passes = (root: 60, whole: 16, others: 4)

  /// - Returns: Nil if the finest level has more blocks than allowed.
  init?(_ samples: CellSamples, _ areas: SampleAreas, mostBlocks: Int) {
    self.samples = samples
    self.areas = areas
    let grid = samples.grid
    let noise = SampleNoise(samples)
    var levels: [PoissonLevel] = []
    var finer: Set<UInt64> = []
    for number in (0...grid.finest).reversed() {
      let items = Self.items(samples, areas, noise, level: number)
      let keys =
        number < NestedGrid.wholeLevels
        ? grid.allBlocks(ofLevel: number)
        : PoissonLevel.parents(of: finer).union(items.surroundingBlocks())
      guard keys.count <= mostBlocks else { return nil }
      levels.append(PoissonLevel(keys, items, number: number))
      finer = keys
    }
    self.levels = levels.reversed()
    let ordered = self.levels
    transfers = ordered.indices.dropLast().map {
      LevelTransfer(from: ordered[$0], to: ordered[$0 + 1])
    }
  }

  /// The samples of a level, by area; their vectors are the normals times the areas that the level shows.
  private static func items(
    _ samples: CellSamples, _ areas: SampleAreas, _ noise: SampleNoise, level: Int
  ) -> LevelSamples {
    let cells = Float(1 << (2 * (samples.grid.finest - level)))
    return LevelSamples(samples, level: level) { sample in
      let depth = areas.levels[sample]
      guard level < NestedGrid.wholeLevels || depth > Float(level - 1) else { return nil }
      let area = areas.areas[sample] / cells
      let share = max(0, 1 - abs(depth - Float(level))) / samples.pointCount(sample)
      return .init(
        weight: area, vector: samples.normals[sample].simd * (area * share),
        variance: noise[sample])
    }
  }

  /// Sets up the right sides: integrals of the normal field times the gradients of the nodes' functions.
  func assemble() {
    for axis in 0..<3 {
      for level in levels { NormalField(of: level, axis: axis).addDivergence() }
    }
    // A coarser function is a sum of finer ones.
    for number in levels.indices.dropLast().reversed() {
      transfers[number].coarsen(
        levels[number + 1].rightSide, to: levels[number].rightSide, factor: 0.5)
    }
    // What only coarser levels show is part of the field of finer ones, too.
    for axis in 0..<3 {
      var field = NormalField(of: levels[0], axis: axis)
      for number in levels.indices.dropFirst() {
        field = NormalField(field, on: levels[number], by: transfers[number - 1])
        field.addDivergence()
        field.addSamples()
      }
    }
  }

  /// Solves the equations level by level.
  func solve(pointWeight: Float, progress: (Double) throws -> Void) rethrows {
    let total = Double(levels.reduce(0) { $0 + $1.grid.count * Self.passes(of: $1) })
    var done = 0.0
    for (number, level) in levels.enumerated() {
      if number > 0 { transfers[number - 1].refine(levels[number - 1].field, to: level.field) }
      try PoissonRelaxation.run(
        level, pointWeight: pointWeight, passes: Self.passes(of: level)
      ) {
        done += Double(level.grid.count)
        try progress(done / total)
      }
    }
  }

  private static func passes(of level: PoissonLevel) -> Int {
    level.number == 0 ? passes.root : level.isWhole ? passes.whole : passes.others
  }

  /// The mean of the field at the samples, each seen by its finest level.
  func meanAtSamples() -> Float {
    var (sum, weight) = (0.0, 0.0)
    for level in levels {
      for part in level.sumAtSamples() { (sum, weight) = (sum + part.x, weight + part.y) }
    }
    return weight > 0 ? Float(sum / weight) : 0
  }
}

extension PoissonLevel {
  /// Sums of the field at the samples of the level times their weights, and of the weights.
  fileprivate func sumAtSamples() -> [SIMD2<Double>] {
    Parallel.mapChunks(of: grid.count, chunkSize: 32) { [self] range in
      let rows = SurroundedRows()
      var sum = SIMD2<Double>.zero
      for block in range {
        let own = lists[block].filter { all($0.corner .>= 0) }
        guard !own.isEmpty else { continue }
        rows.load(block, of: field, neighbors, outside: .nearest)
        for entry in own {
          let item = samples.items[Int(entry.sample)]
          let value = rows.value(at: entry.corner, item.place.simd)
          // Sums of normals are long where this level shows the sample.
          let weight = Double(item.vector.simd.length)
          sum += SIMD2(Double(value) * weight, weight)
        }
      }
      return sum
    }
  }
}
