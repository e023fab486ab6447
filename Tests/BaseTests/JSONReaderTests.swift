import Foundation
import MeshTestSupport
import MeshpipeBase
import Testing

@Suite struct JSONReaderTests {
  private func value(_ text: String) -> JSONValue? { JSONReader.read(Array(text.utf8)).value }

  private func fault(_ text: String) -> String {
    JSONReader.read(Array(text.utf8)).diagnostics.map(\.description).joined(separator: "\n")
  }

  @Test func `every value knows its line and column`() throws {
    let text =
      "\u{FEFF}{ // a comment\n  \"ä\": [1, true],\r\n\t\"b\" : /* x\n y */ { \"c\": null } }"
    let root = try #require(value(text))
    #expect(root.position == SourcePosition(line: 1, column: 1))
    guard case .object(let members) = root.content, case .array(let list)? = root["ä"]?.content
    else {
      Issue.record("no object")
      return
    }
    #expect(members.map(\.key) == ["ä", "b"])
    #expect(members[0].keyPosition == SourcePosition(line: 2, column: 3))
    #expect(list.map(\.position) == [.init(line: 2, column: 9), .init(line: 2, column: 12)])
    #expect(members[1].keyPosition == SourcePosition(line: 3, column: 2))
    #expect(root["b"]?.position == SourcePosition(line: 4, column: 7))
    #expect(root["b"]?["c"]?.position == SourcePosition(line: 4, column: 14))
  }

  // Programs write glTF without line breaks; counting columns from the line's start takes minutes.
  @Test func `a long line takes time in proportion to its length`() throws {
    try expectProportionalTime(upTo: 100_000) { count in
      let root = try #require(value("[" + String(repeating: "\"ä\",", count: count) + "0]"))
      #expect(root.elements.count == count + 1)
      #expect(root.elements.last?.position == SourcePosition(line: 1, column: 2 + 4 * count))
    }
  }

  @Test(arguments: [
    #""a\"\\\/\b\f\n\r\tz""#, #""\u00e4\u20AC\ud83d\ude00""#, "\"plain ä€😀\"", "-0.5e-3", "0",
    "12345678901234567890", "1E5", "[]", "{}", #"{"a":[[],{"b":false}],"c":null}"#,
    "  [ 1 , 2 ]  ",
  ])
  func `what Foundation reads is read alike`(text: String) throws {
    let expected = try JSONSerialization.jsonObject(
      with: Data(text.utf8), options: .fragmentsAllowed)
    let found = try #require(value(text))
    // Written again and read by Foundation it is the same thing.
    for written in [found.compactText, found.prettyText] {
      let again = try JSONSerialization.jsonObject(
        with: Data(written.utf8), options: .fragmentsAllowed)
      #expect((again as? NSObject) == (expected as? NSObject))
    }
  }

  /// The first has no opposite among whole numbers of its size.
  @Test(arguments: ["-9223372036854775808", "9223372036854775807", "-9007199254740993"])
  func `whole numbers at the end of their range are written as numbers`(text: String) throws {
    #expect(try Double(#require(value(text)).compactText) == Double(text))
  }

  @Test(arguments: [
    "01", "1.", ".5", "+1", "-", "1e", "1e999", "NaN", "Infinity", "tru", "'a'", "[1 2]", "[,]",
    "{\"a\"}",
    "{\"a\":}", "{a:1}", "[1]]", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
    "\"\\udc00\"", "\"\t\"", "/", "/* ", "// only", "", "\"abc", "[\"a\",", "{\"a\":1,}",
  ])
  func `what is no JSON is one error with a place`(text: String) {
    let result = JSONReader.read(Array(text.utf8), file: "x.json")
    #expect(result.value == nil)
    #expect(result.diagnostics.count == 1)
    #expect(result.diagnostics.first?.position != SourcePosition.none)
    // Foundation forgives a comma before a closing brace.
    if !text.hasPrefix("/"), !text.hasSuffix(",}") {
      #expect(throws: (any Error).self) {
        try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
      }
    }
  }

  @Test func `nesting has an end`() {
    let deep = String(repeating: "[", count: 1_000_000)
    #expect(fault(deep) == ":1:129: error: nested deeper than 128 levels")
    let fine = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
    #expect(value(fine) != nil)
  }

  @Test func `broken UTF-8 in a string is an error`() {
    let result = JSONReader.read(Array("[\"a".utf8) + [0xFF, 0x22, 0x5D])
    #expect(result.diagnostics.map(\.message) == ["the string is not valid UTF-8"])
  }

  @Test func `duplicate keys are all reported`() throws {
    let result = JSONReader.read(Array(#"{ "a": 1, "b": { "c": 1, "c": 2 }, "a": 3 }"#.utf8))
    #expect(result.value != nil)
    #expect(result.diagnostics.map(\.path.description) == ["b.c", "a"])
  }

  @Test(arguments: 0..<200)
  func `random damage ends in a value or an error`(seed: UInt64) throws {
    var random = Xorshift(seed: seed)
    let text = """
      { "meshpipe": 1, // x
        "stages": [ { "use": "thin", "with": { "target": -1.5e3 }, "in": ["a"] } ],
        "note": "\\u00e4 \\\\ ${stem}", "outputs": [ { "path": "${stem}.tri" } ] }
      """
    var bytes = Array(text.utf8)
    for _ in 0..<(1 + random.next(8)) {
      let place = random.next(bytes.count)
      switch random.next(3) {
      case 0: bytes[place] = UInt8(random.next(256))
      case 1: bytes.remove(at: place)
      default: bytes.insert(bytes[random.next(bytes.count)], at: place)
      }
    }
    let reading = JSONReader.read(bytes)
    #expect(reading.value != nil || !reading.diagnostics.isEmpty)
  }

  @Test func `text is pretty and the same each time`() {
    let value: JSONValue = [
      "name": "a\"b\\\n\u{1}", "empty": [], "none": [:], "list": [1, 2.5, true],
      "objects": [["x": 1], ["y": -0.001]],
    ]
    #expect(
      value.prettyText == """
        {
          "name": "a\\"b\\\\\\n\\u0001",
          "empty": [],
          "none": {},
          "list": [1, 2.5, true],
          "objects": [
            { "x": 1 },
            { "y": -0.001 }
          ]
        }

        """)
  }
}

/// A small generator of random numbers that gives the same ones everywhere.
struct Xorshift {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(max(1, bound)))
  }
}
