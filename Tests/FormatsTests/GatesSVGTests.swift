import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The plot of a capture's gates is well-formed, and marks what is beyond the limits.
struct GatesSVGTests {
  private final class Elements: NSObject, XMLParserDelegate {
    var counts: [String: Int] = [:]
    var lines: [String] = []
    func parser(
      _: XMLParser, didStartElement name: String, namespaceURI _: String?,
      qualifiedName _: String?, attributes: [String: String]
    ) {
      counts[name, default: 0] += 1
      if let points = attributes["points"] { lines.append(points) }
    }
  }

  private static func elements(of gates: [CaptureGate]) throws -> Elements {
    let elements = Elements()
    let parser = XMLParser(data: Data(GateChart(gates).text.utf8))
    parser.delegate = elements
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    return elements
  }

  @Test func `each gate is a line, and values beyond the limits are marked`() throws {
    let readings = [0.9, 0.7, 0.4, 1].enumerated().map {
      CaptureGate.Reading(frame: "a<\"&\u{1}\($0)", time: Double($0), value: $1)
    }
    let limits = CaptureGate.Limits(isMaximum: false, warning: 0.8, failure: 0.5)
    let gates = [
      CaptureGate(name: "sharpness", limits: limits, readings: readings),
      CaptureGate(name: "coverage", limits: limits, readings: [.init(frame: nil, value: 0.9)]),
      CaptureGate(name: "depth", unit: "m", limits: limits, readings: []),
    ]
    let elements = try Self.elements(of: gates)
    // Two of the first gate, and the only one of the second.
    #expect(elements.counts["polyline"] == 1 && elements.counts["circle"] == 3)
    // Two limits each.
    #expect(elements.counts["line"] == 6)
    let places = try #require(elements.lines.first).split(separator: " ").map {
      $0.split(separator: ",").compactMap { Double($0) }
    }
    // Evenly over the time; lower values are lower.
    #expect(abs((places[1][0] - places[0][0]) - (places[3][0] - places[2][0])) < 0.11)
    #expect(places[2][1] > places[1][1] && places[1][1] > places[3][1])
  }

  @Test func `frames without times, one frame and no gate can be drawn`() throws {
    let limits = CaptureGate.Limits(isMaximum: true, warning: 0, failure: 0)
    for count in [0, 1, 3] {
      let readings = (0..<count).map { _ in CaptureGate.Reading(frame: "f", value: 0) }
      let elements = try Self.elements(of: [
        CaptureGate(name: "gap", limits: limits, readings: readings)
      ])
      #expect(elements.counts["svg"] == 1)
    }
    #expect(try Self.elements(of: []).counts["polyline"] == nil)
  }
}
