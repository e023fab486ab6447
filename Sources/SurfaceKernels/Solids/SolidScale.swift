import MeshpipeScene

/// The size of the voxels of a solid, and the thickness of its skins, in units of its ``SolidInput``.
struct SolidScale: Sendable {
  /// The edge of a voxel.
  let voxel: Double
  let thickness: Double
  /// The edge that the faces ask for, whose voxels would be too much work; nil if ``voxel`` is that.
  let finer: Double?

  /// The most blocks of voxels: about 3 GB.
  static let mostBlocks = 400_000
  static let bytesOfBlock = 7_500
  /// The most voxels along an axis that single precision can place.
  static let mostAlongAxis = 65_536.0
  /// Skins are at most this many extents thick.
  private static let mostThickness = 10.0
  /// Skins of fewer voxels have holes.
  private static let fewestThrough = 1.8
  /// The least number of voxels through a shell, unless asked for.
  private static let usualThrough = 2.5

  /// - Parameter coarser: The least edge of a voxel, where finer ones were too many; only if none is asked for.
  /// - Throws: ``SolidMaking/Failure``
  init(_ input: SolidInput, _ options: SolidMaking.Options, atLeast coarser: Double = 0) throws {
    let extent = Double(input.bounds.extent)
    let area = input.area
    let given = options.thickness.map { min($0 / input.unit, Self.mostThickness * extent) }
    let wanted = given ?? (options.method == .shell ? extent / 100 : 0)
    let isShell = options.method == .shell
    let wish = Self.automatic(input, area, wanted, isShell: isShell)
    let work = Work(
      area: area, thickness: wanted, fewestThrough: isShell ? Self.usualThrough : 0,
      crowding: input.crowding)
    func smallest(within most: Double) -> Double {
      max(
        extent / Self.mostAlongAxis, Self.smallest(area, wanted, input.bounds),
        work.smallest(within: most))
    }
    let usual = smallest(within: options.mostSteps)
    // A thin shell that was asked for is worth as much work as voxels that were.
    let isAsked =
      options.voxel != nil || isShell && given != nil && wanted < Self.fewestThrough * usual
    let smallest = isAsked ? smallest(within: GridWork.mostAsked) : usual
    voxel = options.voxel.map { min($0 / input.unit, extent) } ?? max(smallest, wish, coarser)
    finer = options.voxel == nil && voxel > 1.001 * wish ? wish : nil
    // NaN and zero are too small as well.
    guard voxel >= smallest * 0.999, extent > 0 else {
      throw SolidMaking.Failure.tooFine(
        voxel: voxel * input.unit, smallest: smallest * input.unit,
        cost: GridWork(
          steps: work.steps(voxel),
          bytes: Int(
            min(
              1e18,
              Self.blocks(voxel: voxel, area: area, thickness: wanted, in: input.bounds)
                * Double(Self.bytesOfBlock)))))
    }
    let follows = given == nil && options.voxel == nil
    let through = follows ? max(wanted, Self.usualThrough * voxel) : wanted
    if isShell, through < Self.fewestThrough * voxel {
      throw SolidMaking.Failure.tooThin(
        voxel: voxel * input.unit, thickness: wanted * input.unit,
        least: finer == nil ? nil : 1.001 * Self.fewestThrough * voxel * input.unit)
    }
    thickness = isShell ? through : max(wanted, 2 * voxel)
  }

  /// The most voxels through a shell, unless asked for: each looks for its nearest face.
  private static let mostThrough = 32.0

  /// About half an edge of the faces, but from 1/300 to 1/150 of the extent of the solid; in a shell at most 0.4 of its
  /// thickness and at least a 32nd, and half of the thickness that sheets are to get if 1/300 allows it.
  private static func automatic(
    _ input: SolidInput, _ area: Double, _ thickness: Double, isShell: Bool
  ) -> Double {
    let extent = Double(input.bounds.extent) + (isShell ? 2 * thickness : 0)
    let edge = (area / Double(input.faceCount) * 4 / 3.0.squareRoot()).squareRoot()
    let voxel = max(extent / 300, min(extent / 150, edge / 2))
    guard thickness > 0 else { return voxel }
    return isShell
      ? min(thickness / usualThrough, max(thickness / mostThrough, voxel))
      : max(extent / 300, min(voxel, thickness / 2))
  }

  /// The smallest voxels whose blocks around an area fit into memory.
  private static func smallest(_ area: Double, _ thickness: Double, _ box: Box) -> Double {
    var voxel = Double(box.extent) / mostAlongAxis
    while blocks(voxel: voxel, area: area, thickness: thickness, in: box) > Double(mostBlocks) {
      voxel *= 1.01
    }
    return voxel
  }

  private static func blocks(
    voxel: Double, area: Double, thickness: Double, in box: Box
  ) -> Double {
    let width = 8 * voxel
    let size = (SIMD3<Double>(box.size) + 2 * thickness) / width + 2
    return min(size.x * size.y * size.z, area / (width * width) * (2.5 + thickness / width))
  }

  /// The work that a grid of voxels around a surface takes.
  private struct Work {
    var area: Double
    var thickness: Double
    /// The voxels through the thinnest skin that is made.
    var fewestThrough: Double
    var crowding: Double

    /// The faces of the solid, and the voxels behind those of the surface: a search for the nearest face each, which takes
    /// the longer the more faces are around.
    func steps(_ voxel: Double) -> Double {
      area / (voxel * voxel) * (4 + max(thickness / voxel, fewestThrough)) * (1 + crowding)
    }

    func smallest(within most: Double) -> Double {
      var voxel = (4 * area / most).squareRoot()
      while voxel > 0, steps(voxel) > most { voxel *= 1.01 }
      return voxel
    }
  }
}

/// The cost of a grid, beyond which its stage takes wider cells, or refuses those that it was asked for.
///
/// It counts steps, and neither seconds nor free memory, so that every machine makes the same surface.
package struct GridWork: Sendable, Equatable {
  package var steps: Double
  package var bytes: Int

  package init(steps: Double, bytes: Int) {
    self.steps = steps
    self.bytes = bytes
  }

  /// For cells whose size the stage chooses: seconds.
  package static let mostChosen = 1.8e7
  /// For cells of a size that was asked for: four minutes of a core, and 3.5 GB, for a shell of a living room.
  package static let mostAsked = 4e7
}
