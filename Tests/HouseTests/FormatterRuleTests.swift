import Foundation
import MeshTestSupport
import Testing

/// The formatter asks for documentation everywhere except in stages.
///
/// The parameters of a stage are documented by their help, its other members by the protocol.
struct FormatterRuleTests {
  @Test func `stages have the formatter's rules except the one about documentation`() throws {
    let rule = "\"AllPublicDeclarationsHaveDocumentation\": "
    let all = try Checkout.text(".swift-format")
    #expect(all.contains(rule + "true"))
    #expect(
      try Checkout.text("Sources/Stages/.swift-format")
        == all.replacingOccurrences(of: rule + "true", with: rule + "false"))
  }
}
