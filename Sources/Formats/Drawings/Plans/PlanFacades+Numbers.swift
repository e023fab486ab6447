import MeshPipeline

extension PlanFacades {
  /// Adds the dimensions between neighbouring points on that of some lines where most numbers have a place.
  ///
  /// - Parameters:
  ///   - crossed: What the lines must not run into.
  ///   - chains: Where all lines are.
  func chain(
    _ points: [SIMD2<Double>], _ along: SIMD2<Double>, on lines: [SIMD2<Double>],
    without crossed: PlanOccupancy, _ drawing: inout Drawing, _ texts: inout PlanOccupancy,
    _ chains: inout PlanOccupancy
  ) {
    var best: [DrawingDimension] = []
    for line in lines where best.count < points.count - 1 {
      let dimensions = zip(points, points.dropFirst()).map { from, to in
        DrawingDimension(
          from: from, to: to, line: line, direction: along,
          text: numbers.length((to - from).dot(along)))
      }
      guard dimensions.allSatisfy({ crossed.cost(of: strip(of: $0)) == 0 }) else { continue }
      let placed = lettered(dimensions, texts)
      if placed.count > best.count { best = placed }
    }
    for dimension in best {
      drawing.add(dimension)
      texts.add(box(of: dimension), cost: 1)
      chains.add(strip(of: dimension), cost: 1)
    }
  }

  /// The line of a dimension with its ticks.
  private func strip(of dimension: DrawingDimension) -> PlanBox {
    let (start, end) = dimension.ends
    let width = 2 * DrawingDimension.tick * scale
    return PlanBox(
      center: (start + end) / 2, size: SIMD2(dimension.length + width, width),
      turn: dimension.turn)
  }

  private func box(of dimension: DrawingDimension) -> PlanBox {
    PlanBox(of: dimension.shown(scale: scale).text, scale: scale)
  }

  /// The dimensions whose numbers have a place; those that are wider than what they measure stand above or below others.
  private func lettered(
    _ dimensions: [DrawingDimension], _ texts: PlanOccupancy
  ) -> [DrawingDimension] {
    func width(_ dimension: DrawingDimension) -> Double {
      DrawingText.width(of: dimension.text, height: dimension.height) * scale
    }
    func fits(_ index: Int) -> Bool { width(dimensions[index]) < dimensions[index].length }
    var occupied = texts
    var placed = [DrawingDimension?](repeating: nil, count: dimensions.count)
    // Where there is room for the numbers on their line, they come first.
    for index in dimensions.indices.filter(fits) + dimensions.indices.filter({ !fits($0) }) {
      var dimension = dimensions[index]
      let (start, end) = dimension.ends
      let along = SIMD2(angle: dimension.turn)
      let gap = DrawingDimension.textGap * scale
      let row = dimension.height * scale + gap
      let aside = (width(dimension) + dimension.length) / 2 + gap
      var shifts = [1.0, -1, 2, -2].map { along.left * ($0 < 0 ? $0 * row - gap : $0 * row) }
      if index == 0 || index == dimensions.count - 1 { shifts += [along * aside, along * -aside] }
      if fits(index) { shifts.insert(.zero, at: 0) }
      for shift in shifts {
        dimension.shift = shift == .zero ? nil : (start + end) / 2 + shift
        guard occupied.cost(of: box(of: dimension)) == 0 else { continue }
        occupied.add(box(of: dimension), cost: 1)
        placed[index] = dimension
        break
      }
    }
    return placed.compactMap(\.self)
  }
}
