import MeshpipeScene
import POSIX

/// Connected parts of a scan that are level: floors, landings, treads, tops of furniture.
struct LevelPatches {
  /// One of them.
  struct Patch {
    var samples: [ScanSamples.Sample]
    /// In square metres.
    var area: Double
    /// The mean height, and the standard deviation about it.
    var height: Double
    var spread: Double
    var center: SIMD2<Double>
  }

  /// The lowest first.
  private(set) var patches: [Patch] = []

  /// Faces within 32° of level are so: scans round the edges of steps.
  private static let level = 0.85
  /// Samples are neighbours if their cells touch and their heights differ by at most this, in metres.
  private static let (cell, rise) = (0.08, 0.04)
  /// In square metres.
  private static let leastArea = 0.06

  /// - Parameter samples: Those of the whole scan.
  /// - Complexity: O(samples)
  init(_ samples: [ScanSamples.Sample]) {
    let own = samples.filter {
      $0.normal.z > Self.level && $0.kind != .table && $0.kind != .seat && $0.kind != .object
    }
    func cell(_ sample: ScanSamples.Sample) -> SIMD2<Int> {
      SIMD2<Int>((sample.plan / Self.cell).rounded(.down))
    }
    var cells: [SIMD2<Int>: [Int]] = [:]
    for (index, sample) in own.enumerated() { cells[cell(sample), default: []].append(index) }
    var isDone = [Bool](repeating: false, count: own.count)
    for first in own.indices where !isDone[first] {
      isDone[first] = true
      var members = [first]
      var next = 0
      while next < members.count {
        let sample = own[members[next]]
        let center = cell(sample)
        next += 1
        for x in -1...1 {
          for y in -1...1 {
            for other in cells[center &+ SIMD2(x, y)] ?? []
            where !isDone[other] && abs(own[other].position.z - sample.position.z) < Self.rise {
              isDone[other] = true
              members.append(other)
            }
          }
        }
      }
      add(members.map { own[$0] })
    }
    patches.sort { ($0.height, $0.center.x, $0.center.y) < ($1.height, $1.center.x, $1.center.y) }
  }

  private mutating func add(_ samples: [ScanSamples.Sample]) {
    let area = samples.reduce(0) { $0 + $1.area }
    guard area > Self.leastArea else { return }
    let height = samples.reduce(0) { $0 + $1.position.z * $1.area } / area
    let squares = samples.reduce(0) {
      $0 + ($1.position.z - height) * ($1.position.z - height) * $1.area
    }
    patches.append(
      Patch(
        samples: samples, area: area, height: height, spread: (squares / area).squareRoot(),
        center: samples.reduce(.zero) { $0 + $1.plan * $1.area } / area))
  }

  /// The largest patch at about a height that goes within a reach of a place; nil without any.
  func patch(near position: SIMD2<Double>, reach: Double, height: Double, within: Double) -> Int? {
    patches.indices.filter { index in
      abs(patches[index].height - height) < within
        && patches[index].samples.contains { ($0.plan - position).length < reach }
    }.max { patches[$0].area < patches[$1].area }
  }
}
