import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// What lower floors must not know of higher ones, where it is words instead of imports.
struct LowerFloorTests {
  @Test(arguments: ["SurfaceKernels", "Photogrammetry"])
  func `kernels make no JSON and no reports`(module: String) throws {
    for file in try swiftFiles(under: "Sources/\(module)/") {
      let names = SourceNames(try Checkout.text(file))
      for name in ["JSONValue", "StageContext"] {
        #expect(!names.used.contains(name), "\(file) names \(name)")
      }
      #expect(!names.accessed.contains("json"), "\(file) makes JSON")
    }
  }

  @Test(arguments: ["MeshpipeBase", "MeshpipeScene", "MeshPipeline"])
  func `the core names no stage and no format`(module: String) throws {
    for file in try swiftFiles(under: "Sources/\(module)/") {
      for leaf in Self.leaves(in: try Checkout.text(file)) {
        #expect(Self.ownWords.contains(leaf), "\(file) names '\(leaf)'")
      }
    }
  }

  @Test func `leaves are found in texts, and not in comments`() {
    let text = """
      /// Such as `decimate`.
      let snippet = "${1:decimate}", center = "weld the rest"
      \"use\": \"fill-holes\" // weld
      \"give '${stem}.glb'\"
      """
    #expect(Self.leaves(in: text) == ["decimate", "weld", "fill-holes", "glb"])
  }

  /// Ids that mean something else in the core: the key of an input's placement, that of a shape's middle, what is in the
  /// names of Apple's files of rooms, the mesh that an option's help names, and plain words.
  private static let ownWords: Set = [
    "transform", "center", "other", "x", "roomplan", "obj", "compare", "measure",
  ]

  private static let ids = Set(builtInStages.map { $0.name } + builtInFormats.map { $0.id })

  /// The names of stages and formats in the texts of a source file, line by line: what stands between quotes.
  private static func leaves(in text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n")).flatMap { line -> [String] in
      let line = line.drop { $0 == UInt8(ascii: " ") }
      if line.starts(with: "//".utf8) { return [] }
      let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      return parts.indices.filter { $0 % 2 == 1 }.flatMap { index in
        parts[index].split { !isOfID($0) }.map { String(decoding: $0, as: UTF8.self) }
          .filter(ids.contains)
      }
    }
  }

  private static func isOfID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private func swiftFiles(under folder: String) throws -> [String] {
    let files = try Checkout.trackedFiles().filter {
      $0.hasPrefix(folder) && $0.hasSuffix(".swift")
    }
    #expect(!files.isEmpty)
    return files
  }
}
