import MeshPipeline

// The final size of a model, and what its report says of it.

extension TransformScene {
  /// A size this near to what was asked for needs no word.
  private static let nearly = 0.98

  /// How much walls, or a solid made of a surface, change a size between two stages that ask for it, at most.
  private static let leastOfWalls = 0.8

  /// The factor of scale and stretch; nil if it is not the same along all axes.
  var scaleOfStretch: Double? {
    let sizes = parameters.stretch.value.replacing(
      with: -parameters.stretch.value, where: parameters.stretch.value .< .zero)
    return sizes.min() == sizes.max() ? sizes.x * parameters.scale.factor : nil
  }

  /// Scales a scene about the pivot to the height or length that is asked for, or to less where that does not fit.
  func resize(_ scene: inout Scene, in context: StageContext) {
    let asked = askedFactor(for: scene)
    guard asked != nil || parameters.fit != nil else { return }
    let limit = largestFactor(for: scene)
    let factor = min(asked ?? 1, limit)
    let before = scene.scale
    if factor != 1, factor > 0 {
      scale(&scene, by: factor, in: context)
      scene.scale = before.map { $0 * factor }
    }
    warn(of: scene, asked, factor, scaledBefore: before != 1, in: context)
    describe(scene, shrunkBy: min(1, limit / (asked ?? 1)), in: context)
  }

  /// What makes it as high or long as asked for; nil if nothing was, or if it has no size.
  private func askedFactor(for scene: borrowing Scene) -> Double? {
    let system = scene.coordinateSystem
    let size = SIMD3<Double>(scene.bounds.size)
    let isUp = system.up.vector .!= 0
    let (height, length) = (
      size.replacing(with: 0, where: .!isUp).max(), size.replacing(with: 0, where: isUp).max()
    )
    if parameters.height.meters > 0, height > 0 {
      return parameters.height.units(in: system) / height
    }
    if parameters.length.meters > 0, length > 0 {
      return parameters.length.units(in: system) / length
    }
    return nil
  }

  /// The factor with which it just fits the box; infinite without one.
  private func largestFactor(for scene: borrowing Scene) -> Double {
    let system = scene.coordinateSystem
    guard let fit = parameters.fit else { return .infinity }
    let isUp = system.up.vector .!= 0
    let margin = parameters.margin.units(in: system)
    let box = fit.units(in: system) - SIMD3(repeating: 2 * margin).replacing(with: 0, where: isUp)
    let size = SIMD3<Double>(scene.bounds.size)
    return (0..<3).reduce(.infinity) { size[$1] > 0 ? min($0, box[$1] / size[$1]) : $0 }
  }

  private func scale(_ scene: inout Scene, by factor: Double, in context: StageContext) {
    var survey = scene.survey
    survey?.lattice = nil
    if survey != nil, hasDistantPivot(scene) { survey?.leaveGrid() }
    let map = Transform(scale: SIMD3(repeating: factor)).about(pivot(in: scene))
    let origin = parameters.pivot == nil ? .zero : scene.origin
    apply(map, to: &scene, relativeTo: origin, in: context)
    if parameters.pivot != nil { scene.survey = survey }
  }

  /// Says that a scale or a size that was asked for does not fit, once for stages that ask for it again.
  private func warn(
    of scene: borrowing Scene, _ asked: Double?, _ factor: Double, scaledBefore: Bool,
    in context: StageContext
  ) {
    let isGiven = parameters.scale.factor != 1
    guard let wanted = asked ?? (isGiven ? 1 : nil), factor < Self.nearly * wanted else { return }
    let walls = Self.leastOfWalls..<1 / Self.leastOfWalls
    let isSaid = !isGiven && scaledBefore && walls.contains(factor)
    guard !isSaid else { return }
    let what =
      isGiven
      ? "a scale of \(parameters.scale.text)"
      : parameters.height.meters > 0
        ? "a height of \(Self.text(parameters.height))"
        : "a length of \(Self.text(parameters.length))"
    let taken = scene.scale.map { Scale(factor: $0).text } ?? "less"
    context.warn("\(what) does not fit into 'fit' with its 'margin'; it is \(taken) instead")
  }

  /// The scale and the size for the report and the summary.
  private func describe(
    _ scene: borrowing Scene, shrunkBy factor: Double, in context: StageContext
  ) {
    if factor < 1 { context.note("shrunkTo", factor.json(digits: 6)) }
    let meters = scene.coordinateSystem.metersPerUnit
    let size = SIMD3<Double>(scene.bounds.size) * meters
    if let scale = scene.scale { context.note("scale", scale.json(digits: 6)) }
    context.note(
      "sizeMillimeters", JSONValue(.array((0..<3).map { (size[$0] * 1000).json(digits: 3) })))
    let scale = scene.scale.map { "at \(Scale(factor: $0).text), " } ?? ""
    let sizes = (0..<3).map { Self.number(size[$0] * 1000) }.joined(separator: " × ")
    let reason = factor < 0.995 ? ", shrunk to fit" : ""
    context.note("summary", "\(scale)\(sizes) mm\(reason)".json)
  }

  private static func text(_ length: Length) -> String { "\(number(length.meters * 1000)) mm" }

  private static func number(_ millimeters: Double) -> String {
    NumberText.fixed(millimeters, digits: millimeters < 99.95 ? 1 : 0)
  }
}
