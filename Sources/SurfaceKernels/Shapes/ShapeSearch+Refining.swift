import MeshpipeScene
import POSIX

extension ShapeSearch {
  /// Fits, each on what the last one accepts.
  private static let fits = 3
  /// Other parts of a plane count down to this share of the least weight.
  private static let leastPart = 0.25
  /// A simpler shape is preferred if it has this share of the weight, and a curved one needs this many times that of a
  /// plane.
  private static let (simpler, thanPlane) = (0.95, 1.6)
  /// The least part of the samples near a shape that are turned like it.
  private static let leastPurity = 0.75
  /// The greatest root mean square of residuals over the tolerance: it is 0.58 of what is strewn around a shape.
  private static let greatestSpread = 0.42

  /// The least part of a turn around an axis that tells a cylinder, a cone or a torus (60°), and around a torus' tube (120°).
  private static let (leastTurn, leastTubeTurn) = (1.05, 2.09)
  /// The least share of a sphere.
  private static let leastCap = 0.1

  /// A shape with the connected samples on it; nil if it is none.
  ///
  /// - Parameter trial: Some samples for a first fit.
  func refined(_ model: ShapeModel, _ trial: [Int32]) -> Found? {
    var model = model
    if order.count > 4 * trial.count {
      let near = accepted(by: model, of: trial)
      if near.count > 32 {
        model = model.fitted(to: samples, near, tolerance: options.tolerance.distance) ?? model
      }
    }
    return judged(model)
  }

  /// A shape with the connected samples on it; nil if these are not enough, or do not tell it.
  func judged(_ model: ShapeModel) -> Found? {
    guard let find = settled(model), isPure(find) else { return nil }
    guard let plainest = plainest(find), goesAround(plainest) else { return nil }
    return plainest
  }

  /// Whether enough of a turn about each axis of a shape is there to tell it.
  private func goesAround(_ find: Found) -> Bool {
    let model = find.model
    guard model.kind != .plane else { return true }
    if model.kind == .sphere {
      // The mean direction of a cap is 1 less its share of the sphere.
      let sum = find.numbers.reduce(SIMD3<Double>.zero) {
        $0 + (samples.positions[Int($1)].double - model.center).normalized
      }
      return (sum / Double(find.numbers.count)).length <= 1 - Self.leastCap
    }
    let (first, second) = model.sides
    var (turns, tube) = (TurnCoverage(), TurnCoverage())
    for number in find.numbers {
      let offset = samples.positions[Int(number)].double - model.center
      let (height, distance, _) = model.around(offset)
      turns.add(atan2(offset.dot(second), offset.dot(first)))
      tube.add(atan2(height, distance - model.radius))
    }
    return turns.angle >= Self.leastTurn
      && (model.kind != .torus || tube.angle >= Self.leastTubeTurn)
  }

  /// Fits a shape to the connected samples on it until these stay.
  func settled(_ model: ShapeModel) -> Found? {
    var model = model
    var numbers: [Int32] = []
    for _ in 0..<Self.fits {
      let near = accepted(by: model)
      guard samples.weight(of: near) >= options.leastWeight else { return nil }
      numbers = connected(near, model.kind)
      guard numbers.count >= Self.leastCount,
        samples.weight(of: numbers) >= options.leastWeight,
        let next = model.fitted(to: samples, numbers, tolerance: options.tolerance.distance)
      else { return nil }
      model = next
    }
    numbers = connected(accepted(by: model), model.kind)
    let weight = samples.weight(of: numbers)
    guard numbers.count >= Self.leastCount, weight >= options.leastWeight else { return nil }
    return Found(model: model, numbers: numbers, weight: weight)
  }

  /// The remaining samples near a shape that are turned like it, in ascending order.
  func accepted(by model: ShapeModel) -> [Int32] {
    remaining.numbers(within: options.tolerance.distance, of: model) {
      options.tolerance.accepts(model, samples.sample($0))
    }
  }

  /// The samples among some that are near a shape and turned like it.
  private func accepted(by model: ShapeModel, of numbers: [Int32]) -> [Int32] {
    Parallel.mapChunks(of: numbers.count) { range in
      range.compactMap { index -> Int32? in
        options.tolerance.accepts(model, samples.sample(numbers[index])) ? numbers[index] : nil
      }
    }.flatMap(\.self)
  }

