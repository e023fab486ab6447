import MeshPipeline
import Testing

@Suite struct ExpectedLossTests {
  @Test(
    arguments: [
      ("", true), (#", "loses": "expected""#, false), (#", "loses": ["textures"]"#, false),
      (#", "loses": ["normals"]"#, true),
    ])
  func `a loss that is expected needs no warning`(key: String, warns: Bool) throws {
    let folder = try TestKit.Folder()
    try folder.write("columns 10", to: "scan.tri")
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [ { "use": "skin" } ],
          "outputs": [ { "path": "\(folder.path)/a.tri"\(key) } ] }
        """, file: "test.json")
    let resolution = document.resolve(
      in: TestKit.environment, for: PipelineRequest(input: folder.file("scan.tri")))
    let warnings = try PipelineRunner(try resolution.get()).run().allWarnings
    #expect(warnings.contains { $0.contains("will be lost") } == warns)
  }
}
