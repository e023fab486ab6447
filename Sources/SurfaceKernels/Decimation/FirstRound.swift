import MeshpipeBase
import MeshpipeScene
import Synchronization

/// Builds the state of a whole surface from blocks that are decimated before they are joined.
///
/// So the whole surface is never in memory with all the data that decimation needs, and each block
/// is examined and decimated while it is in a core's cache. The state is the same with any number
/// of cores.
struct FirstRound {
  /// The share of the faces to remove that is left to later rounds, in addition to those next to
  /// other blocks.
  private static let rest = 0.12
  /// Surfaces of fewer blocks are joined before they are decimated.
  private static let fewestBlocks = 24
  /// The number of blocks that are decimated between two reports of progress.
  private static let groupSize = 64

  let state: CollapseState
  let options: EdgeCollapse.Options
  /// The faces of the surface, except degenerate ones that use a vertex twice.
  let faceCount: Int
  /// Whether blocks are decimated before they are joined.
  ///
  /// A small surface needs little memory, and if nearly all faces stay, none is saved.
  private let isThinned: Bool
  /// The result.
  private(set) var size = CollapseState.Size(vertices: 0, faces: 0)
  private(set) var largestError: Float = 0
  private(set) var wasErrorBound = false

  /// - Parameters:
  ///   - surface: Loses data that is no longer needed.
  ///   - keepsFaces: Whether faces and wedges of the surface are needed afterwards.
  init(
    _ surface: inout EdgeCollapse.Surface, _ options: EdgeCollapse.Options, keepsFaces: Bool,
    progress: (Double) throws(Cancelled) -> Void
  ) throws(Cancelled) {
    self.options = options
    let frame = CollapseFrame(surface)
    var blockSize = 32
    while blockSize < 2 * options.partSize { blockSize *= 2 }
    do {
      let blocks = SurfaceBlocks(&surface, size: blockSize)
      faceCount = blocks.faceCount
      isThinned =
        blocks.count >= Self.fewestBlocks
        && (faceCount - options.targetFaceCount) * 64 >= faceCount
      state = CollapseState(
        frame, options, room: .init(vertices: blocks.ranks.count, faces: faceCount),
        of: surface)
      try progress(0)
      try takeBlocks(blocks, surface, progress)
      surface.regions = nil
      if !keepsFaces { (surface.vertices, surface.wedges) = ([], nil) }
      state.join(size, numbers: blocks.ranks)
    }
    findMissingCosts()
  }

  /// Passes blocks from the threads that decimate them to the whole.
  ///
  /// Ranges of memory are assigned in order, and then all blocks are copied at once: in turn, as
  /// `Parallel.inOrder` does, a million faces take 5 % longer on two cores.
  private struct Handover {
    /// Blocks that have been examined as samples.
    var sample: [Int: CollapseBlock]
    /// Blocks that wait for an earlier one.
    var waiting: [Int: CollapseBlock] = [:]
    var next = 0
    var round: FirstRound
    /// The memory of finished blocks, as much as all threads can use: the samples had more.
    var spare: [CollapseState] = []
    let mostSpare = Parallel.maximumThreads

    /// Returns a block that exists already, or spare memory for it, if any.
    mutating func give(_ number: Int) -> (block: CollapseBlock?, spare: CollapseState?) {
      if let block = sample.removeValue(forKey: number) { return (block, nil) }
      return (nil, spare.popLast())
    }

    /// Accepts a block, and returns those whose predecessors are all complete, with their offsets.
    mutating func take(
      _ block: CollapseBlock, _ number: Int
    ) -> [(block: CollapseBlock, place: CollapseState.Size)] {
      waiting[number] = block
      var ready: [(block: CollapseBlock, place: CollapseState.Size)] = []
      while let block = waiting.removeValue(forKey: next) {
        ready.append((block, round.size))
        round.add(block)
        next += 1
      }
      return ready
    }

    mutating func reuse(_ state: CollapseState) {
      if spare.count < mostSpare { spare.append(state) }
    }
  }

