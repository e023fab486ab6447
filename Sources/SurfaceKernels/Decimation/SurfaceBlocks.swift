import MeshpipeScene

/// The faces of a surface by blocks of vertices that are contiguous in space.
///
/// A face belongs to each block that has one of its vertices. Degenerate faces, which use a vertex
/// twice, are left out.
final class SurfaceBlocks: Sendable {
  /// The rank of each vertex of the surface in spatial order.
  let ranks: ScratchBuffer<UInt32>
  /// The faces of the surface, each counted once.
  var faceCount: Int { lists.count }
  /// The most faces that a block has.
  let largestFaceCount: Int
  private let lists: FaceLists
  /// The binary logarithm of the size of a block.
  private let shift: UInt32

  /// - Parameters:
  ///   - surface: Its vertices are reordered.
  ///   - size: The number of vertices of a block; the last one may have fewer. A power of two.
  init(_ surface: inout EdgeCollapse.Surface, size: Int) {
    let shift = UInt32(truncatingIfNeeded: size.trailingZeroBitCount)
    self.shift = shift
    let ranks = ScratchBuffer<UInt32>(uninitialized: surface.order.count)
    let order = surface.order
    surface.order = []
    Parallel.forEachChunk(of: order.count) { _, range in
      for rank in range { ranks[order[rank]] = UInt32(truncatingIfNeeded: rank) }
    }
    let blockCount = (order.count + size - 1) / size
    lists = Self.faces(of: surface.vertices, ranks, shift, blockCount: blockCount)
    self.ranks = ranks
    let starts = lists.starts
    largestFaceCount = zip(starts.dropFirst(), starts).map { $0 - $1 }.max() ?? 0
  }

  /// The faces of all blocks, one block after another.
  private struct FaceLists: ~Copyable {
    /// Where the faces of each block begin, and the end of the last.
    let starts: [Int]
    let faces: ScratchBuffer<UInt32>
    /// The number of faces, each counted once.
    let count: Int
  }

  var count: Int { lists.starts.count - 1 }

  /// The ranks of the vertices of a block.
  func vertices(of block: Int) -> Range<Int> {
    block << Int(shift)..<min(ranks.count, (block + 1) << Int(shift))
  }

  func faceCount(of block: Int) -> Int {
    lists.starts[block + 1] - lists.starts[block]
  }

  /// A face of a block, by its index there.
  @inline(__always)
  func face(_ number: Int, of block: Int) -> UInt32 {
    lists.faces[lists.starts[block] + number]
  }

  /// The rank of the vertex of each corner of a block's faces.
  func cornerRanks(of block: Int, _ surface: EdgeCollapse.Surface) -> [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(3 * faceCount(of: block))
    for number in 0..<faceCount(of: block) {
      let first = 3 * Int(face(number, of: block))
      for corner in first..<first + 3 { result.append(ranks[surface.vertices[corner]]) }
    }
    return result
  }

  /// Counts the faces of each block in each of a few chunks of the faces, and then stores them.
  private static func faces(
    of vertices: [UInt32], _ ranks: borrowing ScratchBuffer<UInt32>, _ shift: UInt32,
    blockCount: Int
  ) -> FaceLists {
    let faceCount = vertices.count / 3
    let chunkSize = max(1 << 14, (faceCount + 15) / 16)
    let chunks = (faceCount + chunkSize - 1) / chunkSize
    let places = ScratchBuffer<UInt32>(repeating: 0, count: chunks * blockCount)

    @Sendable func forEachPlace(
      in chunk: Int, _ range: Range<Int>, _ body: (Int, Int) -> Void
    ) -> Int {
      var count = 0
      for face in range {
        let (a, b, c) = (vertices[3 * face], vertices[3 * face + 1], vertices[3 * face + 2])
        guard a != b, b != c, c != a else { continue }
        let (one, two, three) = (ranks[a] >> shift, ranks[b] >> shift, ranks[c] >> shift)
        body(chunk * blockCount + Int(one), face)
        if two != one { body(chunk * blockCount + Int(two), face) }
        if three != one, three != two { body(chunk * blockCount + Int(three), face) }
        count += 1
      }
      return count
    }

    let counts = Parallel.mapChunks(of: faceCount, chunkSize: chunkSize) { range in
      forEachPlace(in: range.lowerBound / chunkSize, range) { index, _ in places[index] += 1 }
    }
    var starts = [0]
    var before: UInt32 = 0
    for block in 0..<blockCount {
      for chunk in 0..<chunks {
        let count = places[chunk * blockCount + block]
        places[chunk * blockCount + block] = before
        before += count
      }
      starts.append(Int(before))
    }
    let faces = ScratchBuffer<UInt32>(uninitialized: Int(before))
    Parallel.forEachChunk(of: faceCount, chunkSize: chunkSize) { chunk, range in
      _ = forEachPlace(in: chunk, range) { index, face in
        faces[places[index]] = UInt32(truncatingIfNeeded: face)
        places[index] += 1
      }
    }
    return FaceLists(starts: starts, faces: faces, count: counts.reduce(0, +))
  }
}
