import Foundation
import MeshTestSupport
import Testing

/// The documentation as a site.
struct SiteTests {
  private static let mkdocs = Checkout.path(".build/site-venv/bin/mkdocs")

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: mkdocs),
      "needs MkDocs: `make site` sets it up"))
  func `MkDocs finds no dead link, and the site asks no other host for anything`() throws {
    let folder = try TemporaryFolder()
    let build = try Program.run(
      Self.mkdocs, ["build", "--strict", "--quiet", "--site-dir", folder.path], in: Checkout.root,
      environment: ["NO_MKDOCS_2_WARNING": "1"])
    #expect(build.status == 0, "\(build.errors)")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    var pages = 0
    for case let name as String in files where name.hasSuffix(".html") {
      pages += 1
      let text = try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8)
      for match in text.matches(of: /<(?:script|img|iframe)[^>]*src="?(https?:)?\/\/[^>]*>/) {
        Issue.record("\(name): \(match.0)")
      }
      for match in text.matches(of: /<link[^>]*rel="?(?:stylesheet|preconnect|icon)"?[^>]*>/)
      where match.0.contains("//") {
        Issue.record("\(name): \(match.0)")
      }
    }
    #expect(pages >= 40)
  }
}