  private mutating func add(_ block: CollapseBlock) {
    let left = block.left
    size.vertices += left.vertices
    size.faces += left.faces
    largestError = max(largestError, block.largestError)
    wasErrorBound = wasErrorBound || block.wasErrorBound
  }

  private mutating func takeBlocks(
    _ blocks: SurfaceBlocks, _ surface: EdgeCollapse.Surface,
    _ progress: (Double) throws(Cancelled) -> Void
  ) throws(Cancelled) {
    let (state, options) = (state, options)
    let share = Double(max(0, faceCount - options.targetFaceCount)) / Double(max(1, faceCount))
    let hasPlanes = options.movesVertices && !isThinned
    var sample = isThinned ? sample(of: blocks, surface) : [:]
    let last = isThinned ? Self.thin(&sample, by: share) : -1
    let handover = Mutex(Handover(sample: consume sample, round: self))
    var first = 0
    while first < blocks.count {
      let end = min(blocks.count, first + Self.groupSize)
      Parallel.forEach(first..<end) { number in
        let (known, spare) = handover.withLock { $0.give(number) }
        var block =
          known
          ?? CollapseBlock(
            number, of: blocks, surface: surface, frame: state.frame, options: options,
            reusing: spare)
        if known == nil { block.thin(upTo: last, by: share) }
        for (block, place) in handover.withLock({ $0.take(block, number) }) {
          block.append(to: state, at: place, hasPlanes: hasPlanes)
          handover.withLock { $0.reuse(block.state) }
        }
      }
      try progress(Double(end) / Double(blocks.count))
      first = end
    }
    self = handover.withLock { $0.round }
  }

  /// Some blocks from all over the surface, to estimate the costs of steps; all are in memory
  /// together.
  private func sample(
    of blocks: SurfaceBlocks, _ surface: EdgeCollapse.Surface
  ) -> [Int: CollapseBlock] {
    let (state, options) = (state, options)
    let count = min(12, blocks.count / 6)
    let numbers = (0..<count).map { $0 * blocks.count / count }
    let sample = Parallel.map(count: numbers.count) {
      CollapseBlock(numbers[$0], of: blocks, surface: surface, frame: state.frame, options: options)
    }
    return Dictionary(uniqueKeysWithValues: zip(numbers, sample))
  }

  /// Decimates the sample, with steps of increasing cost, until the target is reached.
  ///
  /// - Parameter share: The faces to remove in the end, as a share of all.
  /// - Returns: The highest bucket of costs that was needed.
  private static func thin(_ sample: inout [Int: CollapseBlock], by share: Double) -> Int {
    let numbers = sample.keys.sorted()
    let faceCount = sample.values.reduce(0) { $0 + $1.insideFaceCount }
    let wanted = Int((1 - rest) * share * Double(faceCount))
    var last = -1
    while last < BucketQueue.bucketCount - 2 {
      let missing = wanted - sample.values.reduce(0) { $0 + $1.removedFaces }
      guard missing * 128 > wanted else { break }
      var costs = CollapseCosts()
      for block in sample.values { block.count(&costs) }
      // Removing a vertex removes two faces.
      last = max(last + 1, costs.limit(for: missing / 2))
      let thinned = Parallel.map(count: numbers.count) { [sample, last] place in
        var block = sample[numbers[place]]
        block?.thin(upTo: last, by: share)
        return block
      }
      for (number, block) in zip(numbers, thinned) { sample[number] = block }
    }
    return last
  }

  /// Computes the costs of steps next to the borders of blocks, and the planes of all vertices.
  private func findMissingCosts() {
    let (state, options) = (state, options)
    guard options.movesVertices else { return }
    if isThinned {
      Parallel.forEachChunk(of: size.vertices) { _, range in
        let worker = CollapseWorker(state, options, owner: 0)
        for vertex in range { worker.freshPlanes(of: vertex) }
      }
    }
    Parallel.forEachChunk(of: size.vertices) { _, range in
      var worker = CollapseWorker(state, options, owner: 0)
      for vertex in range where state.costs[vertex] == CollapseBlock.unknownCost {
        state.costs[vertex] = .infinity
        if state.gather(vertex, into: &worker.ring) { worker.findCost(of: vertex) }
      }
    }
  }
}
