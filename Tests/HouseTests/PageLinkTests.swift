import Foundation
import MeshTestSupport
import Testing

/// Links between the pages lead somewhere.
struct PageLinkTests {
  @Test func `every relative link leads to a file of the project`() throws {
    let files = Set(try Checkout.trackedFiles())
    for page in files where page.hasSuffix(".md") {
      let folder = page.split(separator: "/").dropLast().map(String.init)
      for target in links(in: try Checkout.text(page)) where !target.contains(":") {
        let path = target.prefix { $0 != "#" }
        if path.isEmpty { continue }
        let resolved = resolve(path.split(separator: "/").map(String.init), from: folder)
        let isThere = files.contains(resolved) || files.contains { $0.hasPrefix(resolved + "/") }
        #expect(isThere, "\(page) links to \(target)")
      }
    }
  }

  @Test func `every anchor leads to a heading`() throws {
    let pages = try Checkout.trackedFiles().filter { $0.hasSuffix(".md") }
    for page in pages {
      let folder = page.split(separator: "/").dropLast().map(String.init)
      for target in links(in: try Checkout.text(page))
      where target.contains("#") && !target.contains(":") {
        let parts = target.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let file =
          parts[0].isEmpty
          ? page : resolve(parts[0].split(separator: "/").map(String.init), from: folder)
        guard pages.contains(file) else { continue }
        #expect(
          anchors(of: try Checkout.text(file)).contains(parts[1]), "\(page) links to \(target)")
      }
    }
  }

  /// The targets of links and images.
  private func links(in text: String) -> [String] {
    text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
  }

  private func resolve(_ path: [String], from folder: [String]) -> String {
    var parts = folder
    for part in path {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The names that headings get: lower case, hyphens for spaces, nothing else but letters and digits.
  private func anchors(of text: String) -> Set<String> {
    Set(
      text.split(separator: "\n").filter { $0.hasPrefix("#") }.map { heading in
        heading.drop { $0 == "#" || $0 == " " }.lowercased()
          .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }
}
