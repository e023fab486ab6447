import MeshTestSupport
import Testing

/// Who names whom inside a module, where imports say nothing.
struct FolderArrowTests {
  /// The folders of a module from the ground up: each names what lies on a lower floor, and nothing else.
  static let floors: [(module: String, floors: [[String]])] = [
    ("MeshpipeScene", [["Geometry"], ["Geodesy"], ["Plans"], ["Scene"], ["Looks"]]),
    (
      "MeshPipeline",
      [
        ["Exports"], ["Stage"], ["Provenance"], ["Formats"], ["CaptureReading"], ["Settings"],
        ["Pipeline"],
        ["Build"],
      ]
    ),
    (
      "MeshpipeCommand",
      [
        ["Terminal"], ["Arguments", "Process"], ["Delivery"], ["Running"], ["Verbs"], ["Commands"],
      ]
    ),
  ]

  @Test(arguments: floors.map(\.module))
  func `a folder names only what lies below it`(module: String) throws {
    let floors = try #require(Self.floors.first { $0.module == module }).floors
    let files = try SourceFolders(ofModule: module)
    #expect(
      files.folders == Set(floors.joined()), "a folder without a floor, or the other way round")
    let above = files.arrows.filter { arrow in
      let from = floors.firstIndex { $0.contains(arrow.from) } ?? 0
      let to = floors.firstIndex { $0.contains(arrow.to) } ?? 0
      return from <= to
    }
    #expect(above.map(\.description) == [])
  }

  @Test(arguments: ImportRuleTests.allowed.map(\.module))
  func `the folders of a module make no circle`(module: String) throws {
    #expect(try SourceFolders(ofModule: module).arrowsInCircles.map(\.description) == [])
  }

  @Test(arguments: try SourceFolders.foldersOfFolders())
  func `the folders in a folder make no circle`(folder: String) throws {
    let arrows = try SourceFolders(inFolder: "Sources/\(folder)/").arrowsInCircles(ofFolders: true)
    #expect(arrows.map(\.description) == [])
  }

  @Test func `an arrow upwards is found, and a circle`() {
    let files = SourceFolders(files: [
      ("Low/A.swift", "struct A { var b: B }\nfunc low(_ x: Int) {}"),
      (
        "High/B.swift",
        "/// A\npublic struct B {}\nextension String { var asShownToAll: A { A() } }"
      ),
      ("High/C.swift", "struct C { let text = \"A \\(low(1))\" }"),
      ("Low/D.swift", "func d() { print(\"\".asShownToAll) }"),
    ])
    #expect(
      files.arrows.map(\.description) == [
        "High/B.swift names A of Low/A.swift", "High/C.swift names low of Low/A.swift",
        "Low/A.swift names B of High/B.swift", "Low/D.swift names asShownToAll of High/B.swift",
      ])
    #expect(files.arrowsInCircles.count == 4)
  }

  @Test func `comments and texts name nothing, and what texts interpolate does`() {
    let names = SourceNames(
      """
      // One
      /* Two /* Three */ Four */
      let text = "Five \\(Six("Seven")) Eight", raw = #"Nine \\(Ten) \\#(Eleven)"#
      """)
    #expect(names.used.subtracting(["let", "text", "raw"]) == ["Six", "Eleven"])
  }
}

/// The files of a module by folder, with the names between them.
struct SourceFolders {
  /// A file that names what another folder's file declares.
  struct Arrow: CustomStringConvertible {
    var from: String
    var to: String
    var file: String
    var name: String
    var target: String

    var description: String { "\(file) names \(name) of \(target)" }
  }

  /// The folders; a file beside them stands for itself.
  let folders: Set<String>
  /// By file and name.
  let arrows: [Arrow]

  init(ofModule module: String) throws { try self.init(inFolder: "Sources/\(module)/") }

  /// - Parameter root: With a slash at its end.
  init(inFolder root: String) throws {
    self.init(
      files: try Checkout.trackedFiles().filter { $0.hasPrefix(root) && $0.hasSuffix(".swift") }
        .map { (String($0.dropFirst(root.count)), try Checkout.text($0)) })
  }

  init(files: [(path: String, text: String)]) {
    let files = files.sorted { $0.path < $1.path }.map {
      (path: $0.path, names: SourceNames($0.text))
    }
    folders = Set(files.map { Self.folder(of: $0.path) })
    var counts: [String: Int] = [:]
    for file in files {
      for name in file.names.declarations { counts[name, default: 0] += 1 }
    }
    // What is declared twice may be either, and short names are also those of the standard library.
    var owners: [String: String] = [:]
    var owningMembers: [String: String] = [:]
    for file in files {
      for name in file.names.declared where counts[name] == 1 { owners[name] = file.path }
      for name in file.names.members where counts[name] == 1 && name.hasInnerCapital {
        owningMembers[name] = file.path
      }
    }
    var arrows: [Arrow] = []
    for file in files {
      let uses = [(file.names.used, owners), (file.names.accessed, owningMembers)]
      for (names, owners) in uses {
        for name in names {
          guard let target = owners[name] else { continue }
          let (from, to) = (Self.folder(of: file.path), Self.folder(of: target))
          guard from != to else { continue }
          arrows.append(Arrow(from: from, to: to, file: file.path, name: name, target: target))
        }
      }
    }
    self.arrows = arrows.sorted { ($0.file, $0.name) < ($1.file, $1.name) }
  }

  private static func folder(of path: String) -> String {
    String(path.prefix { $0 != "/" && $0 != "." })
  }

  /// The folders inside modules that have folders in them.
  static func foldersOfFolders() throws -> [String] {
    let paths = try Checkout.trackedFiles().filter {
      $0.hasPrefix("Sources/") && !$0.hasPrefix("Sources/CLibraries/") && $0.hasSuffix(".swift")
    }
    let parents = paths.map { $0.split(separator: "/").dropFirst().dropLast(2) }
    return Set(parents.filter { $0.count > 1 }.map { $0.joined(separator: "/") }).sorted()
  }

  /// The arrows between folders that reach each other.
  var arrowsInCircles: [Arrow] { arrowsInCircles(ofFolders: false) }

  /// - Parameter ofFolders: Whether files beside the folders are left out.
  func arrowsInCircles(ofFolders: Bool) -> [Arrow] {
    func counts(_ path: String) -> Bool { !ofFolders || path.contains("/") }
    let arrows = arrows.filter { counts($0.file) && counts($0.target) }
    var reached: [String: Set<String>] = [:]
    for arrow in arrows { reached[arrow.from, default: []].insert(arrow.to) }
    var hasGrown = true
    while hasGrown {
      hasGrown = false
      for (folder, direct) in reached {
        let all = direct.reduce(direct) { $0.union(reached[$1] ?? []) }
        if all != direct {
          reached[folder] = all
          hasGrown = true
        }
      }
    }
    return arrows.filter { reached[$0.to]?.contains($0.from) == true }
  }
}

extension String {
  /// Whether a name is made of several words: `asShownToAll`.
  fileprivate var hasInnerCapital: Bool { dropFirst().contains(where: \.isUppercase) }
}
