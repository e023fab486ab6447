import MeshPipeline
import POSIX

/// A drawing of gates below one another, as SVG.
struct GateChart {
  private(set) var text = ""
  private let axis: TimeAxis
  private let gates: [CaptureGate]

  /// In pixels: of a plot, between the plots, and of the space around all.
  private static let plot = SIMD2(700.0, 56.0)
  private static let gap = 18.0
  private static let margin = SIMD2(20.0, 16.0)
  /// The space for names before the plots, and for values of limits behind them.
  private static let names = 130.0
  private static let values = 90.0
  private static let axisHeight = 34.0

  private static func color(of outcome: CaptureGate.Outcome) -> String {
    switch outcome {
    case .passed: "#2e8b57"
    case .warning: "#d98200"
    case .failed: "#cc2b2b"
    case .unknown: "#888888"
    }
  }

  init(_ gates: [CaptureGate]) {
    self.gates = gates
    axis = TimeAxis(gates)
    let size = SIMD2(
      2 * Self.margin.x + Self.names + Self.plot.x + Self.values,
      2 * Self.margin.y + Double(gates.count) * (Self.plot.y + Self.gap) + Self.axisHeight)
    add(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(Self.text(size.x))\" height=\"\(Self.text(size.y))\" "
        + "viewBox=\"0 0 \(Self.text(size.x)) \(Self.text(size.y))\" font-family=\"sans-serif\" font-size=\"12\">"
    )
    add("<title>Capture gates</title>")
    add("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>")
    for (index, gate) in gates.enumerated() {
      draw(gate, top: Self.margin.y + Double(index) * (Self.plot.y + Self.gap))
    }
    drawAxis(top: size.y - Self.margin.y - Self.axisHeight)
    add("</svg>")
  }

  private mutating func add(_ line: String) { text += line + "\n" }

  private static func text(_ number: Double) -> String { NumberText.fixed(number, digits: 1) }

  private static var left: Double { margin.x + names }

  private mutating func draw(_ gate: CaptureGate, top: Double) {
    let color = Self.color(of: gate.outcome)
    let middle = top + Self.plot.y / 2
    add(label(gate.name, x: Self.margin.x, y: middle - 2, "font-weight=\"bold\""))
    add(label(gate.outcome.rawValue, x: Self.margin.x, y: middle + 14, "fill=\"\(color)\""))
    add(
      "<rect x=\"\(Self.text(Self.left))\" y=\"\(Self.text(top))\" width=\"\(Self.text(Self.plot.x))\" "
        + "height=\"\(Self.text(Self.plot.y))\" fill=\"#f6f6f6\" stroke=\"#dddddd\"/>")
    let values = gate.readings.map(\.value) + [gate.limits.warning, gate.limits.failure, 0]
    let (low, high) = (values.min() ?? 0, values.max() ?? 1)
    func height(_ value: Double) -> Double {
      top + Self.plot.y * (1 - (value - low) / max(high - low, .leastNormalMagnitude))
    }
    let limits = gate.limits
    for (limit, outcome) in [
      (limits.warning, CaptureGate.Outcome.warning), (limits.failure, .failed),
    ] {
      drawLimit(limit, at: height(limit), unit: gate.unit, Self.color(of: outcome))
    }
    drawReadings(of: gate, height)
  }

  private mutating func drawLimit(_ limit: Double, at y: Double, unit: String, _ color: String) {
    let right = Self.left + Self.plot.x
    add(
      "<line x1=\"\(Self.text(Self.left))\" x2=\"\(Self.text(right))\" y1=\"\(Self.text(y))\" y2=\"\(Self.text(y))\" "
        + "stroke=\"\(color)\" stroke-dasharray=\"4 3\"/>")
    let text = JSONValue.text(of: limit) + (unit.hasPrefix("°") ? unit : " \(unit)")
    add(label(text, x: right + 6, y: y + 4, "fill=\"\(color)\" font-size=\"10\""))
  }

  private mutating func drawReadings(
    of gate: CaptureGate, _ height: (Double) -> Double
  ) {
    let places = gate.readings.enumerated().map { index, reading in
      SIMD2(
        Self.left + Self.plot.x * axis.share(of: reading, at: index, of: gate),
        height(reading.value))
    }
    let line = places.map { "\(Self.text($0.x)),\(Self.text($0.y))" }.joined(separator: " ")
    if places.count > 1 {
      add("<polyline points=\"\(line)\" fill=\"none\" stroke=\"#4477aa\"/>")
    }
    let limits = gate.limits
    for (reading, position) in zip(gate.readings, places) {
      let isAlone = places.count == 1
      guard isAlone || limits.isBeyond(limits.warning, reading.value) else { continue }
      let outcome: CaptureGate.Outcome =
        limits.isBeyond(limits.failure, reading.value)
        ? .failed : limits.isBeyond(limits.warning, reading.value) ? .warning : gate.outcome
      let color = Self.color(of: outcome)
      let title = [reading.frame, NumberText.fixed(reading.value, digits: 3)].compactMap(\.self)
        .joined(separator: ": ")
      add(
        "<circle cx=\"\(Self.text(position.x))\" cy=\"\(Self.text(position.y))\" r=\"3\" fill=\"\(color)\">"
          + "<title>\(escapedForXML(title))</title></circle>")
    }
  }

  private mutating func drawAxis(top: Double) {
    for tick in axis.ticks {
      let x = Self.left + Self.plot.x * tick.share
      add(label(tick.text, x: x, y: top + 12, "text-anchor=\"middle\""))
    }
    add(
      label(
        axis.name, x: Self.left + Self.plot.x / 2, y: top + 30, "text-anchor=\"middle\""))
  }

  private func label(_ text: String, x: Double, y: Double, _ style: String) -> String {
    "<text x=\"\(Self.text(x))\" y=\"\(Self.text(y))\" \(style)>\(escapedForXML(text))</text>"
  }
}

/// The horizontal axis that all plots share.
private struct TimeAxis {
  /// Seconds from the first frame to the last; nil if some frame has no time.
  private let duration: Double?
  private let mostReadings: Int

  private static let mostTicks = 8

  init(_ gates: [CaptureGate]) {
    let ofFrames = gates.flatMap(\.readings).filter { $0.frame != nil }
    let times = ofFrames.compactMap(\.time)
    let last = times.max() ?? 0
    duration = times.count == ofFrames.count && last > 0 ? last : nil
    mostReadings = gates.map(\.readings.count).max() ?? 0
  }

  var name: String { duration == nil ? "frame" : "seconds" }

  func share(of reading: CaptureGate.Reading, at index: Int, of gate: CaptureGate) -> Double {
    if reading.frame == nil { return 0.5 }
    if let duration, let time = reading.time { return time / duration }
    return Double(index) / Double(max(gate.readings.count - 1, 1))
  }

  var ticks: [(share: Double, text: String)] {
    let end = duration ?? Double(mostReadings)
    guard end > 0 else { return [] }
    let step = RoundNumber(atLeast: end / Double(Self.mostTicks)).value
    return stride(from: 0, through: end, by: step).map { value in
      (value / end, JSONValue.text(of: value))
    }
  }
}
