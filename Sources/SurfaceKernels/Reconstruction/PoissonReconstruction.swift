package import MeshpipeScene
import POSIX

/// A surface through points with normals: screened Poisson reconstruction (Kazhdan, Bolitho and Hoppe 2006;
/// Kazhdan and Hoppe 2013).
///
/// A field is sought whose gradient is the field of normals, smoothed over the cells of a grid and weighted
/// by the area that each point stands for, and which is 0 at the points. It is a sum of trilinear functions on
/// nested sparse grids, finer where points are denser, and is solved from coarse to fine; the surface is
/// where it has its mean at the points. The result does not depend on the number of threads.
package struct PoissonReconstruction: Sendable {
  /// The points that a cell of surface should have; with fewer of them, coarser cells show it.
  ///
  /// The default of Kazhdan's own program for points with little noise. Smaller, single points become bumps; larger,
  /// detail is lost. Where points are noisy, ``Settings/pointWeight`` falls and cells widen by themselves.
  private static let pointsPerCell: Float = 1.5

  package struct Settings: Sendable {
    /// The edge of the finest cells; nil for about the spacing of the points.
    package var cell: Double?
    /// The weight that draws the field to 0 at the points, relative to its gradient; 0 for none.
    ///
    /// Exact points have up to four times this weight, and noisy ones down to a sixteenth.
    package var pointWeight: Double
    /// The most blocks of the finest level: about 5 GB.
    package var mostBlocks = 250_000
    /// Where the surface ends.
    package var trimming: SurfaceTrimming

    package init(cell: Double?, pointWeight: Double, trimming: SurfaceTrimming) {
      self.cell = cell
      self.pointWeight = pointWeight
      self.trimming = trimming
    }
  }

  /// Why points have no surface.
  package enum Failure: Error, Equatable {
    /// There are no points with normals, or they all coincide.
    case tooFewPoints
    /// A million cells are not enough for the extent of the points.
    case tooFine(cell: Double)
    /// The surface needs more cells than fit into memory.
    case tooManyCells(cell: Double)
    /// The field is nowhere on both sides of its mean.
    case noSurface
  }

  /// A reconstructed surface, before it is trimmed.
  package struct Surface: Sendable {
    /// The mesh with normals; what is trimmed for its distance from the points may be missing.
    package var mesh: Mesh
    /// The edge of the finest cells.
    package let cell: Double
    /// The edge of cells that fit the points, if these were too many; nil if ``cell`` is that.
    package internal(set) var finerCell: Double?
    let samples: CellSamples
    let areas: SampleAreas
    let density: SampleDensity
    let trimming: SurfaceTrimming

    /// The number of points that count.
    package var pointCount: Int { samples.order.count }
  }

  /// The shares of the time after which the equations are there, and their solution.
  private static let shares = (equations: 0.3, solution: 0.8)

  private let settings: Settings

  package init(_ settings: Settings) { self.settings = settings }

  /// Reconstructs the surface of points with normals, in their units.
  ///
  /// Points whose coordinates or normals are not finite, or whose normal is zero, don't count.
  ///
  /// - Parameters:
  ///   - normals: One per point, to the outside, of any length.
  ///   - progress: Receives the finished share, and may cancel by an error.
  /// - Throws: ``Failure``, or what `progress` throws.
  package func surface(
    of positions: [Vector3], normals: [Vector3], progress: (Double) throws -> Void
  ) throws -> Surface {
    let points = Self.usable(positions, normals)
    let box = Box(points.lazy.map { positions[Int($0)] })
    guard box.extent > 0, box.extent.isFinite else { throw Failure.tooFewPoints }
    let cloud = (points: points, positions: positions, normals: normals)
    var cell = settings.cell ?? Self.spacing(points, of: positions, box)
    var finished = 0.0
    var finerCell: Double?
    while true {
      do {
        var found = try surface(of: cloud, box, cell: cell) {
          // A second attempt does not go back to the beginning.
          finished = max(finished, $0)
          try progress(finished)
        }
        found.finerCell = finerCell
        return found
      } catch let excess as Excess {
        guard settings.cell == nil else { throw Failure.tooManyCells(cell: excess.cell) }
        finerCell = finerCell ?? excess.cell
        cell = excess.cell * max(excess.factor, 1.25)
      }
    }
  }

  /// More cells than fit into memory, and the factor by which they must at least be wider.
  private struct Excess: Error {
    let cell: Double
    let factor: Double
  }

  /// The surface in cells of a width, or in wider ones where hardly any of these has enough points.
  ///
  /// - Throws: ``Excess``, ``Failure`` or what the progress throws.
  private func surface(
    of cloud: (points: [UInt32], positions: [Vector3], normals: [Vector3]), _ box: Box,
    cell: Double, progress: (Double) throws -> Void
  ) throws -> Surface {
    try progress(0)
    let (samples, density, areas) = try samples(of: cloud, box, cell: cell)
    let (grid, cell) = (samples.grid, samples.grid.cell)
    guard let system = PoissonSystem(samples, areas, mostBlocks: settings.mostBlocks) else {
      throw Excess(cell: cell, factor: 1)
    }
    try progress(Self.shares.equations * 2 / 3)
    system.assemble()
    try system.solve(pointWeight: Float(settings.pointWeight)) {
      try progress(
        Self.shares.equations + (Self.shares.solution - Self.shares.equations) * $0)
    }
    let extraction = PoissonExtraction(
      of: system, level: system.meanAtSamples(),
      near: SampleSurroundings(samples, settings.trimming))
    let found: PoissonSurface
    do throws(PoissonExtraction.Excess) {
      found = try extraction.surface(mostBlocks: 2 * settings.mostBlocks)
    } catch {
      throw Excess(cell: cell, factor: error.factor)
    }
    try progress(1)
    guard !found.indices.isEmpty else { throw Failure.noSurface }
    var mesh = Mesh(
      positions: Parallel.array(count: found.positions.count) {
        Vector3(SIMD3<Float>(grid.origin + found.positions[$0] * cell))
      }, indices: found.indices)
    mesh.normals = found.normals
    return Surface(
      mesh: mesh, cell: cell, samples: samples, areas: areas, density: density,
      trimming: settings.trimming)
  }

  /// The samples in cells of a width, or in wider ones where hardly any of these has enough points.
  private func samples(
    of cloud: (points: [UInt32], positions: [Vector3], normals: [Vector3]), _ box: Box,
    cell: Double
  ) throws -> (CellSamples, SampleDensity, SampleAreas) {
    var cell = cell
    while true {
      guard let grid = NestedGrid(around: box, cell: cell) else {
        throw Failure.tooFine(cell: cell)
      }
      let samples = CellSamples(cloud.points, of: cloud.positions, cloud.normals, in: grid)
      let density = SampleDensity(samples)
      let areas = SampleAreas(samples, density, pointsPerCell: Self.pointsPerCell)
      let used = areas.usedLevel
      guard used < grid.finest else { return (samples, density, areas) }
      cell *= Double(1 << (grid.finest - used))
    }
  }

  private static func usable(_ positions: [Vector3], _ normals: [Vector3]) -> [UInt32] {
    Parallel.joined(
      Parallel.mapChunks(of: positions.count) { range in
        range.compactMap { point -> UInt32? in
          let length = normals[point].simd.lengthSquared
          guard positions[point].isFinite, length > 0, length.isFinite else { return nil }
          return UInt32(point)
        }
      })
  }

  // MARK: The size of cells

  /// The points of an average cell with points: then a surface has about two for each face of a cell.
  private static let sought = 1.8
  /// Cells with more points than this, and in which the number of cells grows faster than that of a
  /// surface, are as thin as the noise is thick.
  private static let noisy = (points: 4.0, growth: 5.0)
  /// The levels of the grid in which cells with points are counted.
  private static let counted = 8

  /// An edge of cells that fits the spacing of the points, and their noise.
  ///
  /// Of a surface, cells of half the edge are four times as many; where they are more on two levels in turn,
  /// the points are scattered in a layer thicker than a cell. On one level alone they may be around a plane
  /// between two layers of cells.
  private static func spacing(_ points: [UInt32], of positions: [Vector3], _ box: Box) -> Double {
    let least = Double(box.extent) / Double(16 << counted)
    guard let grid = NestedGrid(around: box, cell: least * 1.000001) else {
      return Double(box.extent) / 64
    }
    let sorted = SortedCells(points, of: positions, in: grid)
    let total = Double(points.count)
    var width = grid.width(ofLevel: 0)
    var cells = Double(sorted.cellCount(shift: UInt64(3 * grid.finest)))
    var thick: Double?
    for level in 1...grid.finest {
      let finer = Double(sorted.cellCount(shift: UInt64(3 * (grid.finest - level))))
      let (before, after) = (total / cells, total / finer)
      if after < sought {
        guard before > sought else { return width }
        // Between both, as the number of points changes by a power of the edge.
        return width * exp2(-log2(before / sought) / max(log2(before / after), 0.1))
      }
      if after > noisy.points, finer > noisy.growth * cells, level > 2 {
        if let thick { return thick }
        thick = width
      } else {
        thick = nil
      }
      (width, cells) = (width / 2, finer)
    }
    return width
  }
}
