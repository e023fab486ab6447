public import MeshPipeline
import SurfaceKernels

/// Makes a mesh of points with normals: screened Poisson reconstruction.
public struct ReconstructSurface: Stage {
  public static let otherNames = [
    "poisson", "screened-poisson", "surface-reconstruction", "points-to-mesh", "mesh-points",
  ]
  public static let summary =
    "Makes a mesh of points with normals: screened Poisson reconstruction."
  public static let discussion = """
    A field is computed whose gradient follows the normals and which is zero at the points, on a grid that \
    is finer where points are denser (Kazhdan and Hoppe 2013). The mesh is where the field has its mean at \
    the points: without cracks, it evens out noise, closes small holes, and ends where no points are near.

    Points without normals are refused: `compute-normals` fits them. They must look to the outside all over; with normals \
    of both signs the surface folds.

    - **Detail**: cells are as wide as `voxelSize`, or `depth` halvings of the whole. By default they fit the spacing of the \
    points, and its noise: where several layers of points are scattered around a surface, cells are not \
    smaller than the layers are thick; where they would need more than 5 GB, they are wider, with a warning. Where a cell has fewer than 1.5 points, coarser ones show the surface.
    - **Fidelity**: `pointWeight` says how closely the surface follows the points; with a lower one it is smoother. Exact \
    points have up to four times this weight, and those that are scattered around the surface less, as their noise is found.
    - **Borders**: `trim` is the distance from the points at which the surface ends, by default three spacings of the \
    points there. With 0 the surface is closed: what no points show is filled smoothly, and a room seen from inside gets an \
    outer hull only where the grid ends. `trimShare` also removes the vertices where points are least dense, as \
    Open3D's quantile of densities does.
    - **Attributes**: vertices have the colours, confidences and other attributes of the points in the nearest cell, \
    as means, and faces the classes.

    Points that are not finite, or whose normal is zero, don't count. Each point cloud becomes a mesh: `merge` \
    first where several show one surface. Meshes are left unchanged; `sample-points` makes points of them.
    """
  public static let example =
    #"{ "use": "reconstruct-surface", "with": { "voxelSize": "1cm" } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.points], makes: [.faces, .normals], removes: [.points])
  public static let relativeCost = 10.0

  public static func remedy(for fault: SceneFault) -> String? {
    fault == .pointsAlone ? name : nil
  }

  public struct Parameters: StageParameters {
    @Parameter(
      "Edge of the finest cells; by default about the spacing of the points.",
      in: 1e-9...Double.infinity, formerly: "resolution")
    public var voxelSize: Length? = nil

    @Parameter(
      "Number of halvings of 1.1 times the longest edge of the points' box that make the finest cells, as in other "
        + "programs; instead of 'voxelSize'.", in: 1...16)
    public var depth: Int? = nil

    @Parameter(
      "Weight of the positions of points relative to their normals.", in: 0...1000)
    public var pointWeight = 4.0

    @Parameter(
      "Distance from the points at which the surface ends, by default three of their spacings; 0 for a closed "
        + "surface.", in: 0...Double.infinity)
    public var trim: Length? = nil

    @Parameter("Share of vertices that is removed where points are least dense.", in: 0...1)
    public var trimShare = 0.0

    public init() {}

    public static let formerOptions = ["samplesPerNode": "is fixed at 1.5 now"]

    public func faults() -> [String] {
      voxelSize != nil && depth != nil ? ["give either 'voxelSize' or 'depth'"] : []
    }
  }

  /// Why points have no surface.
  public enum Failure: StageFailure, Equatable {
    /// Points have no normals.
    case noNormals(cloud: String)
    /// Too few points are usable.
    case tooFewPoints(cloud: String)
    /// Cells are too small for the extent.
    case tooFine(cell: String)
    /// The surface needs more memory than is allowed.
    case tooManyCells(cell: String)
    /// There is no surface.
    case noSurface(cloud: String)

