import MeshPipeline
import Photogrammetry

extension CoverageByClass {
  /// Adds the figures to the report: areas in square metres, resolutions in pixels per metre.
  func report(to context: StageContext) {
    context.note("coverage", all.json)
    guard let parts else { return }
    context.note(
      "coverageByClass", JSONValue(.object(parts.map { .init($0.name, $0.figures.json) })))
  }
}

extension CoverageFigures {
  fileprivate var json: JSONValue {
    let resolutions = resolutions(ofShares: [0.1, 0.5, 0.9])
    func resolution(_ index: Int) -> JSONValue {
      resolutions.map { Double($0[index].rounded()).json } ?? JSONValue(.null)
    }
    func share(_ count: Int) -> JSONValue {
      (Double(10_000 * count / max(total, 1)) / 10_000).json
    }
    func rounded(_ area: Double) -> JSONValue { area.json(digits: 3) }
    return [
      "area": rounded(area),
      "unseenArea": rounded(unseenArea),
      "seenBy": [
        "0": share(counts[0]), "1": share(counts[1]), "2": share(counts[2]),
        "3+": share(counts[3]),
      ],
      "resolution": ["10%": resolution(0), "50%": resolution(1), "90%": resolution(2)],
    ]
  }
}

extension CoverageScale {
  /// For the report: the value and the colour of each stop.
  var json: JSONValue {
    JSONValue(
      .array(
        stops.map { stop in
          ["value": Double(stop.value).json, "color": ("#" + stop.color.hexadecimal).json]
        }))
  }
}
