import MeshPipeline
import MeshTestSupport
import Testing

@testable import Captures

/// The recipe and the summary of a bundle's manifest.
struct BundleRecipeTests {
  /// Frames 10 to 60, one each half second from 1,000 s on.
  private static func recipe(_ manifest: String) -> Capture.Recipe? {
    let records = (0...50).compactMap { index in
      FramesBundleRecord(
        line: #"{ "frame_idx": \#(index + 10), "timestamp": \#(1000 + Double(index) / 2) }"#,
        place: index)
    }
    let json = JSONReader.read(Array(manifest.utf8)).value ?? [:]
    return FramesBundleRecipe(json, path: "room/manifest.json", records)?.recipe
  }

  private static func steps(_ list: String, _ more: String = "") -> Capture.Recipe? {
    recipe(#"{ "recipe": { "steps": [\#(list)]\#(more) } }"#)
  }

  @Test func `times are seconds of the recording or of the frames' clock, or numbers of frames`() {
    for list in [
      #"{ "name": "background", "start": 0, "end": 3 }, { "name": "hidden", "start": 4, "end": 9 }"#,
      #"{ "name": "background", "start": 1000, "end": 1003 }, { "name": "hidden", "start": 1004, "end": 1009 }"#,
      #"{ "name": "background", "first_frame": 10, "last_frame": 16 }, { "name": "hidden", "first_frame": 18, "last_frame": 28 }"#,
    ] {
      let recipe = Self.steps(list)
      #expect(
        recipe?.steps == [
          .init(name: "background", times: 1000...1003), .init(name: "hidden", times: 1004...1009),
        ])
      #expect(recipe?.background == ["background"] && recipe?.hidden == ["hidden"])
      #expect(recipe?.faults == [] && recipe?.times == 1000...1009)
    }
  }

  @Test func `the recipe says which step is which`() {
    let list = #"{ "name": "a", "start": 0, "end": 3 }, { "name": "b", "start": 4, "end": 9 }"#
    let recipe = Self.steps(list, #", "background": "a", "hidden": ["b"]"#)
    #expect(recipe?.background == ["a"] && recipe?.hidden == ["b"] && recipe?.faults == [])
  }

  @Test(arguments: [
    (
      #"{ "name": "clear", "start": 0, "end": 3 }"#, #", "hidden": "cleer""#,
      "'recipe.hidden' names the step 'cleer', which 'recipe.steps' does not have; did you mean 'clear'?"
    ),
    (
      #"{ "name": "clear", "start": 0, "end": 3 }"#, #", "hidden": "shutter""#,
      "'recipe.hidden' names the step 'shutter', which 'recipe.steps' does not have; it has 'clear'"
    ),
    (#"{ "name": "a", "start": 3, "end": 0 }"#, "", "the step 'a' has neither 'start' and 'end'"),
    (#"{ "start": 3, "end": 0 }"#, "", "a step of the recipe has no name"),
    (
      #"{ "name": "late", "start": 40, "end": 45 }"#, "",
      "the step 'late' has no frame with a time; the recording lasts 25.0 s and has 51 of them"
    ),
    (
      #"{ "name": "a", "start": 0, "end": 1 }, { "name": "a", "start": 2, "end": 3 }"#, "",
      "the recipe has two steps 'a'"
    ),
  ])
  func `a step that does not exist is told with its place`(
    list: String, more: String, message: String
  ) throws {
    let faults = try #require(Self.steps(list, more)?.faults)
    #expect(faults.count == 1)
    #expect(
      faults[0].hasPrefix("room/manifest.json:1:") && faults[0].contains(message), "\(faults)")
  }

  @Test func `a step without frames is none`() {
    let recipe = Self.steps(#"{ "name": "hidden", "start": 40, "end": 45 }"#)
    #expect(recipe?.steps == [] && recipe?.hidden == ["hidden"])
    #expect(recipe?.steps(named: ["hidden"]) == [])
  }

  @Test func `claims are those of the summary, or of qc`() throws {
    for key in ["summary", "qc"] {
      let recipe = try #require(
        Self.recipe(
          "{\n  \"\(key)\": { \"brightness\": [1, 2], \"separation_mm\": 61.5, \"passed\": true, \"dwell_s\": \"5\" } }"
        ))
      #expect(recipe.claims.map(\.subject) == [.separation, .passed])
      #expect(recipe.claims.map(\.value) == [61.5, 1])
      #expect(recipe.claims[0].place.hasPrefix("room/manifest.json:2:"))
      #expect(recipe.faults.count == 1)
      #expect(recipe.faults[0].contains("'\(key).dwell_s' is a string, not a number"))
    }
  }

  @Test func `other manifests say nothing`() {
    for text in ["{}", #"{ "recipe": "occlusion" }"#, #"{ "qc": { "brightness": [0.5, 1e2] } }"#] {
      #expect(Self.recipe(text) == nil)
    }
    #expect(Self.recipe(#"{ "recipe": 3 }"#)?.faults.count == 1)
    #expect(Self.recipe(#"{ "recipe": { "steps": {} } }"#)?.faults.count == 1)
    let many = (0...1000).map { #"{ "name": "\#($0)", "start": 0, "end": 1 }"# }
    #expect(Self.steps(many.joined(separator: ","))?.faults.count == 1)
    let names = many.map { _ in "\"other\"" }.joined(separator: ",")
    #expect(Self.steps(many[0], ", \"hidden\": [\(names)]")?.faults.count == 1)
  }

  @Test func `a bundle that is read has its recipe`() throws {
    let fixture = try CaptureFixture()
    try fixture.writeFramesBundle(
      manifest: #"{ "recipe": { "steps": [{ "name": "hidden", "start": 0, "end": 1 }] } }"#)
    let recipe = try fixture.read().scan.capture.origin?.recipe
    #expect(recipe?.steps == [.init(name: "hidden", times: 0...1)])
  }
}