    public var message: String {
      switch self {
      case .noNormals(let cloud):
        "the points of '\(cloud)' have no normals; run 'compute-normals' first"
      case .tooFewPoints(let cloud):
        "the points of '\(cloud)' are all in one place, or have no finite coordinates and normals"
      case .tooFine(let cell):
        "cells of \(cell) are more than a million along the box of the points; use a larger 'voxelSize', or remove "
          + "outliers with 'filter-points'"
      case .tooManyCells(let cell):
        "cells of \(cell) need more than 5 GB for this surface; use a larger 'voxelSize' or a smaller 'depth'"
      case .noSurface(let cloud):
        "the points of '\(cloud)' give no surface; check their normals, or use a smaller 'voxelSize' or a larger "
          + "'trim'"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var objectionToSplats: String? {
    "their centres lie in front of and behind the surface, and have no normals"
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    if scene.pointClouds.isEmpty, !scene.meshes.isEmpty {
      context.warn("there are no points; 'sample-points' makes some of the meshes")
    }
    let total = Double(max(1, scene.pointCount))
    var done = 0.0
    var clouds: [PointCloud] = []
    swap(&clouds, &scene.pointClouds)
    for cloud in clouds where !cloud.positions.isEmpty {
      let share = Double(cloud.positions.count) / total
      scene.meshes.append(
        try mesh(of: cloud, scene.coordinateSystem, in: context) {
          try context.progress(min(1, done + $0 * share))
        })
      done += share
    }
    try context.progress(1)
    return scene
  }

  private func mesh(
    of cloud: PointCloud, _ system: CoordinateSystem, in context: StageContext,
    progress: (Double) throws -> Void
  ) throws -> Mesh {
    guard let normals = cloud.normals else { throw Failure.noNormals(cloud: cloud.name) }
    let settings = PoissonReconstruction.Settings(
      cell: cell(of: cloud, system), pointWeight: parameters.pointWeight,
      trimming: SurfaceTrimming(reach: reach(in: system), leastDense: parameters.trimShare))
    do {
      let surface = try PoissonReconstruction(settings).surface(
        of: cloud.positions, normals: normals
      ) { try progress(0.9 * $0) }
      let mesh = surface.mesh(carrying: cloud)
      guard mesh.faceCount > 0 else { throw Failure.noSurface(cloud: cloud.name) }
      report(surface, mesh, of: cloud, system, to: context)
      return mesh
    } catch let failure as PoissonReconstruction.Failure {
      throw Failure(failure, cloud.name, system)
    }
  }

  private func reach(in system: CoordinateSystem) -> SurfaceTrimming.Reach {
    guard let trim = parameters.trim else { return .spacings }
    return trim.meters == 0 ? .unlimited : .distance(trim.units(in: system))
  }

  /// The edge of the finest cells, if one is asked for.
  private func cell(of cloud: PointCloud, _ system: CoordinateSystem) -> Double? {
    if let depth = parameters.depth {
      return 1.1 * Double(cloud.bounds.extent) / Double(1 << depth)
    }
    return parameters.voxelSize?.units(in: system)
  }

  private func report(
    _ surface: PoissonReconstruction.Surface, _ mesh: Mesh, of cloud: PointCloud,
    _ system: CoordinateSystem, to context: StageContext
  ) {
    context.note(
      "cellMillimeters", Length(units: surface.cell, in: system).millimeters(digits: 3))
    if let finer = surface.finerCell {
      context.warnOfWiderCells(
        "cells", wanted: finer, taken: surface.cell, system,
        remedy: "'crop' first for narrower ones")
    }
    context.note("trimmedFaces", (surface.mesh.faceCount - mesh.faceCount).json)
    let unused = cloud.positions.count - surface.pointCount
    guard unused > 0 else { return }
    context.warn(
      "\(unused) points of '\(cloud.name)' are not finite, or have no normal, and were left out")
  }
}

extension ReconstructSurface.Failure {
  fileprivate init(
    _ failure: PoissonReconstruction.Failure, _ cloud: String, _ system: CoordinateSystem
  ) {
    func text(_ cell: Double) -> String {
      "\(NumberText.fixed(cell * system.metersPerUnit * 1000, digits: 3)) mm"
    }
    self =
      switch failure {
      case .tooFewPoints: .tooFewPoints(cloud: cloud)
      case .tooFine(let cell): .tooFine(cell: text(cell))
      case .tooManyCells(let cell): .tooManyCells(cell: text(cell))
      case .noSurface: .noSurface(cloud: cloud)
      }
  }
}
