import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct StagesDocumentationTests {
  private let catalogue = StageCatalogue(builtInStages)

  @Test func `a page on the terminal keeps to its width and says everything`() throws {
    for entry in catalogue.entries {
      let text = entry.text(width: 72)
      for parameter in entry.parameters { #expect(text.contains("  \(parameter.name) (")) }
      let prose = text.prefix(upTo: try #require(text.range(of: "Example:")).lowerBound)
      for line in prose.split(separator: "\n") where !line.contains(" (") {
        #expect(line.count <= 72, "\(line)")
      }
    }
  }

  @Test func `the page of a stage is what a reader needs`() throws {
    #expect(
      try #require(StageCatalogue([Sample.self])["sample"]).text(width: 60) == """
        sample: Does nothing, in a way that takes more than one line
        to tell.

        First paragraph with code in it.

        Options:
          depth (length, default "0.05m", at least 0 m)
              How deep.
          mode (fast | slow, default "fast")
              How.
          floor (class, required)
              Which class.
          angle (angle)
              An angle.

        Needs: faces

        Makes: colors, normals

        Example:
          { "use": "sample" }

        Notes:

        - a list

        - of two items

        """)
    #expect(
      try #require(StageCatalogue([Sample.self])["sample"]).markdown().contains(
        "| `depth` | length | `\"0.05m\"` | How deep. At least 0 m. |"))
  }

  private struct Sample: Stage {
    static let summary = "Does nothing, in a way that takes more than one line to tell."
    static let discussion = "First paragraph\nwith `code` in it.\n\n- a **list**\n- of two items"
    static let example = #"{ "use": "sample" }"#
    static let dataFlow = StageDataFlow(needs: [.faces], makes: [.normals, .colors])

    struct Parameters: StageParameters {
      @Parameter("How deep.", in: 0...Double.infinity) var depth = Length(meters: 0.05)
      @Parameter("How.") var mode = Mode.fast
      @Parameter(required: "Which class.", placeholder: ClassLabel("")) var floor: ClassLabel
      @Parameter("An angle.") var angle: Angle? = nil
      init() {}
    }

    enum Mode: String, CaseIterable, ParameterValue { case fast, slow }

    init(_ parameters: Parameters) {}
    func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene { scene }
  }
}
