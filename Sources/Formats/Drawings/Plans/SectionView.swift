import MeshPipeline
import POSIX

/// A section as a drawing: its curves on the layers of classes, filled where they enclose what is solid.
struct SectionView: Sendable {
  private let section: Section
  private let metersPerUnit: Double

  /// From the section to its dimensions, and what these need, in millimetres.
  private static let chain = 9.0
  private static let margin = 15.0

  init(_ section: Section, metersPerUnit: Double) {
    (self.section, self.metersPerUnit) = (section, metersPerUnit)
  }

  /// Nil if nothing is cut.
  var view: DrawingView? {
    let points = section.curves.flatMap { $0.points.map { $0 * metersPerUnit } }
      .filter { $0.x.isFinite && $0.y.isFinite }
    guard let first = points.first else { return nil }
    let title = section.name.first?.isNumber == true ? "Section \(section.name)" : section.name
    let (low, high) = (
      points.reduce(first, pointwiseMin), points.reduce(first, pointwiseMax)
    )
    var view = DrawingView(title: title, low: low, high: high) { scale in
      drawing(low, high, scale)
    }
    view.margin = SIMD2(repeating: Self.margin)
    let openCount = section.curves.count { !$0.isClosed }
    view.notes = ["A cut of the mesh as it is: nothing was straightened."]
    if openCount > 0 {
      view.notes.append(
        "Open lines are where classes change, or where the mesh ends.")
    }
    return view
  }

  private func drawing(
    _ low: SIMD2<Double>, _ high: SIMD2<Double>, _ scale: Double
  ) -> Drawing {
    var drawing = Drawing()
    for region in solidRegions { drawing.add(region: region, on: .cutFill) }
    for curve in section.curves where curve.points.count > 1 {
      drawing.add(
        DrawingPath(curve.points.map { $0 * metersPerUnit }, isClosed: curve.isClosed),
        on: .section(curve.layer))
    }
    // Nothing says how exact a scan is.
    func text(_ length: Double) -> String { NumberText.fixed(length, digits: length < 1 ? 3 : 2) }
    let size = high - low
    if size.x > 2 * scale {
      drawing.add(
        DrawingDimension(
          from: low, to: SIMD2(high.x, low.y), line: SIMD2(low.x, low.y - Self.chain * scale),
          direction: SIMD2(1, 0), text: text(size.x)))
    }
    if size.y > 2 * scale {
      drawing.add(
        DrawingDimension(
          from: SIMD2(high.x, low.y), to: high, line: SIMD2(high.x + Self.chain * scale, low.y),
          direction: SIMD2(0, 1), text: text(size.y)))
    }
    return drawing
  }

  /// What is on the left of closed lines, with its holes: curves that ended where classes change are joined again.
  private var solidRegions: [[DrawingPath]] {
    let loops = closedLoops.filter { $0.count > 2 }
    let areas = loops.map { PolygonTriangulation.signedArea(of: $0) }
    // The smallest loop around each one.
    let parents = loops.indices.map { index in
      loops.indices.filter {
        $0 != index && abs(areas[$0]) > abs(areas[index])
          && isInside(loops[index][0], of: loops[$0])
      }.min { abs(areas[$0]) < abs(areas[$1]) }
    }
    return loops.indices.filter { areas[$0] > 0 }.map { solid in
      let holes = loops.indices.filter { parents[$0] == solid && areas[$0] < 0 }
      return ([solid] + holes).map {
        DrawingPath(loops[$0].map { $0 * metersPerUnit }, isClosed: true)
      }
    }
  }

  private var closedLoops: [[SIMD2<Double>]] {
    var loops = section.curves.filter(\.isClosed).map(\.points)
    let open = section.curves.filter { !$0.isClosed && $0.points.count > 1 }
    var leaving: [SIMD2<Double>: [Int]] = [:]
    for (index, curve) in open.enumerated() { leaving[curve.points[0], default: []].append(index) }
    var isUsed = [Bool](repeating: false, count: open.count)
    for first in open.indices where !isUsed[first] {
      var loop: [SIMD2<Double>] = []
      var current: Int? = first
      while let index = current {
        isUsed[index] = true
        loop += open[index].points.dropLast()
        let end = open[index].points[open[index].points.count - 1]
        if end == open[first].points[0] {
          loops.append(loop)
          break
        }
        current = leaving[end]?.first { !isUsed[$0] }
      }
    }
    return loops
  }
}
