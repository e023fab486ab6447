public import MeshpipeBase

/// What made a file: the pipeline with all of its options, the inputs with their hashes, and what was assumed of them.
///
/// Says nothing of when, where and by whom, so that the same input gives the same bytes.
public struct Provenance: Sendable, Equatable {
  /// How much of it is written.
  public enum Extent: String, Sendable, CaseIterable {
    /// Everything, from which the pipeline can be made again.
    case full
    /// The version, the inputs, and the name and the hash of the pipeline.
    case short
    /// Nothing.
    case none
  }

  /// The version of ``json``.
  public static let formatVersion = 1

  /// The name under which files hold it, by which it is found in them.
  public static let key = "meshpipe-provenance"

  /// Everything that is written, with `"version"` as its first member.
  public let json: JSONValue

  /// The hashes of all files that were read: copies of them are not marked.
  package var inputHashes: Set<String> = []

  /// Provenance that was read; nil if a later version wrote it, or if it is something else.
  public init?(_ json: JSONValue) {
    guard json["version"]?.number == Double(Self.formatVersion), json["meshpipe"]?.text != nil,
      json["pipeline"] != nil
    else { return nil }
    self.json = json
  }

  init(members: [JSONValue.Member]) {
    json = JSONValue(.object([.init("version", Self.formatVersion.json)] + members))
  }

  /// The part that is the same in all files of a run: pictures that models share have it.
  package var ofRun: Provenance {
    let name = json["pipeline"]?["name"]
    var shared = keeping(["meshpipe", "inputs"], pipeline: name.map { [.init("name", $0)] } ?? [])
    shared.inputHashes = inputHashes
    return shared
  }

  /// What is written in an extent; nil for nothing.
  package func extent(_ extent: Extent) -> Provenance? {
    switch extent {
    case .full: return self
    case .none: return nil
    case .short:
      let members = ["name", "sha256"].compactMap { key in
        json["pipeline"]?[key].map { JSONValue.Member(key, $0) }
      }
      return keeping(["meshpipe", "inputs"], pipeline: members)
    }
  }

  private func keeping(_ keys: [String], pipeline: [JSONValue.Member]) -> Provenance {
    var members = keys.compactMap { key in json[key].map { JSONValue.Member(key, $0) } }
    members.insert(.init("pipeline", JSONValue(.object(pipeline))), at: min(1, members.count))
    return Provenance(members: members)
  }

  /// The short extent in at most a number of bytes, with as many inputs as there is room for; nil if there is none.
  package func fitting(_ bytes: Int) -> Provenance? {
    guard let short = extent(.short) else { return nil }
    let inputs = short.json["inputs"]?.elements ?? []
    for count in stride(from: inputs.count, through: 0, by: -1) {
      var part = short
      if count < inputs.count {
        let rest: JSONValue = ["more": (inputs.count - count).json]
        part = Provenance(
          members: short.members.map { member in
            member.key == "inputs"
              ? .init(member.key, JSONValue(.array(inputs.prefix(count) + [rest]))) : member
          })
      }
      if part.text.utf8.count <= bytes { return part }
    }
    return nil
  }

  private var members: [JSONValue.Member] {
    guard case .object(let members) = json.content else { return [] }
    return members.filter { $0.key != "version" }
  }

  /// The beginnings of the hashes of the pipeline and of the first input, where there is room for little else:
  /// `p=1a2b3c4d i=5e6f7a8b`.
  package var digest: String {
    func part(_ name: String, _ hash: JSONValue?) -> String? {
      hash?.text.map { "\(name)=\($0.prefix(8))" }
    }
    return [
      part("p", json["pipeline"]?["sha256"]), part("i", json["inputs"]?.elements.first?["sha256"]),
    ].compactMap(\.self).joined(separator: " ")
  }
}