  /// The largest connected part of samples, or the one at the seed; of planes all near it that are large enough.
  private func connected(_ numbers: [Int32], _ kind: Shape.Kind) -> [Int32] {
    let parts = ShapeParts(of: samples, numbers, gap: options.gap).parts
    if let anchors {
      let counts = parts.map { part in part.numbers.count { anchors.contains($0) } }
      let most = counts.indices.max { (counts[$0], $1) < (counts[$1], $0) }
      return most.map { parts[$0].numbers } ?? []
    }
    guard kind == .plane else { return parts.first?.numbers ?? [] }
    var numbers = parts.first?.numbers ?? []
    var box = samples.box(of: numbers)
    for part in parts.dropFirst() where part.weight >= Self.leastPart * options.leastWeight {
      let other = samples.box(of: part.numbers)
      guard Self.isNear(other, box) else { continue }
      box.add(other)
      numbers += part.numbers
    }
    return numbers.sorted()
  }

  /// Whether most samples near a shape are turned like it, and nearer to it than what is strewn around it.
  private func isPure(_ find: Found) -> Bool {
    var squares = 0.0
    for number in find.numbers {
      let distance = find.model.nearest(to: samples.positions[Int(number)].double).distance
      squares += distance * distance
    }
    let spread = (squares / Double(find.numbers.count)).squareRoot()
    guard find.model.kind == .plane || spread <= Self.greatestSpread * options.tolerance.distance
    else { return false }
    // Where the shape is, and not where it would go on.
    @Sendable func cell(_ number: Int32) -> UInt64 {
      ShapeParts.cell(of: samples.positions[Int(number)].double, size: options.reach)
    }
    let cells = Set(find.numbers.map(cell))
    let near = remaining.numbers(within: options.tolerance.distance, of: find.model) { number in
      let position = samples.positions[Int(number)].double
      return find.model.nearest(to: position).distance.magnitude <= options.tolerance.distance
        && cells.contains(cell(number))
    }
    let weight = samples.weight(of: near)
    return find.weight >= Self.leastPurity * weight
  }

  /// The simplest shape that has nearly all samples of a shape; nil if the samples don't tell a curved one from a plane.
  private func plainest(_ find: Found) -> Found? {
    guard find.model.kind != .plane else { return find }
    let own = find.numbers
    let plane = ShapeModel.plane(amid: samples, own)
    let flat = plane.fitted(
      to: samples, own, tolerance: options.tolerance.distance)
    let onPlane = flat.map { samples.weight(of: accepted(by: $0, of: own)) } ?? 0
    guard find.weight >= Self.thanPlane * onPlane else { return nil }
    for kind in options.kinds where kind != .plane && kind.isSimpler(than: find.model.kind) {
      for start in find.model.starts(of: kind, amid: plane.center) {
        guard
          let model = start.fitted(to: samples, own, tolerance: options.tolerance.distance)
        else { continue }
        let numbers = accepted(by: model, of: own)
        guard samples.weight(of: numbers) >= Self.simpler * find.weight else { continue }
        return settled(model) ?? find
      }
    }
    return find
  }
}

extension Shape.Kind {
  /// Whether a shape of another kind is preferred only if it fits clearly better.
  fileprivate func isSimpler(than other: Shape.Kind) -> Bool {
    let order = Shape.Kind.allCases
    return (order.firstIndex(of: self) ?? 0) < (order.firstIndex(of: other) ?? 0)
  }
}

extension ShapeModel {
  /// The plane through the middle of samples, at a right angle to their mean direction.
  static func plane(amid samples: ShapeSamples, _ numbers: [Int32]) -> ShapeModel {
    var (sum, direction) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
    for number in numbers {
      let (position, normal) = samples.sample(number)
      sum += position
      direction += normal.dot(direction) < 0 ? -normal : normal
    }
    return ShapeModel(
      kind: .plane, center: sum / Double(max(numbers.count, 1)), axis: direction.normalized)
  }

  /// The cylinder along a torus' tube where that is nearest to a point.
  private func alongTube(amid position: SIMD3<Double>) -> ShapeModel {
    let outward = around(position - center).outward
    return ShapeModel(
      kind: .cylinder, center: center + outward * radius, axis: axis.cross(outward),
      radius: tube)
  }

  /// Where a fit of a simpler shape to the samples of this one may start.
  ///
  /// - Parameter middle: Of the samples.
  func starts(of kind: Shape.Kind, amid middle: SIMD3<Double>) -> [ShapeModel] {
    switch (self.kind, kind) {
    case (.cone, .cylinder):
      [ShapeModel(kind: .cylinder, center: center, axis: axis, radius: radius)]
    case (.cone, .sphere), (.cylinder, .sphere):
      [ShapeModel(kind: .sphere, center: center, radius: radius)]
    case (.torus, .sphere):
      [ShapeModel(kind: .sphere, center: center, radius: radius + tube)]
    case (.torus, .cylinder):
      [
        ShapeModel(kind: .cylinder, center: center, axis: axis, radius: radius + tube),
        alongTube(amid: middle),
      ]
    default: []
    }
  }
}
