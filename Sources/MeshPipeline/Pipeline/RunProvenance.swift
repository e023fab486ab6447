import MeshpipeBase
import MeshpipeScene

/// Gathers what made the outputs of a run.
final class RunProvenance {
  private let pipeline: ResolvedPipeline
  private let settings: RunSettings
  private let extent: Provenance.Extent
  private let start = FileSystem.now
  /// The states of the files that are known before reading.
  private var statuses: [[UInt8]: FileStatus] = [:]
  private let knownHashes: RunHashes
  private var hashes: InputHashes?
  private var inputs: [JSONValue] = []
  private var inputHashes: Set<String> = []
  /// What to tell the user, with the first output.
  private var remarks: [String] = []

  /// - Parameter knownHashes: Those of the run's files, which this adds to.
  init(of pipeline: ResolvedPipeline, _ settings: RunSettings, _ knownHashes: RunHashes) {
    self.pipeline = pipeline
    self.knownHashes = knownHashes
    self.settings = settings
    let wanted = settings.omitsProvenance ? .none : pipeline.provenance ?? .full
    let isHeld = pipeline.outputs.contains { $0.format.holdsProvenance != .none }
    // Options of stages may name photographs.
    let most = settings.isPrivate && wanted == .full ? Provenance.Extent.short : wanted
    extent = isHeld ? most : .none
    guard extent != .none else { return }
    // By bytes: two names may differ in the form of an accent alone.
    for path in mainPaths { statuses[Array(path.utf8)] = try? FileSystem.status(of: path) }
  }

  private var mainPaths: [String] {
    pipeline.meshPaths + pipeline.otherInputPaths
      + [pipeline.room?.path].compactMap(\.self)
  }

  // MARK: Inputs

  /// Begins to hash what was read.
  func begin(_ source: ScanSource, sideFiles: [String]) {
    guard extent != .none else { return }
    var known: Set<[UInt8]> = []
    let all = (source.format == nil ? [] : [source.path]) + sideFiles
    let main = Set(mainPaths.map { Array($0.utf8) })
    let base = FileSystem.folder(of: source.format == nil ? source.path + "/." : source.path)
    let files = all.filter { known.insert(Array($0.utf8)).inserted }.map { path in
      InputHashes.File(
        path: path, name: Self.name(of: path, below: base), isMain: main.contains(Array(path.utf8)),
        status: statuses[Array(path.utf8)])
    }
    hashes = InputHashes(files, since: start, known: knownHashes)
  }

  /// The path below a folder, or else the name.
  private static func name(of path: String, below folder: String) -> String {
    let prefix = folder + "/"
    return path.hasPrefix(prefix) && !path.contains("/../")
      ? String(path.dropFirst(prefix.count)) : FileSystem.name(of: path)
  }

  /// The inputs, once their hashes are known.
  private func settleInputs() {
    guard let hashes else { return }
    self.hashes = nil
    let found = zip(hashes.files, hashes.findings()).map { (file: $0, finding: $1) }
    let sideFiles = found.filter { !$0.file.isMain }
    let areMany = sideFiles.count > Self.mostSideFiles
    inputs = found.filter { $0.file.isMain || !areMany }.map { entry($0.file, $0.finding) }
    if areMany { inputs.append(entry(ofMany: sideFiles)) }
    for (file, finding) in found {
      let fault: String
      switch finding {
      case .hash(let hash):
        inputHashes.insert(hash)
        continue
      case .changed: fault = "changed during the run"
      case .unreadable: fault = "could not be read again"
      }
      remarks.append(
        "\(FileSystem.name(of: file.path)) \(fault): the provenance has no SHA-256 of it")
    }
  }

  /// More are said by one hash.
  private static let mostSideFiles = 16

  private func entry(_ file: InputHashes.File, _ finding: InputHashes.Finding) -> JSONValue {
    var members: [JSONValue.Member] = []
    if !settings.isPrivate {
      members.append(.init("name", FileSystem.name(of: file.path).withoutForeignBytes.json))
    }
    switch finding {
    case .hash(let hash): members.append(.init("sha256", hash.json))
    case .changed: members.append(.init("changed", true))
    case .unreadable: members.append(.init("unreadable", true))
    }
    return JSONValue(.object(members))
  }

  /// The hash of a list as `sha256sum` prints it, in the order of names.
  private func entry(
    ofMany files: [(file: InputHashes.File, finding: InputHashes.Finding)]
  ) -> JSONValue {
    var list = SHA256()
    var isWhole = true
    for (file, finding) in files.sorted(by: { $0.file.name < $1.file.name }) {
      guard case .hash(let hash) = finding else {
        isWhole = false
        continue
      }
      list.update(Array("\(hash)  \(file.name)\n".utf8)[...])
    }
    return [
      "files": files.count.json,
      isWhole ? "sha256" : "changed": isWhole ? list.finish().json : true,
    ]
  }

  // MARK: Outputs

  /// What is not known of the inputs, told once.
  func takeRemarks() -> [String] {
    defer { remarks = [] }
    return remarks
  }

  /// What made an output.
  ///
  /// - Parameters:
  ///   - report: Of the stages that ran.
  /// - Returns: Nil if it is not written.
  func of(
    _ output: ResolvedPipeline.ResolvedOutput, _ report: RunReport,
    _ interpretation: Interpretation
  ) -> Provenance? {
    guard extent != .none, output.format.holdsProvenance != .none else { return nil }
    settleInputs()
    let recipe = OutputRecipe(of: output, in: pipeline)
    var name = pipeline.name ?? pipeline.file.map { FileSystem.name(of: $0).withoutForeignBytes }
    if name == "" { name = nil }
    var members: [JSONValue.Member] = [
      .init("meshpipe", meshpipeVersion.json),
      .init(
        "pipeline",
        JSONValue(.object((name.map { [.init("name", $0.json)] } ?? []) + recipe.members))),
    ]
    if !inputs.isEmpty { members.append(.init("inputs", JSONValue(.array(inputs)))) }
    func append(_ key: String, _ values: [JSONValue.Member]) {
      if !values.isEmpty { members.append(.init(key, JSONValue(.object(values)))) }
    }
    append("settings", settings.madeResults)
    append("skipped", recipe.skipped(in: report))
    append("assumptions", interpretation.members)
    append("agreement", recipe.agreements(in: report))
    var provenance = Provenance(members: members).extent(extent)
    provenance?.inputHashes = inputHashes
    return provenance
  }
}

extension Interpretation {
  /// The answers by their aspects.
  fileprivate var members: [JSONValue.Member] {
    answers.map { answer in
      var members: [JSONValue.Member] = [
        .init("value", answer.value.json), .init("source", answer.source.rawValue.json),
      ]
      if !answer.reason.isEmpty { members.append(.init("reason", answer.reason.json)) }
      return .init(answer.aspect.rawValue, JSONValue(.object(members)))
    }
  }
}

extension RunSettings {
  /// What results depend on besides the pipeline and the files, without folders.
  fileprivate var madeResults: [JSONValue.Member] {
    guard case .object(let members) = json.content else { return [] }
    return members.compactMap { member in
      switch member.key {
      case "inputFormat", "inputUp", "inputUnit", "inputClasses", "framesConvention", "framesUp",
        "framesUnit", "masks", "misfits":
        return member
      case "mesh", "frames", "room":
        guard let path = member.value.text else { return member }
        return .init(member.key, FileSystem.name(of: path).withoutForeignBytes.json)
      default: return nil
      }
    }
  }
}
