import MeshTestSupport
import Testing

/// Tests lie where the sources lie that they test: `Tests/StagesTests` beside `Sources/Stages`.
struct TestMirrorTests {
  /// Modules without tests of their own: the names of the C library, and the call of the command.
  private static let withoutTests: Set = ["POSIX", "meshpipe"]
  /// Its imports say little: `MeshPipeline` passes these on, and the command runs as a process.
  private static let withoutImport: Set = ["MeshpipeScene", "MeshpipeCommand"]

  private static var modules: [String] {
    ImportRuleTests.allowed.map(\.module).filter { !withoutTests.contains($0) }
  }

  /// The folder of a module's tests, which leaves out what all names begin with: `PipelineTests`.
  private static func folder(of module: String) -> String {
    let prefix = ["Meshpipe", "Mesh"].first { module.hasPrefix($0) } ?? ""
    return module.dropFirst(prefix.count) + "Tests"
  }

  /// A file of tests, with the folder that it lies in and the name of what it tests.
  private struct TestFile {
    var path: String
    var folder: String
    var subject: String
  }

  private static func testFiles() throws -> [TestFile] {
    try Checkout.trackedFiles().compactMap { path in
      let parts = path.split(separator: "/").map(String.init)
      guard parts.count > 2, parts[0] == "Tests", let name = parts.last,
        let match = name.wholeMatch(of: /(\w+)Tests(\+\w+)?\.swift/)
      else { return nil }
      return TestFile(path: path, folder: parts[1], subject: String(match.1))
    }
  }

  @Test func `every module has a folder of tests`() throws {
    let folders = Set(try Self.testFiles().map(\.folder)).subtracting(["HouseTests"])
    #expect(folders == Set(Self.modules.map(Self.folder)))
  }

  @Test(arguments: modules.filter { !withoutImport.contains($0) })
  func `tests use the module that they lie with`(module: String) throws {
    for file in try Self.testFiles() where file.folder == Self.folder(of: module) {
      let imports = try ImportRuleTests.imports(of: file.path).map(\.module)
      #expect(
        imports.contains(module),
        "\(file.path) does not import \(module): does it belong to a lower one?")
    }
  }

  /// Higher modules are tested with what comes from below: `StagesTests/TangentTests`.
  @Test func `tests of a file lie with its module, or with one that uses it`() throws {
    let ladder = try ModuleLadder()
    var homes: [String: Set<String>] = [:]
    for file in try Checkout.trackedFiles() where file.hasPrefix("Sources/") {
      let parts = file.split(separator: "/")
      guard let name = parts.last, name.hasSuffix(".swift") else { continue }
      homes[String(name.dropLast(6)), default: []].insert(String(parts[1]))
    }
    for file in try Self.testFiles() {
      guard let modules = homes[file.subject],
        let home = Self.modules.first(where: { Self.folder(of: $0) == file.folder })
      else { continue }
      // All of MeshPipeline, MeshpipeScene and MeshpipeBase is seen through the first.
      let isCore = ["MeshPipeline", "MeshpipeScene", "MeshpipeBase"].contains(home)
      let usable = isCore ? [] : ladder.reached(from: home)
      #expect(
        modules.contains(home) || !modules.isDisjoint(with: usable),
        "\(file.path) tests \(modules.sorted().joined(separator: ", "))")
    }
  }
}
