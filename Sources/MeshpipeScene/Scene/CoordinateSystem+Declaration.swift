import MeshpipeBase

extension CoordinateSystem {
  /// The foot of the United States until 2022 in metres, two millionths longer than the international one: 0.6 m at
  /// 300 km.
  package static let usSurveyFoot = 1200.0 / 3937

  /// The unit in words: `metres`.
  package var unitWords: String { Self.unitWords(ofMeters: metersPerUnit) }

  /// A unit of a length in metres, in words: `US survey feet`.
  package static func unitWords(ofMeters meters: Double) -> String {
    let known = unitNames.first { abs(meters / $0.meters - 1) < 1e-9 }
    return known?.words ?? "units of \(JSONValue.text(of: meters)) m"
  }

  private static let unitNames: [(meters: Double, words: String)] = [
    (1, "metres"), (0.1, "decimetres"), (0.01, "centimetres"), (0.001, "millimetres"),
    (1000, "kilometres"), (0.0254, "inches"), (0.3048, "feet"), (usSurveyFoot, "US survey feet"),
  ]

  /// The system as meshpipe writes it into comments and headers of formats that can't express it.
  ///
  /// `meshpipe up=z forward=y hand=right unit=0.001m`
  package var declaration: String {
    "meshpipe up=\(up.rawValue) forward=\(forward.rawValue) hand=\(handedness.rawValue) "
      + "unit=\(JSONValue.text(of: metersPerUnit))m"
  }

  /// The system declared in a line, whatever precedes the declaration.
  ///
  /// - Returns: Nil if the line has no valid declaration.
  package init?(declaredIn line: String) {
    let words = line.split { $0 == " " || $0 == "\t" }
    guard let name = words.firstIndex(of: "meshpipe") else { return nil }
    let values = words[(name + 1)...].prefix(4).map { word in
      word.split(separator: "=", maxSplits: 1).map(String.init)
    }
    guard values.count == 4, values.allSatisfy({ $0.count == 2 }),
      values.map({ $0[0] }) == ["up", "forward", "hand", "unit"],
      let up = SignedAxis(rawValue: values[0][1]), let forward = SignedAxis(rawValue: values[1][1]),
      up.index != forward.index, let hand = Handedness(rawValue: values[2][1]),
      values[3][1].hasSuffix("m"), let unit = Double(values[3][1].dropLast()),
      (1e-9...1e9).contains(unit)
    else { return nil }
    self.init(up: up, forward: forward, handedness: hand, metersPerUnit: unit)
  }
}
