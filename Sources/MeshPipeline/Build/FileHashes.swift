package import MeshpipeBase
import MeshpipeScene

/// Files and the SHA-256 that each should have.
package struct FileHashes: Sendable {
  /// A file of the list.
  package struct Entry: Sendable, Equatable {
    /// As listed.
    package var name: String
    /// Nil for a name that leads out of the folder.
    package var path: String?
    /// In hexadecimal.
    package var sha256: String
  }

  /// What is wrong with a file.
  package enum Fault: String, Sendable, CaseIterable {
    case changed = "is not the file that was hashed"
    case missing = "is missing"
    case unlisted = "is not in the list"
  }

  package let entries: [Entry]

  /// The files of a bundle.
  ///
  /// - Parameters:
  ///   - json: The names and hashes, by themselves or as `files`.
  ///   - path: The path of a name.
  /// - Returns: Nil if there is no object of names.
  package init?(manifest json: JSONValue, path: (String) -> String) {
    guard case .object(let members) = (json["files"] ?? json).content else { return nil }
    entries = members.compactMap { member in
      guard let hash = member.value.text, hash.utf8.count == 64 else { return nil }
      let name = member.key
      let isInside = !name.hasPrefix("/") && !name.split(separator: "/").contains("..")
      return Entry(name: name, path: isInside ? path(name) : nil, sha256: hash.lowercased())
    }
  }

  /// The outputs of runs.
  ///
  /// - Parameters:
  ///   - json: The report of a run, or of several.
  ///   - path: The path of an output that is named.
  package init(report json: JSONValue, path: (String) throws -> String = { $0 }) rethrows {
    var entries: [Entry] = []
    Self.collect(json, isOutput: false, into: &entries)
    for index in entries.indices { entries[index].path = try path(entries[index].name) }
    self.entries = entries
  }

  private static func collect(_ json: JSONValue, isOutput: Bool, into entries: inout [Entry]) {
    switch json.content {
    case .object(let members):
      if isOutput, let path = json["path"]?.text, let hash = json["sha256"]?.text {
        entries.append(Entry(name: path, path: path, sha256: hash.lowercased()))
      }
      for member in members {
        collect(member.value, isOutput: isOutput || member.key == "outputs", into: &entries)
      }
    case .array(let elements):
      for element in elements { collect(element, isOutput: isOutput, into: &entries) }
    case .null, .bool, .number, .string: break
    }
  }

  /// Reads all files, and compares them with their hashes.
  ///
  /// - Returns: What is wrong with each entry; nil if nothing is.
  package func faults(cancellation: Cancellation = Cancellation()) -> [Fault?] {
    Parallel.map(count: entries.count) { index -> Fault? in
      guard let path = entries[index].path, let status = try? FileSystem.status(of: path),
        status.isRegularFile
      else { return .missing }
      let found = try? SHA256.hexadecimal(ofFile: path, cancellation: cancellation)
      return found == entries[index].sha256 ? nil : .changed
    }
  }
}
