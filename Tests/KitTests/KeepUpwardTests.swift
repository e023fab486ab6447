import MeshTestSupport
import MeshpipeKit
import Testing

/// The stage of the article on writing stages does what the article says.
struct KeepUpwardTests {
  /// A floor of two faces of half a square metre, and a wall.
  private static let scene = Scene(meshes: [
    Mesh(
      positions: [
        Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(1, 0, 1), Vector3(0, 1, 0),
      ],
      indices: [0, 2, 1, 1, 2, 3, 0, 1, 4])
  ])

  private func runner(
    _ stage: String, to folder: TemporaryFolder
  ) throws -> PipelineRunner {
    let document = PipelineDocument(stages: [stage])
    let request = PipelineRequest(output: folder.path + "/out.ply")
    return PipelineRunner(try document.resolve(in: environment, for: request).get())
  }

  private let environment = PipelineEnvironment.standard(stages: builtInStages + [KeepUpward.self])

  @Test func `the article shows this very file`() throws {
    let article = try Checkout.text("Sources/MeshpipeKit/MeshpipeKit.docc/WritingStages.md")
    let stage = try Checkout.text("Tests/KitTests/KeepUpward.swift")
    #expect(article.contains("```swift\n\(stage)```"))
  }

  @Test func `a pipeline knows it by its name and checks its parameters`() throws {
    let report = try runner("keep-upward tolerance=5deg", to: TemporaryFolder()).run(on: Self.scene)
    #expect(report.stages.first?.after.faces == 2 && report.stages.first?.after.vertices == 4)
    #expect(report.stages.first?.notes.map(\.key) == ["keptArea"])
    #expect(report.stages.first?.notes.first?.value == Area(squareMeters: 1).json)
    let told = PipelineDocument(stages: ["keep-upward tolerance=100deg"]).resolve(in: environment)
      .errors.map(\.message)
    #expect(told.contains { $0.contains("'tolerance' of stage 'keep-upward'") }, "\(told)")
    let unknown = PipelineDocument(stages: ["keep-upward"]).resolve(in: .standard).errors
    #expect(unknown.contains { $0.message.contains("'keep-upward'") }, "\(unknown)")
  }

  @Test func `too little is an error with the way out`() throws {
    let failure = try #require(throws: RunFailure.self) {
      try runner("keep-upward minimumArea=2m2", to: TemporaryFolder()).run(on: Self.scene)
    }
    #expect(failure.message.contains("only 1.0 m² point up"), "\(failure.message)")
    #expect(failure.exitCode == .data)
  }
}
