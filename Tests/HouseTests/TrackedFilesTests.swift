import Foundation
import MeshTestSupport
import Testing

/// What holds for every file of the project.
struct TrackedFilesTests {
  @Test func `no file names a place on somebody's machine`() throws {
    let places = ["/" + "work/", "/" + "home/", "/" + "Users/", "/" + "root/"]
    for (file, text) in try texts() {
      for place in places where text.contains(place) {
        Issue.record("\(file) contains \(place)")
      }
    }
  }

  @Test func `no file has the marks of a merge, tabs for blanks, or loose ends`() throws {
    let marks = ["<<<<" + "<<< ", ">>>>" + ">>> "]
    for (file, text) in try texts() where !file.contains("/Broken/") && !file.contains("/Corpus/") {
      #expect(!marks.contains { text.contains("\n" + $0) }, "\(file) has marks of a merge")
      #expect(text.isEmpty || text.hasSuffix("\n"), "\(file) lacks its last newline")
      #expect(!text.contains(" \n"), "\(file) has blanks at the end of a line")
      #expect(!text.contains("\r"), "\(file) has carriage returns")
      // Makefiles need them, and pages that show one.
      let mayHaveTabs = file.hasSuffix("Makefile") || file.hasSuffix(".md")
      #expect(mayHaveTabs || !text.contains("\t"), "\(file) has tabs")
    }
  }

  @Test func `what begins with #! can be run`() throws {
    for (file, text) in try texts() where text.hasPrefix("#!") {
      #expect(
        FileManager.default.isExecutableFile(atPath: Checkout.path(file)),
        "\(file) is not executable")
    }
  }

  @Test func `no file is too large to look at`() throws {
    for file in try Checkout.trackedFiles() {
      let size =
        try FileManager.default.attributesOfItem(atPath: Checkout.path(file))[.size] as? Int ?? 0
      #expect(size < 2_000_000, "\(file) has \(size) bytes")
    }
  }

  /// The project's texts by path, without generated and binary ones.
  private func texts() throws -> [(file: String, text: String)] {
    let written: Set = ["swift", "md", "json", "py", "sh", "txt", "h", "c", "cpp", "modulemap", ""]
    return try Checkout.trackedFiles().filter { file in
      let name = file.split(separator: "/").last ?? ""
      return written.contains(
        name.contains(".") ? String(name.split(separator: ".").last ?? "") : "")
    }.map { ($0, try Checkout.text($0)) }
  }
}
