import Formats
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// A stage and a format are found by their names, so none may be forgotten in the lists.
struct RegistryTests {
  @Test func `every stage has a file of its name and is in the list`() throws {
    let listed = builtInStages.map { String(describing: $0) }
    #expect(Set(listed).count == listed.count)
    #expect(Set(listed) == Set(try declarations(in: "Sources/Stages/", of: ["Stage"])))
  }

  @Test func `every format has a file of its name and is in the list`() throws {
    let listed = builtInFormats.map { String(describing: $0) }
    #expect(Set(listed).count == listed.count)
    let declared = try declarations(
      in: "Sources/Formats/", of: ["Format", "ReadableFormat", "WritableFormat"])
    // Several formats of one library share a file, and a protocol of their own.
    let shared = builtInFormats.filter {
      $0 is any AssimpReadableFormat.Type || $0 is any AssimpWritableFormat.Type
    }
    #expect(Set(declared) == Set(listed).subtracting(shared.map { String(describing: $0) }))
  }

  @Test func `no two stages share a name, and no two formats an id`() {
    let names = builtInStages.map { $0.name }
    #expect(Set(names).count == names.count)
    let ids = builtInFormats.map { $0.id }
    #expect(Set(ids).count == ids.count)
  }

  @Test func `every stage has a test of its name`() throws {
    let tests = try Checkout.trackedFiles().filter { $0.hasPrefix("Tests/StagesTests/") }
    for stage in builtInStages {
      let name = String(describing: stage)
      let found = tests.contains { $0.hasSuffix("/\(name)Tests.swift") }
      #expect(found, "Tests/StagesTests/\(name)Tests.swift is missing")
    }
  }

  /// The types under a folder that conform to one of some protocols, each in a file of its name.
  private func declarations(in folder: String, of protocols: Set<String>) throws -> [String] {
    var names: [String] = []
    for file in try Checkout.trackedFiles()
    where file.hasPrefix(folder) && file.hasSuffix(".swift") {
      for line in try Checkout.text(file).split(separator: "\n") {
        let words = line.split { " :,{".contains($0) }.map(String.init)
        guard ["public", "package"].contains(words.first), words.count > 3,
          ["struct", "enum"].contains(words[1]),
          !protocols.isDisjoint(with: words.dropFirst(3))
        else { continue }
        names.append(words[2])
        let fileName = file.split(separator: "/").last ?? ""
        #expect(
          fileName == "\(words[2]).swift" || fileName.hasPrefix("\(words[2])+"),
          "\(words[2]) stands in \(file)")
      }
    }
    return names
  }
}
