import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Every kind of mistake, one file each: `Broken/NAME.json` beside `Broken/NAME.expected`, which holds
/// the exact messages.
///
/// A first line `// arguments:` gives an input, `--var`, `--set` and `-o` as on the command line. No
/// file that is named exists: all of it is found before any input is opened.
@Suite struct BrokenPipelineTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Broken")
  static let names: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

  @Test func `there is a file for each kind of mistake`() {
    #expect(Self.names.count >= 40)
  }

  @Test(arguments: names)
  func `a mistake is named with its place and the way out`(name: String) throws {
    let text = try String(
      contentsOf: Self.folder.appending(path: "\(name).json"), encoding: .utf8)
    let expected = try String(
      contentsOf: Self.folder.appending(path: "\(name).expected"), encoding: .utf8)
    let document = PipelineDocument(parsing: text, file: "\(name).json")
    let resolution = document.resolve(in: TestKit.environment, for: try request(in: text))
    let found = resolution.diagnostics.map { "\($0)\n" }.joined()
    #expect(found == expected)
    #expect((resolution.pipeline == nil) == expected.contains("error: "))
  }

  private func request(in text: String) throws -> PipelineRequest {
    var request = PipelineRequest()
    let mark = "// arguments: "
    guard let line = text.split(separator: "\n").first, line.hasPrefix(mark) else { return request }
    var words = try #require(PipelineDocument.words(of: String(line.dropFirst(mark.count))))[...]
    while let word = words.popFirst() {
      switch word {
      case "--var": request.variables.append(words.popFirst() ?? "")
      case "--set": request.settings.append(words.popFirst() ?? "")
      case "--level": request.levels.append(words.popFirst() ?? "")
      case "-o": request.output = words.popFirst()
      default: request.input = word
      }
    }
    return request
  }

  @Test(arguments: 0..<200)
  func `random damage ends in a pipeline or an error`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let text = """
      { "meshpipe": 1, // x
        "stages": [ { "use": "thin", "with": { "target": -1.5e3 }, "in": ["a"] } ],
        "note": "\\u00e4 \\\\ ${stem}", "outputs": [ { "path": "${stem}.tri" } ] }
      """
    var bytes = Array(text.utf8)
    for _ in 0..<(1 + Int.random(in: 0..<8, using: &random)) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      default: bytes.insert(bytes[Int.random(in: 0..<bytes.count, using: &random)], at: place)
      }
    }
    let document = PipelineDocument(parsing: bytes, file: "x.json")
    let resolution = document.resolve(in: TestKit.environment)
    #expect((resolution.pipeline == nil) == !resolution.errors.isEmpty)
  }
}
