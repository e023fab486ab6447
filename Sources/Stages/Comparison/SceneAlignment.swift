import MeshPipeline
import POSIX
import SurfaceKernels

/// How a scene is moved onto another one before both are compared.
struct SceneAlignment: Sendable {
  let transform: Transform
  /// How far its middle moves, in units of the scenes.
  private let shift: Double
  private let angle: Angle
  /// The median distance of the one from the other after it; of a part from the whole.
  private let median: Double
  /// Whether that is less than before.
  let isBetter: Bool
  /// Whether the scenes show different things, as far as can be told: nowhere do they fit.
  let isOfAnother: Bool

  /// More points would not make it more exact than the surface is.
  private static let points = 5000

  /// Of what is decided, a smaller share that agrees is not that of one thing at two times.
  private static let leastAgreement = 0.8

  /// The scene is first moved from where it is; where it doesn't fit so, its place is searched everywhere.
  init(of scene: ComparisonTarget, onto target: ComparisonTarget, in context: StageContext) throws {
    let points = scene.points(count: Self.points)
    let alignment = RigidAlignment(
      of: .init(points: points) { scene.nearest(to: $0) },
      onto: .init(points: target.points(count: Self.points)) { target.nearest(to: $0) },
      up: scene.scene.system.up.vector)
    let surfaces = (
      try RegisteredSurface(scene.scene, in: context),
      try RegisteredSurface(target.scene, in: context)
    )
    let local = SurfaceRegistration(of: surfaces.0, onto: surfaces.1, movedBy: alignment.transform)
    var found = local
    if local.verdict == .isApart || local.verdict == .contradicts {
      found = try SurfaceRegistration(of: surfaces.0, onto: surfaces.1) { () throws(Cancelled) in
        try context.checkCancellation()
      }
    }
    let isGlobal = found.verdict == .fits && local.verdict != .fits
    transform = isGlobal ? found.transform : alignment.transform
    median = isGlobal ? found.residual : alignment.median
    isBetter = isGlobal || alignment.median < alignment.medianBefore
    isOfAnother =
      !isGlobal && local.isJudged && local.verdict != .fits
      && (local.verdict == .isApart || local.agreement < Self.leastAgreement)
    let middle = points.reduce(SIMD3<Double>.zero) { $0 + $1.double } / Double(points.count)
    shift = (transform.apply(toPoint: middle) - middle).length
    let cosine = (transform.x.x + transform.y.y + transform.z.z - 1) / 2
    angle = Angle(radians: acos(min(max(cosine, -1), 1)))
  }

  func json(unit: Double) -> JSONValue {
    JSONValue(
      .object([
        .init("shift", (shift * unit).json(digits: 9)),
        .init("angle", angle.degrees.json(digits: 6)),
        .init("median", (median * unit).json(digits: 9)),
        .init("matrix", transform.matrixJSON),
      ]))
  }

  func rows(unit: Double) -> [[String]] {
    let scale = LengthScale(of: [shift * unit])
    return [
      [
        "aligned by", "",
        "\(scale.text(shift * unit)), \(NumberText.fixed(angle.degrees, digits: 3))°",
      ]
    ]
  }
}

extension RegisteredSurface {
  init(_ scene: ComparedScene, in context: StageContext) throws {
    let up = scene.system.up.vector
    let faces = RegisteredSurface(
      ofFaces: Mesh(positions: scene.surface.positions, indices: scene.surface.indices), up: up)
    self = try faces ?? Self.ofPoints(scene.points, normals: nil, up: up, in: context)
  }
}

extension ComparisonTarget {
  /// Points spread over the scene.
  func points(count: Int) -> [Vector3] {
    guard let samples = scene.samples(count: count, seed: 0) else {
      let step = max(1, scene.points.count / count)
      return stride(from: 0, to: scene.points.count, by: step).map { scene.points[$0] }
    }
    return samples.faces.indices.map {
      Vector3(
        scene.position(onFace: Int(samples.faces[$0]), SIMD3<Float>(samples.weights(of: $0))))
    }
  }

  /// The nearest places of points, with the normals of their faces.
  func nearest(to points: [Vector3]) -> [RigidAlignment.Place] {
    zip(points, places(nearestTo: points)).map { point, position in
      // A point beyond all measure stays where it is.
      guard position.face != .max else { return (point.double, nil) }
      guard scene.isSurface else { return (scene.points[Int(position.face)].double, nil) }
      let face = Int(position.face)
      let weights = SIMD3(
        1 - position.barycentric.x - position.barycentric.y, position.barycentric.x,
        position.barycentric.y)
      let normal = SIMD3<Double>(scene.surface.areaVector(ofFace: face)).normalized
      return (SIMD3<Double>(scene.position(onFace: face, weights)), normal == .zero ? nil : normal)
    }
  }
}
