import MeshTestSupport
import Testing

/// Modules import what lies below them; the picture of that is in CONTRIBUTING.md.
struct ImportRuleTests {
  private static let core: Set = ["MeshpipeBase", "MeshpipeScene"]

  /// What the files of a module may import besides the system.
  static let allowed: [(module: String, imports: Set<String>)] = [
    ("POSIX", ["Glibc", "Darwin"]),
    // The handler of a signal can't be written in Swift, and everything that is hashed is above.
    ("MeshpipeBase", ["CMemory", "CArguments", "CRevision", "CNettle"]),
    ("MeshpipeScene", ["MeshpipeBase"]),
    ("NativeLibraries", core),
    ("SurfaceKernels", core.union(["NativeLibraries"])),
    ("Photogrammetry", core.union(["NativeLibraries", "SurfaceKernels"])),
    ("Rendering", core.union(["NativeLibraries"])),
    ("MeshPipeline", core),
    ("Workers", core.union(["NativeLibraries", "MeshPipeline"])),
    ("Captures", ["MeshPipeline", "NativeLibraries"]),
    ("Formats", ["MeshPipeline", "NativeLibraries", "Rendering", "Workers", "Captures"]),
    ("Plugins", ["MeshPipeline", "NativeLibraries", "Workers"]),
    (
      "Stages",
      [
        "MeshPipeline", "NativeLibraries", "Captures", "SurfaceKernels", "Photogrammetry",
        "Rendering",
      ]
    ),
    ("ReportPage", ["MeshPipeline", "NativeLibraries", "SurfaceKernels", "Rendering"]),
    ("Batch", ["MeshPipeline", "NativeLibraries", "Captures", "Rendering", "ReportPage"]),
    (
      "MeshpipeKit",
      [
        "MeshpipeBase", "MeshPipeline", "NativeLibraries", "Workers", "Captures", "Formats",
        "Photogrammetry", "Plugins", "Rendering", "Stages",
      ]
    ),
    (
      "MeshpipeCommand",
      ["MeshPipeline", "NativeLibraries", "Workers", "ReportPage", "MeshpipeKit", "Batch"]
    ),
    ("meshpipe", ["MeshpipeCommand"]),
  ]
  /// Modules that stand without others, however far down these are: algorithms without the engine, and formats
  /// without algorithms.
  private static let apart: [(module: String, from: Set<String>)] = [
    ("NativeLibraries", ["MeshPipeline"]), ("SurfaceKernels", ["MeshPipeline"]),
    ("Photogrammetry", ["MeshPipeline"]), ("Rendering", ["MeshPipeline"]),
    ("MeshPipeline", ["NativeLibraries"]),
    ("Captures", ["SurfaceKernels", "Photogrammetry"]),
    ("Formats", ["SurfaceKernels", "Photogrammetry"]),
  ]
  private static let modulesOfLibraries: Set = ["NativeLibraries", "Workers"]
  static let system: Set<String> = [
    "POSIX", "Dispatch", "Synchronization", "Swift", "_Concurrency",
  ]

  @Test(arguments: allowed.map(\.module))
  func `a module imports what lies below it, and no Foundation`(module: String) throws {
    let allowed = try #require(Self.allowed.first { $0.module == module }).imports
    let files = try Self.swiftFiles(of: module)
    #expect(!files.isEmpty)
    for file in files {
      for line in try Self.imports(of: file) {
        let fits =
          Self.system.contains(line.module) || allowed.contains(line.module)
          || (Self.modulesOfLibraries.contains(module) && Self.isCModule(line.module))
        #expect(fits, "\(file) imports \(line.module)")
      }
    }
  }

  @Test(arguments: apart.map(\.module))
  func `a module stands without others, through whatever it imports`(module: String) throws {
    let others = try #require(Self.apart.first { $0.module == module }).from
    #expect(try ModuleLadder().reached(from: module).isDisjoint(with: others))
  }

  @Test func `the modules are a ladder, drawn in CONTRIBUTING`() throws {
    let ladder = try ModuleLadder()
    for module in ladder.imports.keys {
      #expect(!ladder.reached(from: module).contains(module), "\(module) imports itself")
    }
    let drawing = ladder.drawing
    #expect(
      try Checkout.text("CONTRIBUTING.md").contains("```\n\(drawing)\n```"),
      "the imports draw:\n\(drawing)")
  }

  @Test func `a ladder reaches far, and draws what is not implied`() {
    let ladder = ModuleLadder(imports: ["A": [], "B": ["A"], "Long": ["A", "B"], "C": ["A"]])
    #expect(ladder.reached(from: "Long") == ["A", "B"])
    #expect(ladder.floors == [["A"], ["B", "C"], ["Long"]])
    #expect(ladder.drawing == "Long → B\nB    → A\nC    → A\nA")
    #expect(ModuleLadder(imports: ["A": ["B"], "B": ["A"]]).reached(from: "A").contains("A"))
  }

  @Test func `C modules stay inside the modules that import them`() throws {
    for file in try Self.modulesOfLibraries.union(["MeshpipeBase"]).sorted().flatMap({
      try Self.swiftFiles(of: $0)
    }) {
      for line in try Self.imports(of: file) where Self.isCModule(line.module) {
        #expect(line.access == "internal", "\(file): write 'internal import \(line.module)'")
      }
    }
  }

  @Test func `every module is under the rule`() throws {
    let folders = Set(
      try Checkout.trackedFiles().filter { $0.hasPrefix("Sources/") && $0.hasSuffix(".swift") }
        .compactMap { $0.split(separator: "/").dropFirst().first.map(String.init) })
    #expect(folders == Set(Self.allowed.map(\.module)))
  }

  /// Modules of C libraries are named `C…`: `CAssimp`.
  static func isCModule(_ name: String) -> Bool {
    let start = name.prefix(2)
    return start.count == 2 && start.first == "C" && start.allSatisfy(\.isUppercase)
  }

  static func swiftFiles(of module: String) throws -> [String] {
    try Checkout.trackedFiles().filter {
      $0.hasPrefix("Sources/\(module)/") && $0.hasSuffix(".swift")
    }
  }

  static func imports(of file: String) throws -> [(access: String, module: String)] {
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
