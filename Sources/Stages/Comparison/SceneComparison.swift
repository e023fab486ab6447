package import MeshPipeline
package import Rendering
import SurfaceKernels

/// What differs between two scenes: distances both ways, normals, colours and classes at the nearest place, and sizes.
package struct SceneComparison: Sendable {
  /// From the first scene to the second, and back.
  let (forward, backward): (DirectedComparison, DirectedComparison)
  /// How the second scene was moved; nil if it was not.
  private let alignment: SceneAlignment?
  /// Nil unless both have colours.
  private let views: RenderedDifference?
  /// Nil unless points are compared along their normals.
  private let changes: CloudChanges?
  /// The second scene, to which distances are measured.
  private let target: ComparisonTarget
  private let system: CoordinateSystem
  private let origin: SIMD3<Double>

  /// Why two scenes can't be compared.
  package enum Failure: StageFailure, Equatable {
    case empty(scene: String)
    case noPoints(scene: String)
    case tooLarge(scene: String)

    package var message: String {
      switch self {
      case .empty(let scene):
        "\(scene) has neither faces with an area nor points, so nothing can be compared"
      case .noPoints(let scene):
        "\(scene) has no points alone, which 'method=m3c2' compares; 'sample-points' makes them of faces"
      case .tooLarge(let scene):
        "\(scene) has coordinates beyond 1e15, whose distances can't be measured; check its unit"
      }
    }
  }

  /// Compares two scenes.
  ///
  /// - Parameters:
  ///   - second: Converted to the axes, the unit and the origin of the first.
  ///   - names: Of the scenes, for messages.
  /// - Throws: ``Failure`` for an empty scene, ``Cancelled``.
  package init(
    _ one: Scene, _ other: Scene, _ parameters: Compare.Parameters, names: (String, String),
    in context: StageContext
  ) throws {
    var other = other
    other.align(with: one)
    (system, origin) = (one.coordinateSystem, one.origin)
    try context.progress(0.1)
    let own = ComparedScene(one, named: names.0, in: context)
    var reference = ComparedScene(other, named: names.1, in: context)
    for (scene, name) in [(own, names.0), (reference, names.1)] {
      guard scene.size < Self.largest else { throw Failure.tooLarge(scene: name) }
      guard scene.isSurface || !scene.points.isEmpty else { throw Failure.empty(scene: name) }
    }
    Self.warnOfRounding(own, reference, in: context)
    let ownTarget = try ComparisonTarget(own)
    try context.progress(0.3)
    alignment =
      parameters.align
      ? try SceneAlignment(of: try ComparisonTarget(reference), onto: ownTarget, in: context) : nil
    if let alignment {
      if alignment.isOfAnother {
        context.warn(
          "\(names.1) does not match \(names.0) anywhere: distances are those of the best position that was found"
        )
      }
      if !alignment.isBetter, !alignment.isOfAnother {
        context.warn("\(names.1) stays where it is: no movement brings it nearer to \(names.0)")
      }
      other.apply(alignment.transform)
      reference = reference.moved(to: other)
    }
    try context.progress(0.4)
    target = try ComparisonTarget(reference)
    let (samples, seed) = (parameters.samples, parameters.seed)
    forward = DirectedComparison(from: own, to: target, samples: samples, seed: seed)
    try context.progress(0.6)
    backward = DirectedComparison(from: reference, to: ownTarget, samples: samples, seed: seed)
    try context.progress(0.8)
    views =
      own.hasColors && reference.hasColors
      ? try RenderedDifference(one, other) { try context.checkCancellation() } : nil
    try context.progress(0.9)
    let farthest = max(forward.distances.maximum, backward.distances.maximum)
    changes =
      parameters.method == .m3c2
      ? try CloudChanges(one, reference, parameters, farthest: farthest, names: names, in: context)
      : nil
    try context.progress(1)
  }

  /// The greatest distance of both directions, in metres.
  package var maximumDistance: Double {
    max(forward.distances.maximum, backward.distances.maximum) * system.metersPerUnit
  }

  /// The second scene where it was compared: in the axes of the first, and moved onto it if that was asked for.
  package func placed(_ other: Scene, beside one: Scene) -> Scene {
    var placed = other
    placed.align(with: one)
    if let alignment { placed.apply(alignment.transform) }
    return placed
  }

  /// Coordinates whose squares single precision holds.
  private static let largest: Float = 1e15

  /// Says so where coordinates are so large that rounding is seen in the distances.
  private static func warnOfRounding(
    _ one: ComparedScene, _ other: ComparedScene, in context: StageContext
  ) {
    let rounding = max(one.size, other.size).ulp
    guard rounding > 1e-5 * min(one.box.extent, other.box.extent) else { return }
    let meters = Double(rounding) * one.system.metersPerUnit
    let text = LengthScale(of: [meters]).text(meters)
    context.warn(
      "coordinates are so far from zero that distances are exact to \(text) only; centre both scans before"
    )
  }

  // MARK: As colours

  /// Colours the vertices and the points of the first scene by their distance from the second.
  ///
  /// - Parameter range: The distance at which the colours end; nil for the one that 95 % of the surface does not exceed, or
  ///   a tenth of the greatest if that is more.
  /// - Returns: The meaning of the colours, for the report.
  package func paint(_ scene: inout Scene, range: Length?) -> JSONValue {
    let colors = distanceColors(range: range)
    for index in scene.meshes.indices {
      scene.meshes[index].paint(self.colors(at: scene.meshes[index].positions, colors))
    }
    for index in scene.pointClouds.indices {
      scene.pointClouds[index].colors = self.colors(at: scene.pointClouds[index].positions, colors)
    }
    let end = Double(colors.range) * system.metersPerUnit
    let text = LengthScale(of: [end]).text(end)
    return forward.signed == nil
      ? "pale: no distance, dark red: \(text) and more".json
      : "blue: behind, pale: no distance, red: in front; dark from \(text) on".json
  }

  /// The distance at which the colours of ``paint(_:range:)`` end, in metres.
  package func colorRange(_ range: Length?) -> Double {
    Double(distanceColors(range: range).range) * system.metersPerUnit
  }

  private func distanceColors(range: Length?) -> DistanceColors {
    // Where little changed, most distances are nearly zero.
    let usual = max(forward.distances.percentile95, forward.distances.maximum / 10)
    return DistanceColors(range: Float(range.map { $0.meters / system.metersPerUnit } ?? usual))
  }

  /// The first scene with its distances as the colours of vertices and points, without any other look, and what the
  /// colours mean.
  ///
  /// - Parameter range: As for ``paint(_:range:)``.
  package func heatMap(of scene: Scene, range: Length?) -> (scene: Scene, scale: ColorScale) {
    var painted = scene
    painted.dropTextures()
    painted.materials = []
    painted.capture = nil
    for index in painted.meshes.indices {
      painted.meshes[index].faceMaterials = nil
      painted.meshes[index].classes = nil
    }
    _ = paint(&painted, range: range)
    let scale = distanceColors(range: range).scale(
      isSigned: forward.signed != nil, metersPerUnit: system.metersPerUnit)
    return (painted, scale)
  }

  private func colors(at positions: [Vector3], _ colors: DistanceColors) -> [Color] {
    target.places(nearestTo: positions).map { colors.color(of: $0) }
  }

  // MARK: For programs

  /// The figures by name: lengths in metres, angles in degrees, shares from 0 to 1.
  package var figures: [JSONValue.Member] {
    let unit = system.metersPerUnit
    var members: [JSONValue.Member] = [
      .init("distance", worse([forward.distances, backward.distances], unit: unit)),
      .init("forward", json(forward)), .init("backward", json(backward)),
    ]
    let normals = [forward.normals, backward.normals].compactMap(\.self)
    if !normals.isEmpty { members.append(.init("normals", worse(normals))) }
    let colors = [forward.colors, backward.colors].compactMap(\.self)
    if !colors.isEmpty { members.append(.init("colors", worse(colors))) }
    if let views {
      members.append(
        .init(
          "views",
          JSONValue(
            .object([
              .init("similarity", views.similarity.json(digits: 4)),
              .init("psnr", views.peakSignalToNoise.json(digits: 2)),
            ]))))
    }
    if let alignment { members.append(.init("alignment", alignment.json(unit: unit))) }
    if let changes { members.append(.init("changes", changes.json(unit: unit))) }
    if let classes = forward.classes { members.append(.init("classes", json(classes))) }
    return members
  }

  /// The greater of both directions for each figure.
  private func worse(_ directions: [DistanceStatistics], unit: Double = 1) -> JSONValue {
    JSONValue(
      .object(
        DistanceStatistics.figures.map { figure in
          let values = directions.map { $0[keyPath: figure.path] * unit }
          return .init(figure.name, rounded(values.max() ?? 0))
        }))
  }

  private func json(_ direction: DirectedComparison) -> JSONValue {
    let unit = system.metersPerUnit
    var members = DistanceStatistics.figures.map {
      JSONValue.Member($0.name, rounded(direction.distances[keyPath: $0.path] * unit))
    }
    let position = SIMD3<Double>(direction.farthest) + origin
    members += [
      .init("at", JSONValue(.array([position.x, position.y, position.z].map(rounded)))),
      .init("points", direction.distances.count.json),
    ]
    if let signed = direction.signed {
      members += [
        .init("signedMean", rounded(signed.mean * unit)), .init("front", rounded(signed.front)),
        .init("behind", rounded(signed.behind)),
      ]
    }
    return JSONValue(.object(members))
  }

  private func json(_ classes: ClassAgreement) -> JSONValue {
    let rows = classes.table.map { row in
      JSONValue(
        .object([
          .init("first", row.pair.one.json), .init("second", row.pair.other.json),
          .init("share", rounded(row.share)),
        ]))
    }
    return JSONValue(
      .object([
        .init("agreement", rounded(classes.agreement)), .init("table", JSONValue(.array(rows))),
      ]))
  }

  private func rounded(_ value: Double) -> JSONValue {
    value.isFinite ? value.json(digits: 9) : JSONValue(.null)
  }

  // MARK: For people

  /// A table with a column for each direction.
  package var rows: [[String]] {
    let unit = system.metersPerUnit
    let scale = LengthScale(of: [forward, backward].map { $0.distances.maximum * unit })
    var rows = [["distance", "first to second", "second to first"]]
    for figure in DistanceStatistics.figures {
      rows.append(
        [figure.words]
          + [forward, backward].map { scale.text($0.distances[keyPath: figure.path] * unit) })
    }
    rows.append(
      ["at"] + [forward, backward].map { (SIMD3<Double>($0.farthest) + origin).placeText })
    if forward.signed != nil || backward.signed != nil {
      rows.append(
        ["signed mean"]
          + [forward, backward].map { direction in
            direction.signed.map { scale.text($0.mean * unit) } ?? "-"
          })
      rows.append(
        ["in front / behind"]
          + [forward, backward].map { direction in
            direction.signed.map { "\(percent($0.front)) / \(percent($0.behind))" } ?? "-"
          })
    }
    rows += statistics("normals", "°", \.normals) + statistics("colours (ΔE00)", "", \.colors)
    if let views {
      rows += [
        ["rendered, SSIM", NumberText.fixed(views.similarity, digits: 3)],
        ["rendered, PSNR", NumberText.fixed(views.peakSignalToNoise, digits: 1) + " dB"],
      ]
    }
    if let alignment { rows += alignment.rows(unit: unit) }
    if let changes { rows += changes.rows(unit: unit) }
    if let forward = forward.classes, let backward = backward.classes {
      rows.append(["same class", percent(forward.agreement), percent(backward.agreement)])
      for row in forward.table.filter({
        $0.pair.one != $0.pair.other && $0.share > Self.leastShare
      }).prefix(Self.mostPairs) {
        rows.append(["  \(row.pair.one) is \(row.pair.other)", percent(row.share)])
      }
    }
    return rows
  }

  /// More pairs of classes are for programs.
  private static let mostPairs = 5
  /// Less is 0.0 %.
  private static let leastShare = 0.0005

  private func statistics(
    _ name: String, _ unit: String, _ path: KeyPath<DirectedComparison, DistanceStatistics?>
  ) -> [[String]] {
    guard let one = forward[keyPath: path], let other = backward[keyPath: path] else { return [] }
    func text(_ value: Double) -> String { NumberText.fixed(value, digits: 2) + unit }
    return [
      ["\(name), mean", text(one.mean), text(other.mean)],
      ["\(name), 95 %", text(one.percentile95), text(other.percentile95)],
    ]
  }

  private func percent(_ share: Double) -> String {
    NumberText.fixed(100 * share, digits: 1) + " %"
  }
}

extension DistanceStatistics {
  /// Each figure by its name in reports and in words.
  static var figures: [(name: String, words: String, path: KeyPath<DistanceStatistics, Double>)] {
    [
      ("mean", "mean", \.mean), ("rms", "RMS", \.rms), ("median", "median", \.median),
      ("p95", "95 %", \.percentile95), ("max", "maximum", \.maximum),
    ]
  }
}
