import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Recordings of feature points in the ways that apps write them.
enum FeatureFixture {
  /// Larger than doubles resolve, and different in the last digit.
  static let identifiers: [UInt64] = [7_450_374_285_236_481_233, 7_450_374_285_236_481_234]

  static let nested = """
    [ { "timestamp": 12.5, "camera": { "transform": { "columns": [[1, 0, 0, 0]] }, "position": [9, 9, 9] },
        "rawFeaturePoints": { "points": [[1, 2, 3], [4, 5, 6]], "identifiers": [7450374285236481233, 7450374285236481234] } },
      { "timestamp": 12.6, "rawFeaturePoints": null },
      { "timestamp": 12.7, "rawFeaturePoints": { "identifiers": [7450374285236481233], "points": [[1, 2, 3.5]] } } ]
    """
  static let lines = """
    {"identifiers":[7450374285236481233,7450374285236481234],"points":[[1,2,3],[4,5,6]]}
    {"identifiers":[7450374285236481233],"points":[[1,2,3.5]]}

    """
}

@Suite struct FeaturePointsTests {
  private func read(_ contents: String, name: String = "a.features.json") throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write(name, contents))
  }

  @Test(arguments: [
    FeatureFixture.nested, FeatureFixture.lines,
    // Frames in an object, in two spellings of keys.
    #"{"frames":[{"ids":[A,B],"points":[[1,2,3],[4,5,6]]},{"id":4,"ids":[A],"positions":[[1,2,3.5]]}]}"#,
    #"{"Frames":[{"feature_ids":[A,B],"vertices":[1,2,3,4,5,6]},{"featureIds":[A],"vertices":[1,2,3.5]}]}"#,
    // With a fourth number, as of vectors in memory.
    #"[{"identifiers":[A,B],"points":[1,2,3,0,4,5,6,0]},{"identifiers":[A],"points":[[1,2,3.5,1]]}]"#,
    // Points with their identifiers, in lists and on lines.
    #"{"frames":[{"points":[{"id":A,"x":1,"y":2,"z":3},{"id":B,"x":4,"y":5,"z":6}]},{"points":[{"id":A,"position":[1,2,3.5]}]}]}"#,
    #"[[{"id":A,"x":1,"y":2,"z":3},{"id":"B","position":[4,5,6]}],[{"identifier":A,"point":{"x":1,"y":2,"z":3.5}}]]"#,
    "{\"id\":A,\"x\":1,\"y\":2,\"z\":3}\n{\"id\":B,\"x\":4,\"y\":5,\"z\":6}\r\n{\"id\":A,\"x\":1,\"y\":2,\"z\":3.5}",
    // As text, as the keys of points, and as Swift writes a dictionary.
    #"[{"identifiers":["A","B"],"points":[[1,2,3],[4,5,6]]},{"identifiers":["A"],"points":[[1,2,3.5]]}]"#,
    #"[{"points":{"A":[1,2,3],"B":[4,5,6]}},{"points":{"A":[1,2,3.5]}}]"#,
    #"[{"points":[A,[1,2,3],B,[4,5,6]]},{"points":[A,[1,2,3.5]]}]"#,
    // Columns.
    #"{"id":[A,B,A],"x":[1,4,1],"y":[2,5,2],"z":[3,6,3.5]}"#,
    "\u{FEFF}{\"identifiers\":[A,B,A],\"points\":[1,2,3,4,5,6,1,2,3.5],\"count\":3}",
  ])
  func `the same samples in many spellings`(contents: String) throws {
    let (a, b) = (FeatureFixture.identifiers[0], FeatureFixture.identifiers[1])
    let text = contents.replacing("A", with: "\(a)").replacing("B", with: "\(b)")
    let reading = try read(contents == FeatureFixture.nested ? contents : text)
    #expect(reading.warnings == [])
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.positions == [Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(1, 2, 3.5)])
    #expect(cloud.attributes["identifier"]?.values == .uint64([a, b, a]))
  }

  @Test func `frames are numbered where there are several`() throws {
    let reading = try read(FeatureFixture.lines, name: "a.features.jsonl")
    #expect(reading.scene.pointClouds[0].attributes["frame"]?.values == .uint32([0, 0, 1]))
  }

  @Test func `the largest identifier is exact, and one that was rounded is refused`() throws {
    let reading = try read(#"{"identifiers":[18446744073709551615,0],"points":[[1,2,3],[4,5,6]]}"#)
    #expect(
      reading.scene.pointClouds[0].attributes["identifier"]?.values == .uint64([.max, 0]))
    for wrong in ["18446744073709551616", "1.5", "-3", "7.45e18", "\"x1\""] {
      let fault = try readingFault(
        "a.features.json", "{\"identifiers\":[\n\(wrong)],\"points\":[[1,2,3]]}")
      #expect(fault.hasPrefix("a.features.json:2: the identifier"), "\(fault)")
    }
  }

  @Test func `a faulty recording is refused with its line`() throws {
    func fault(_ contents: String) throws -> String {
      try readingFault("a.features.json", contents)
    }
    let lines = FeatureFixture.lines
    #expect(
      try fault(lines + #"{"identifiers":[1,2],"points":[[1,2,3]]}"#)
        == "a.features.json:3: there are 2 identifiers, but 1 points")
    #expect(try fault(#"{"identifiers":[1],"points":[[1,2]]}"#).contains("has 2 numbers"))
    #expect(try fault(#"{"identifiers":[1],"points":[1,2]}"#).contains("2 coordinates"))
    #expect(try fault(#"{"identifiers":[1],"points":[[1,2,"a"]]}"#).contains("a number"))
    #expect(try fault(#"{"id":1,"x":1,"y":2}"#).contains("lacks one of x, y and z"))
    #expect(try fault(#"[{"points":[[1,2,3]]},{"ids":[1],"points":[[1,2,3]]}]"#).contains("some"))
    #expect(try fault("{}").contains("no feature points"))
    #expect(try fault("[1, 2").contains("the file ends"))
    #expect(try fault(String(repeating: "[", count: 9999)).contains("too deep"))
  }

  @Test func `a recording that was cut off keeps its whole records, with a warning`() throws {
    let lines = FeatureFixture.lines
    for count in 1..<58 {
      let reading = try read(String(lines.dropLast(count)))
      let isCut = count > 1
      #expect(reading.scene.pointCount == (isCut ? 2 : 3), "\(count)")
      #expect(reading.warnings.count == (isCut ? 1 : 0))
      if isCut { #expect(reading.warnings[0].contains("is it complete?")) }
    }
  }

  @Test func `recordings are known by their contents, and other JSON is not taken for one`() throws
  {
    func isRecording(_ text: String) -> Bool {
      FeaturePoints.recognizes(FileHead(text.utf8, fileSize: text.utf8.count))
    }
    #expect(isRecording(FeatureFixture.nested) && isRecording(FeatureFixture.lines))
    #expect(isRecording(#"{"id":5,"x":1,"y":2,"z":3}"#))
    #expect(!isRecording(#"{"stages":[{"use":"crop","id":"a","when":"points"}]}"#))
    #expect(!isRecording(#"{"frames":[{"file_path":"a.jpg","transform_matrix":[]}]}"#))
    #expect(!isRecording(#"{"asset":{"version":"2.0"},"id":1,"points":[]}"#))
    #expect(!isRecording(#"{"name":"a","points":[[1,2,3]]}"#))
    #expect(!isRecording("identifiers 1 2 3"))
  }

  @Test func `points without identifiers are points`() throws {
    let cloud = try read(#"{"points":[[1,2,3],[4,5,6]]}"#).scene.pointClouds[0]
    #expect(cloud.positions.count == 2 && cloud.attributes.isEmpty)
  }
}
