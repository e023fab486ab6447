import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// `docs/stages.md`, and a page for each stage in `docs/stages`.
struct StagePagesDocumentationTests {
  private let catalogue = StageCatalogue(builtInStages)
  private let note =
    "<!-- Made from the declarations in Sources/Stages by `make docs`; changes belong there. -->"

  @Test func `the list of stages is current`() throws {
    try expectGeneratedPage(
      "docs/stages.md",
      holds: """
        # Stages

        The steps that a pipeline can be made of. Each takes the scene of the step before it and passes \
        on its own. `meshpipe stages NAME` prints the page of a stage on the terminal. Lengths are metres \
        (`0.02`) or carry a unit (`"2cm"`, `"5mm"`); angles are degrees (`30`, `"30deg"`) or radians \
        (`"0.5rad"`); shares are percentages (`"20%"`).

        \(note)

        \(catalogue.markdown)
        """)
  }

  @Test func `the page of each stage is current`() throws {
    for entry in catalogue.entries {
      let figure = StageFigure.all.first { $0.stage == entry.name }
      try expectGeneratedPage(
        "docs/stages/\(entry.name).md",
        holds: entry.markdown(figure: (figure.map { $0.markdown + "\n\n" } ?? "") + note))
    }
  }

  @Test(.enabled(if: ProcessInfo.processInfo.environment["MESHPIPE_UPDATE_DOCS"] != "1"))
  func `there is no page of a stage that is gone`() throws {
    let pages = try Checkout.trackedFiles().filter { $0.hasPrefix("docs/stages/") }
    #expect(Set(pages) == Set(catalogue.entries.map { "docs/stages/\($0.name).md" }))
  }
}
