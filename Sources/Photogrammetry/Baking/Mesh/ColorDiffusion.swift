import MeshpipeScene

/// Spreads the colours of seen vertices over unseen ones.
enum ColorDiffusion {
  /// Linear light of a surface of which no frame sees anything: the grey of sRGB code 127.
  private static let unseenLight: Float = 14_000

  /// Fills vertices whose colour's fourth component is 0.
  ///
  /// From the seen border inwards each layer takes the mean of its neighbours; then all filled
  /// vertices are smoothed, so that colours from two sides meet without a step. Parts of the
  /// surface without any seen vertex get the overall mean.
  ///
  /// - Parameters:
  ///   - smoothingRounds: Jacobi steps towards a harmonic function (membrane): those of 40 reach some six edges, so
  ///     that the meeting of two colours is not an edge; a full solution would not look better.
  ///   - places: The number of each vertex's position: copies of one vertex, on the sides of a crease,
  ///   share it. An unseen side starts with the colour of the seen one.
  static func fill(
    _ colors: inout [SIMD4<Float>], offsets: [UInt32], neighbors: [UInt32], places: [UInt32],
    smoothingRounds: Int = 40
  ) {
    let borrowers = borrow(&colors, places)
    defer { for vertex in borrowers { colors[vertex].w = 0 } }
    let unseen = colors.indices.filter { colors[$0].w == 0 }
    guard !unseen.isEmpty else { return }
    var mean = SIMD4<Float>.zero
    for color in colors { mean += color }
    mean = mean.w > 0 ? mean / mean.w : SIMD4(SIMD3(repeating: unseenLight), 1)
    var isKnown = colors.map { $0.w > 0 }
    var front = unseen.filter { vertex in
      isAny(around: vertex, offsets: offsets, neighbors: neighbors) { isKnown[$0] }
    }
    var isWaiting = [Bool](repeating: false, count: colors.count)
    for vertex in front { isWaiting[vertex] = true }
    while !front.isEmpty {
      let values = front.map { vertex in
        average(around: vertex, colors: colors, offsets: offsets, neighbors: neighbors) {
          isKnown[$0]
        } ?? mean
      }
      for (vertex, value) in zip(front, values) {
        colors[vertex] = value
        isKnown[vertex] = true
      }
      var next: [Int] = []
      for vertex in front {
        for index in Int(offsets[vertex])..<Int(offsets[vertex + 1]) {
          let other = Int(neighbors[index])
          if !isKnown[other], !isWaiting[other] {
            isWaiting[other] = true
            next.append(other)
          }
        }
      }
      front = next
    }
    for vertex in unseen where !isKnown[vertex] { colors[vertex] = mean }
    for _ in 0..<smoothingRounds {
      let values = Parallel.array(count: unseen.count) { [colors] index in
        average(around: unseen[index], colors: colors, offsets: offsets, neighbors: neighbors) {
          _ in true
        } ?? colors[unseen[index]]
      }
      for (vertex, value) in zip(unseen, values) { colors[vertex] = value }
    }
    for vertex in unseen { colors[vertex].w = 0 }
  }

  /// Gives unseen vertices the mean colour of the seen ones at their position, and returns which they
  /// are.
  private static func borrow(_ colors: inout [SIMD4<Float>], _ places: [UInt32]) -> [Int] {
    var sums = [SIMD4<Float>](repeating: .zero, count: Int(places.max() ?? 0) + 1)
    for (color, index) in zip(colors, places) { sums[Int(index)] += color }
    let borrowers = colors.indices.filter { colors[$0].w == 0 && sums[Int(places[$0])].w > 0 }
    for vertex in borrowers {
      let sum = sums[Int(places[vertex])]
      colors[vertex] = sum / sum.w
    }
    return borrowers
  }

  private static func isAny(
    around vertex: Int, offsets: [UInt32], neighbors: [UInt32], _ test: (Int) -> Bool
  ) -> Bool {
    (Int(offsets[vertex])..<Int(offsets[vertex + 1])).contains { test(Int(neighbors[$0])) }
  }

  private static func average(
    around vertex: Int, colors: [SIMD4<Float>], offsets: [UInt32], neighbors: [UInt32],
    _ counts: (Int) -> Bool
  ) -> SIMD4<Float>? {
    var (sum, count) = (SIMD4<Float>.zero, Float(0))
    for index in Int(offsets[vertex])..<Int(offsets[vertex + 1]) {
      let other = Int(neighbors[index])
      guard counts(other) else { continue }
      sum += colors[other]
      count += 1
    }
    return count > 0 ? sum / count : nil
  }
}
