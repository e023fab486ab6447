import MeshTestSupport
import Testing

/// Folders import what lies below them.
///
/// CLibraries ← NativeLibraries ← SurfaceKernels ← Photogrammetry ← Captures ← Formats; beside these two Plugins and
/// Rendering ← Stages and Batch ← MeshpipeCommand ← meshpipe, where SurfaceKernels are for Photogrammetry and Stages only.
/// MeshpipeBase ← MeshpipeScene ← MeshPipeline are under all of them, except that SurfaceKernels
/// import no pipeline; POSIX, the system, is under everything.
struct ImportRuleTests {
  /// What the files of a folder may import besides the system.
  static let allowed: [(folder: String, modules: Set<String>)] = [
    ("POSIX", ["Glibc", "Darwin"]),
    // The handler of a signal can't be written in Swift.
    ("MeshpipeBase", ["CMemory", "CArguments"]),
    ("MeshpipeScene", ["MeshpipeBase"]),
    ("MeshPipeline", ["MeshpipeBase", "MeshpipeScene"]),
    ("NativeLibraries", ["MeshPipeline"]),
    ("Formats", ["MeshPipeline", "NativeLibraries", "Captures"]),
    ("SurfaceKernels", ["MeshpipeBase", "MeshpipeScene", "NativeLibraries"]),
    ("Photogrammetry", ["MeshPipeline", "NativeLibraries", "SurfaceKernels"]),
    ("Captures", ["MeshPipeline", "NativeLibraries", "Photogrammetry"]),
    (
      "Stages",
      ["MeshPipeline", "NativeLibraries", "SurfaceKernels", "Photogrammetry", "Rendering"]
    ),
    ("Plugins", ["MeshPipeline", "NativeLibraries"]),
    ("Rendering", ["MeshPipeline", "NativeLibraries"]),
    ("Batch", ["MeshPipeline", "NativeLibraries", "Captures", "Rendering"]),
    (
      "MeshpipeCommand",
      [
        "MeshPipeline", "NativeLibraries", "Formats", "Captures", "Stages", "Plugins", "Rendering",
        "Batch",
      ]
    ),
    ("meshpipe", ["MeshpipeCommand", "Stages"]),
  ]
  static let system: Set<String> = [
    "POSIX", "Dispatch", "Synchronization", "Swift", "_Concurrency",
  ]

  @Test(arguments: allowed.map(\.folder))
  func `a folder imports what lies below it, and no Foundation`(folder: String) throws {
    let allowed = try #require(Self.allowed.first { $0.folder == folder }).modules
    let files = try swiftFiles(under: "Sources/\(folder)/")
    #expect(!files.isEmpty)
    for file in files {
      for line in try imports(of: file) {
        let fits =
          Self.system.contains(line.module) || allowed.contains(line.module)
          || (folder == "NativeLibraries" && Self.isCModule(line.module))
        #expect(fits, "\(file) imports \(line.module)")
      }
    }
  }

  @Test func `C modules stay inside the modules that import them`() throws {
    for file in try ["NativeLibraries", "MeshpipeBase"].flatMap({
      try swiftFiles(under: "Sources/\($0)/")
    }) {
      for line in try imports(of: file) where Self.isCModule(line.module) {
        #expect(line.access == "internal", "\(file): write 'internal import \(line.module)'")
      }
    }
  }

  @Test func `every folder of Sources is under the rule`() throws {
    let folders = Set(
      try Checkout.trackedFiles().filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        .compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) })
    #expect(folders == Set(Self.allowed.map(\.folder)))
  }

  /// Modules of C libraries are named `C…`: `CAssimp`.
  static func isCModule(_ name: String) -> Bool {
    let start = name.prefix(2)
    return start.count == 2 && start.first == "C" && start.allSatisfy(\.isUppercase)
  }

  private func swiftFiles(under folder: String) throws -> [String] {
    try Checkout.trackedFiles().filter { $0.hasPrefix(folder) && $0.hasSuffix(".swift") }
  }

  private func imports(of file: String) throws -> [(access: String, module: String)] {
    try Checkout.text(file).split(separator: "\n").compactMap { line in
      // Further in stand programs of other languages, as texts.
      if line.hasPrefix("    ") { return nil }
      let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }.map(String.init)
      guard let place = words.prefix(2).firstIndex(of: "import"), words.count > place + 1 else {
        return nil
      }
      let kinds: Set = ["struct", "class", "enum", "protocol", "func", "var", "typealias"]
      let name = kinds.contains(words[place + 1]) ? words.last ?? "" : words[place + 1]
      return (
        access: place == 0 ? "" : words[0],
        module: String(name.prefix { $0 != "." && $0 != ";" })
      )
    }
  }
}
