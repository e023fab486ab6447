import Foundation
import MeshTestSupport
import Testing

/// The formatter asks for documentation everywhere except in stages and settings.
///
/// The parameters of a stage and the settings of a run are documented by their help, other members of a stage by the
/// protocol.
struct FormatterRuleTests {
  @Test(arguments: ["Stages", "MeshPipeline/Settings"])
  func `what has its help has the formatter's other rules`(folder: String) throws {
    let rule = "\"AllPublicDeclarationsHaveDocumentation\": "
    let all = try Checkout.text(".swift-format")
    #expect(all.contains(rule + "true"))
    #expect(
      try Checkout.text("Sources/\(folder)/.swift-format")
        == all.replacingOccurrences(of: rule + "true", with: rule + "false"))
  }
}
