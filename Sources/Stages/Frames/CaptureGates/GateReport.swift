package import MeshPipeline

/// What gates found, for the report of a run and for `meshpipe info`.
package struct GateReport {
  private let gates: [CaptureGate]

  package init(_ gates: [CaptureGate]) { self.gates = gates }

  func write(to context: StageContext) {
    context.note("summary", summary.json)
    context.note("gates", json)
  }

  /// `14 of 16 gates passed; failed: sharpness; warnings: gap`.
  package var summary: String {
    func names(_ outcome: CaptureGate.Outcome) -> String {
      gates.filter { $0.outcome == outcome }.map(\.name).joined(separator: ", ")
    }
    let known = gates.count { $0.outcome != .unknown }
    let parts = [
      ("failed", CaptureGate.Outcome.failed), ("warnings", .warning), ("unknown", .unknown),
    ]
    .map { ($0.0, names($0.1)) }.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1)" }
    return
      (["\(gates.count { $0.outcome == .passed }) of \(known) gates passed"] + parts)
      .joined(separator: "; ")
  }

  package var hasFailed: Bool { gates.contains(where: \.refuses) }

  /// All gates with their values.
  package var json: JSONValue { JSONValue(.array(gates.map(\.json))) }

  /// The gate, the outcome, the median and the worst value, and how many frames pass the limits.
  package var rows: [[String]] {
    [["gate", "outcome", "median", "worst", "limits", "frames beyond"]]
      + gates.map { gate in
        let values = gate.readings.map(\.value)
        let worst = gate.limits.isMaximum ? values.max() : values.min()
        let beyond = [gate.limits.warning, gate.limits.failure].map {
          NumberText.grouped(gate.readings(beyond: $0).count)
        }
        func text(_ value: Double?) -> String { value.map { gate.text(of: $0) } ?? "" }
        return [
          gate.name, gate.outcome.rawValue, text(values.median()), text(worst),
          "\(gate.text(of: gate.limits.warning)), \(gate.text(of: gate.limits.failure))",
          values.isEmpty
            ? "" : "\(beyond[0]), \(beyond[1]) of \(NumberText.grouped(values.count))",
        ]
      }
  }
}

extension CaptureGate {
  /// A number with the unit.
  fileprivate func text(of value: Double) -> String {
    let number = NumberText.fixed(value, digits: abs(value) < 10 ? 2 : 0)
    return unit.isEmpty || unit.hasPrefix("°") ? number + unit : "\(number) \(unit)"
  }

  /// The worst frames, and what to do: `sharpness: 14 of 60 frames below 0.50 (frame_12 at 3.2 s: 0.31)`.
  func sentence(beyond limit: Double, _ rule: GateKind.Rule) -> String {
    let worst = readings(beyond: limit)
    let side = limits.isMaximum ? "above" : "below"
    let frames = worst.prefix(3).compactMap { reading in
      reading.frame.map { name in
        let time = reading.time.map { " at \(NumberText.fixed($0, digits: 1)) s" } ?? ""
        return "\(name)\(time): \(text(of: reading.value))"
      }
    }
    let more = worst.count > frames.count ? ", …" : ""
    let found =
      frames.isEmpty
      ? "\(worst.first.map { text(of: $0.value) } ?? "") is \(side) \(text(of: limit))"
      : "\(worst.count) of \(readings.count) \(rule.subject) \(side) \(text(of: limit)) "
        + "(\(frames.joined(separator: ", "))\(more))"
    return "\(name): \(found); \(rule.advice)"
  }

  /// Why the gate lets the capture not pass.
  func refusal(_ rule: GateKind.Rule) -> String {
    outcome == .unknown
      ? "\(name): unknown, since it needs \(rule.needs)"
      : sentence(beyond: limits.failure, rule)
  }

  fileprivate var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", name.json), .init("outcome", outcome.rawValue.json),
      .init(limits.isMaximum ? "maximum" : "minimum", [limits.warning.json, limits.failure.json]),
      .init("allowed", limits.allowed.json),
    ]
    if isRequired { members.append(.init("required", true)) }
    if !unit.isEmpty { members.append(.init("unit", unit.json)) }
    members.append(
      .init(
        "readings",
        JSONValue(
          .array(
            readings.map { reading in
              var members: [JSONValue.Member] = []
              if let frame = reading.frame { members.append(.init("frame", frame.json)) }
              if let time = reading.time { members.append(.init("time", time.json(digits: 3))) }
              members.append(.init("value", reading.value.json(digits: 4)))
              return JSONValue(.object(members))
            }))))
    return JSONValue(.object(members))
  }
}
