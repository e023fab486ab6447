/// Welds many points on all cores: a part of them at a time, whose hash table stays in the cache.
///
/// One table for all points misses the cache at each look. So the points of each chunk are sorted by the upper
/// bits of their hash, and then each part is welded by itself, in the order of the points.
struct PartedWelding {
  private typealias Key = PositionWelder.Key

  private static let chunkSize = 1 << 16
  private static let partBits = 8
  private static let partCount = 1 << partBits

  /// The points of a chunk, sorted by part: the bits of the coordinates, and the number of the point.
  private struct Chunk {
    var entries: [SIMD4<UInt32>]
    /// Where the entries of each part begin; one more for the end.
    var starts: [Int]
  }

  private let tags: [UInt32]
  private let chunks: [Chunk]
  private let count: Int

  init(_ points: [Vector3], tags: [UInt32]) {
    self.tags = tags
    count = points.count
    chunks = Parallel.mapChunks(of: points.count, chunkSize: Self.chunkSize) { range in
      var parts = [UInt8](repeating: 0, count: range.count)
      var starts = [Int](repeating: 0, count: Self.partCount + 1)
      for point in range {
        let hash = Key(points[point], tag: tags.isEmpty ? 0 : tags[point]).hash
        let part = hash >> (63 - Self.partBits)
        parts[point - range.lowerBound] = UInt8(part)
        starts[part + 1] += 1
      }
      for part in 1...Self.partCount { starts[part] += starts[part - 1] }
      var next = starts
      var entries = [SIMD4<UInt32>](repeating: .zero, count: range.count)
      for point in range {
        let key = Key(points[point], tag: 0)
        let part = Int(parts[point - range.lowerBound])
        entries[next[part]] = SIMD4(key.x, key.y, key.z, UInt32(point))
        next[part] += 1
      }
      return Chunk(entries: entries, starts: starts)
    }
  }

  /// As ``PositionWelder/weld(_:tags:)`` returns it.
  func weld() -> (firstPoints: [UInt32], vertices: [UInt32]) {
    let firsts = firstPointOfEach()
    let firstPoints = Parallel.mapChunks(of: count, chunkSize: Self.chunkSize) { range in
      range.lazy.map { UInt32($0) }.filter { firsts[Int($0)] == $0 }
    }
    var before = [0]
    for chunk in firstPoints { before.append(before[before.count - 1] + chunk.count) }
    // What stands at the first point of each vertex is its number.
    let numbers: [UInt32] = Parallel.array(count: count, chunkSize: Self.chunkSize) {
      [before] range, output in
      var number = UInt32(before[range.lowerBound / Self.chunkSize])
      for point in range {
        output.append(number)
        if firsts[point] == point { number += 1 }
      }
    }
    let vertices = Parallel.array(count: count) { numbers[Int(firsts[$0])] }
    return (Parallel.joined(firstPoints), vertices)
  }

  /// For each point the first one at its place.
  private func firstPointOfEach() -> [UInt32] {
    let parts = Parallel.mapChunks(of: Self.partCount, chunkSize: 1) {
      firstPoints(ofPart: $0.lowerBound)
    }
    // Where the entries of a chunk begin among those of a part.
    var before = [Int](repeating: 0, count: (chunks.count + 1) * Self.partCount)
    for (index, chunk) in chunks.enumerated() {
      for part in 0..<Self.partCount {
        let place = index * Self.partCount + part
        before[place + Self.partCount] =
          before[place] + chunk.starts[part + 1] - chunk.starts[part]
      }
    }
    return Parallel.array(count: count, chunkSize: Self.chunkSize) { [before] range, output in
      let index = range.lowerBound / Self.chunkSize
      let chunk = chunks[index]
      var firsts = [UInt32](repeating: 0, count: range.count)
      for part in 0..<Self.partCount {
        let shift = before[index * Self.partCount + part] - chunk.starts[part]
        for place in chunk.starts[part]..<chunk.starts[part + 1] {
          firsts[Int(chunk.entries[place].w) - range.lowerBound] = parts[part][place + shift]
        }
      }
      for first in firsts { output.append(first) }
    }
  }

  /// For each entry of a part, in order, the first point at its place.
  private func firstPoints(ofPart part: Int) -> [UInt32] {
    let size = chunks.reduce(0) { $0 + $1.starts[part + 1] - $1.starts[part] }
    var result: [UInt32] = []
    result.reserveCapacity(size)
    var bits = 4
    while 1 << bits < size + size / 2 { bits += 1 }
    let mask = 1 << bits - 1
    var slots = [UInt32](repeating: .max, count: 1 << bits)
    var places: [SIMD4<UInt32>] = []
    func tag(_ entry: SIMD4<UInt32>) -> UInt32 { tags.isEmpty ? 0 : tags[Int(entry.w)] }
    for chunk in chunks {
      for index in chunk.starts[part]..<chunk.starts[part + 1] {
        let entry = chunk.entries[index]
        let key = Key(entry, tag: tag(entry))
        // The bits above these told the part.
        var slot = key.hash >> max(0, 63 - Self.partBits - bits) & mask
        while slots[slot] != .max {
          let place = places[Int(slots[slot])]
          if Key(place, tag: tag(place)) == key { break }
          slot = (slot + 1) & mask
        }
        if slots[slot] == .max {
          slots[slot] = UInt32(places.count)
          places.append(entry)
        }
        result.append(places[Int(slots[slot])].w)
      }
    }
    return result
  }
}
