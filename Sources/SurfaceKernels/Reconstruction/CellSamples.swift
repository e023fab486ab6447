import MeshpipeScene

/// Points with normals in the order of the cells of a grid: one sample for each cell that has some.
struct CellSamples: Sendable {
  let grid: NestedGrid
  /// The cells in ascending order.
  let cells: [UInt64]
  /// The mean position of a sample's points in its cell, from 0 to 1.
  let places: [Vector3]
  /// The sum of the points' unit normals.
  let normals: [Vector3]
  /// The points, sample by sample.
  let order: [UInt32]
  /// The first index in ``order`` of each sample, and last the number of points.
  let starts: [Int]

  var count: Int { cells.count }

  func pointCount(_ sample: Int) -> Float { Float(starts[sample + 1] - starts[sample]) }

  /// The position of a sample in cells of the grid's finest level.
  @inline(__always)
  func position(_ sample: Int) -> SIMD3<Double> {
    SIMD3<Double>(MortonCell.cell(cells[sample])) + places[sample].double
  }

  /// - Parameters:
  ///   - points: The indices of those that count, whose coordinates and normals are finite.
  ///   - normals: Of all points.
  init(_ points: [UInt32], of positions: [Vector3], _ normals: [Vector3], in grid: NestedGrid) {
    let sorted = SortedCells(points, of: positions, in: grid)
    let starts = sorted.starts
    self.grid = grid
    self.starts = starts
    order = Parallel.array(count: points.count) { sorted.records[$0].point }
    cells = Parallel.array(count: starts.count - 1) { sorted.records[starts[$0]].cell }
    let order = order
    places = Parallel.array(count: starts.count - 1) { sample in
      var sum = SIMD3<Double>.zero
      for index in starts[sample]..<starts[sample + 1] {
        let place = grid.place(of: positions[Int(order[index])])
        sum += place - place.rounded(.down)
      }
      return Vector3(SIMD3<Float>(sum / Double(starts[sample + 1] - starts[sample])))
    }
    self.normals = Parallel.array(count: starts.count - 1) { sample in
      var sum = SIMD3<Float>.zero
      for index in starts[sample]..<starts[sample + 1] {
        sum += normals[Int(order[index])].simd.normalized
      }
      return Vector3(sum)
    }
  }
}

/// Points sorted by the cells of the finest level of a grid, in the order of points within a cell.
struct SortedCells: ~Copyable, Sendable {
  struct Record: BitwiseCopyable, Sendable {
    let cell: UInt64
    let point: UInt32
  }

  let records: ScratchBuffer<Record>

  init(_ points: [UInt32], of positions: [Vector3], in grid: NestedGrid) {
    var records = ScratchBuffer<Record>(count: points.count) { index in
      let place = grid.place(of: positions[Int(points[index])])
      return Record(cell: MortonCell.code(SIMD3<UInt32>(place)), point: points[index])
    }
    var sorted = ScratchBuffer<Record>(uninitialized: points.count)
    // Level 0 has up to 16 cells along an axis.
    let bits = UInt64(3 * (grid.finest + 4))
    var shift: UInt64 = 0
    while shift < bits {
      let low = shift
      radixPass(records, into: sorted) { Int($0.cell >> low & 1023) }
      swap(&records, &sorted)
      shift += 10
    }
    self.records = records
  }

  /// The first record of each cell, and last the number of records.
  var starts: [Int] {
    let parts = Parallel.mapChunks(of: records.count) { range in
      range.filter { $0 == 0 || records[$0].cell != records[$0 - 1].cell }
    }
    return Parallel.joined(parts) + [records.count]
  }

  /// The number of cells of a coarser grid that have points.
  ///
  /// - Parameter shift: The number of bits to leave out, three for each level.
  func cellCount(shift: UInt64) -> Int {
    Parallel.mapChunks(of: records.count) { range in
      range.count { $0 == 0 || records[$0].cell >> shift != records[$0 - 1].cell >> shift }
    }.reduce(0, +)
  }
}
