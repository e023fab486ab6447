import Foundation
import MeshTestSupport
import MeshpipeKit
import Testing

/// The Swift code of all pages and articles compiles.
struct ArticleTests {
  /// A block of Swift in a page.
  private struct Block {
    var page: String
    var text: String

    /// Whether the text is a package's manifest.
    var isManifest: Bool { text.contains("import PackageDescription") }

    static func all() throws -> [Block] {
      try Checkout.trackedFiles().filter { $0.hasSuffix(".md") }.flatMap { page in
        try Checkout.text(page).matches(of: /(?m)^```swift\n((?:.*\n)*?)```$/).map {
          Block(page: page, text: String($0.1))
        }
      }
    }
  }

  /// The folder of the build that the tests are from.
  private static let build = URL(filePath: Program.meshpipe).deletingLastPathComponent().path

  @Test func `the reference and the page on the library have code`() throws {
    let pages = Dictionary(grouping: try Block.all(), by: \.page).mapValues(\.count)
    let articles = "Sources/MeshpipeKit/MeshpipeKit.docc/"
    for (page, count) in [
      ("docs/library.md", 3), (articles + "MeshpipeKit.md", 1), (articles + "Embedding.md", 5),
      (articles + "WritingStages.md", 4),
    ] {
      #expect(pages[page] == count, "\(page)")
    }
  }

  @Test func `the example package is the one that the page shows`() throws {
    let example = try Checkout.text("examples/swift-embedding/Sources/studio/main.swift")
    #expect(try Block.all().contains { $0.page == "docs/library.md" && $0.text == example })
  }

  @Test func `every block compiles by itself, without a warning`() throws {
    for block in try Block.all() {
      let check = try block.isManifest ? describe(block) : compile(block)
      #expect(check.status == 0, "\(block.page):\n\(block.text)\n\(check.errors)\(check.output)")
    }
  }

  /// Type checks a block as the main file of a program.
  private func compile(_ block: Block) throws -> Program {
    let folder = try TemporaryFolder()
    let maps = try FileManager.default.contentsOfDirectory(atPath: Self.build)
      .filter { $0.hasPrefix("C") && $0.hasSuffix(".build") }
      .map { "\(Self.build)/\($0)/module.modulemap" }
    let own = try Checkout.trackedFiles().filter { $0.hasSuffix("/module.modulemap") }
      .map(Checkout.path)
    let options = (maps.filter(FileManager.default.fileExists) + own).flatMap {
      ["-Xcc", "-fmodule-map-file=\($0)"]
    }
    return try Program.run(
      Checkers.program("swiftc"),
      ["-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", Self.build + "/Modules"]
        + options + [folder.write("main.swift", block.text)])
  }

  /// Has SwiftPM describe the package of a manifest.
  private func describe(_ block: Block) throws -> Program {
    let folder = try TemporaryFolder()
    try folder.write("Package.swift", block.text)
    return try Program.run(
      Checkers.program("swift"),
      [
        "package", "--package-path", folder.path, "--scratch-path", folder.path + "/build",
        "dump-package",
      ])
  }
}
