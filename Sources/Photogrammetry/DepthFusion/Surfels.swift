import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Patches of a surface in the cells of a grid (surfels; Pfister and others 2000).
///
/// A cell may hold several, of surfaces that face other ways or are apart.
struct Surfels: Sendable {
  /// The edge of a cell in metres.
  let cell: Float
  private(set) var patches: [Patch]
  /// The first patch of a cell by its key: a hash table with open addressing.
  private var slots: [(key: UInt64, first: Int32)] = []
  private var shift: UInt64 = 0

  /// A piece of the surface, which is nearly flat.
  struct Patch: Sendable, BitwiseCopyable {
    /// The key of its cell.
    var key: UInt64
    var cell: SIMD3<Int32>
    /// The mean of its points.
    var position: SIMD3<Float>
    /// The unit normal, to the outside.
    var normal: SIMD3<Float>
    /// The number of its points.
    var mass: Float
    /// The variance of the measured positions along the normal, in square metres.
    var variance: Float
  }

  /// - Parameter patches: Those of one cell follow each other.
  init(_ patches: [Patch], cell: Float) {
    self.patches = patches
    self.cell = cell
    var bits: UInt64 = 4
    while 1 << bits < 2 * patches.count { bits += 1 }
    shift = 64 - bits
    slots = Array(repeating: (.max, -1), count: 1 << bits)
    for index in patches.indices where index == 0 || patches[index].key != patches[index - 1].key {
      slots[slot(of: patches[index].key)] = (patches[index].key, Int32(index))
    }
  }

  /// These and other patches, of cells of the same size.
  func joined(with others: [Patch]) -> Surfels {
    let all = patches + others
    let order = all.indices.sorted { (all[$0].key, $0) < (all[$1].key, $1) }
    return Surfels(order.map { all[$0] }, cell: cell)
  }

  /// The slot that holds a key, or the free one where it belongs.
  @inline(__always)
  private func slot(of key: UInt64) -> Int {
    var slot = Int((key &* 0x9E37_79B9_7F4A_7C15) >> shift)
    while slots[slot].first >= 0, slots[slot].key != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  /// The patches of a cell.
  @inline(__always)
  func patches(in cell: SIMD3<Int32>) -> Range<Int> {
    let key = SparseBlocks.key(cell)
    let first = Int(slots[slot(of: key)].first)
    guard first >= 0 else { return 0..<0 }
    var end = first + 1
    while end < patches.count, patches[end].key == key { end += 1 }
    return first..<end
  }

  /// The patches in cells of twice the size: planes that agree become one.
  ///
  /// - Parameter smoothed: The planes of the patches, freed from what is finer than the cells.
  func halved(_ smoothed: [SurfelPlane], tolerance: Float) -> Surfels {
    let parents = patches.map { SIMD3<Int32>($0.cell.x >> 1, $0.cell.y >> 1, $0.cell.z >> 1) }
    let keys = parents.map(SparseBlocks.key)
    let order = patches.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
    var result: [Patch] = []
    var children: [[Int]] = []
    result.reserveCapacity(patches.count / 3)
    var start = 0
    for index in order {
      let (plane, child) = (smoothed[index], patches[index])
      if start < result.count, result[start].key != keys[index] { start = result.count }
      let deviation = 3 * child.variance.squareRoot() + tolerance
      if let match = (start..<result.count).first(where: {
        result[$0].agrees(with: plane, deviation)
      }) {
        result[match].add(plane, child)
        children[match].append(index)
      } else {
        var patch = child
        (patch.key, patch.cell) = (keys[index], parents[index])
        (patch.position, patch.normal) = (plane.position, plane.normal)
        result.append(patch)
        children.append([index])
      }
    }
    for index in result.indices {
      // Onto the surface: the mean of points of a curved one is beside it.
      let height = children[index].reduce(Float(0)) {
        $0 + smoothed[$1].height(of: result[index].position)
      }
      result[index].position -= result[index].normal * (height / Float(children[index].count))
    }
    return Surfels(result, cell: 2 * cell)
  }
}

/// A surface near a patch: a plane, and how it bends away from that.
struct SurfelPlane: Sendable, BitwiseCopyable {
  var position: SIMD3<Float>
  var normal: SIMD3<Float>
  /// The factors of x², y² and z², and of xy, yz and zx, of the height over the plane; one over
  /// metres.
  private var squares = SIMD3<Float>.zero
  private var products = SIMD3<Float>.zero
  /// The reliability of the surface for finer details, from 0 to 1.
  private(set) var reliability: Float = 1

  init(position: SIMD3<Float>, normal: SIMD3<Float>) {
    self.position = position
    self.normal = normal
  }

  init(
    position: SIMD3<Float>, normal: SIMD3<Float>, _ squares: SIMD3<Float>,
    _ products: SIMD3<Float>, cell: Float, reliability: Float
  ) {
    self.init(position: position, normal: normal)
    self.squares = squares / (cell * cell)
    self.products = products / (cell * cell)
    self.reliability = reliability
  }

  /// The height of a point over the surface.
  @inline(__always)
  func height(of point: SIMD3<Float>) -> Float {
    let offset = point - position
    let turned = SIMD3(offset.y, offset.z, offset.x)
    return offset.dot(normal) - (offset * (offset * squares + turned * products)).sum()
  }
}

extension Surfels.Patch {
  fileprivate func agrees(with plane: SurfelPlane, _ tolerance: Float) -> Bool {
    let offset = plane.position - position
    return normal.dot(plane.normal) > SurfaceDenoising.leastCosine
      && abs(offset.dot(normal + plane.normal)) < 2 * tolerance
  }

  fileprivate mutating func add(_ plane: SurfelPlane, _ other: Surfels.Patch) {
    let sum = mass + other.mass
    let share = other.mass / sum
    position += (plane.position - position) * share
    let mean = normal + (plane.normal - normal) * share
    normal = mean / max(mean.length, .leastNormalMagnitude)
    variance += (other.variance - variance) * share
    mass = sum
  }
}
