import Batch
import MeshpipeKit

/// Compares files with the hashes that a bundle or the report of a run or batch has of them.
enum VerifyVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    var failures: [ExitCode] = []
    var results: [JSONValue] = []
    let signature = invocation.value(of: .signature).map { Signature(command: $0) }
    for argument in invocation.operands {
      let hashes: FileHashes
      do {
        guard let found = try Self.hashes(of: argument, mayBePlain: signature != nil) else {
          let isValid = try signature?.isValid(for: argument) ?? false
          if !isValid { failures.append(.data) }
          try tell(argument, isValid: isValid, results: &results, invocation: invocation)
          continue
        }
        hashes = found
      } catch {
        failures.append(Messages.report(error))
        continue
      }
      let faults = hashes.faults(cancellation: Signals.cancellation)
      if Signals.cancellation.isRequested { throw Cancelled() }
      let bad =
        zip(hashes.entries, faults).compactMap { entry, fault in
          fault.map { (name: entry.name, fault: $0) }
        } + (try unlisted(in: argument, hashes)).map { (name: $0, fault: .unlisted) }
      if !bad.isEmpty { failures.append(.data) }
      if let signature {
        for path in try signedFiles(of: argument, hashes) {
          // What is missing is named below.
          guard try FileSystem.status(of: path) != nil else { continue }
          let isValid = try signature.isValid(for: path)
          if !isValid { failures.append(.data) }
          try tell(path, isValid: isValid, results: &results, invocation: invocation)
        }
      }
      if invocation.has(.json) {
        results.append(json(argument, hashes.entries.count, bad))
      } else {
        try StandardStream.output.write(text(argument, hashes.entries.count, bad))
      }
    }
    if invocation.has(.json), !results.isEmpty {
      let all = results.count == 1 ? results[0] : JSONValue(.array(results))
      try StandardStream.output.write(PrivateInputs.shown.readable(all).prettyText)
    }
    return failures.first ?? .success
  }

  /// The files of a bundle that its list lacks: readers find masks and pictures by their names.
  private static func unlisted(in argument: String, _ hashes: FileHashes) throws -> [String] {
    var folder = try unpacked(argument) ?? argument
    if try FileSystem.status(of: folder)?.isFolder != true {
      guard FileSystem.name(of: folder) == FramesBundleChecksums.name else { return [] }
      folder = FileSystem.folder(of: folder)
    }
    let own = Signature.endings.map { FramesBundleChecksums.name + $0 }
    // The last one is a file manager's.
    let known = Set(hashes.entries.map(\.name) + own + [FramesBundleChecksums.name, ".DS_Store"])
    return try FileSystem.deepNames(inFolder: folder).filter { !known.contains($0) }.sorted()
  }

  private static func isReport(_ json: JSONValue) -> Bool {
    let first = json.elements.first ?? json
    return first["meshpipeReport"] != nil || first["meshpipeBatchReport"] != nil
  }

  /// What is signed: the list of a bundle, or the outputs of a run.
  private static func signedFiles(of argument: String, _ hashes: FileHashes) throws -> [String] {
    try FileSystem.status(of: argument)?.isFolder == true
      ? ["\(argument)/\(FramesBundleChecksums.name)"]
      : hashes.entries.compactMap(\.path).map(UnpackedArchives.origin).reduce(into: []) {
        // The files of an archive are signed together.
        if $0.last != $1 { $0.append($1) }
      }
  }

  private static func tell(
    _ path: String, isValid: Bool, results: inout [JSONValue], invocation: Invocation
  ) throws {
    if invocation.has(.json) {
      results.append(["path": path.json, "signature": isValid ? "valid" : "invalid"])
    } else {
      let words = isValid ? "is signed" : "is not signed, or was changed"
      try StandardStream.output.write("\(path.withoutControlCharacters) \(words)\n")
    }
  }

  /// The hashes that a folder, an archive of one, or a report lists.
  ///
  /// - Returns: Nil for any other file, if `mayBePlain`.
  private static func hashes(of argument: String, mayBePlain: Bool) throws -> FileHashes? {
    do {
      return try hashes(of: argument)
    } catch  where mayBePlain && !(error is EmptyReport) {
      guard try FileSystem.status(of: argument)?.isRegularFile == true else { throw error }
      return nil
    }
  }

  private static func hashes(of argument: String) throws -> FileHashes {
    let folder = try unpacked(argument) ?? argument
    let isFolder = try FileSystem.status(of: folder)?.isFolder == true
    let path = isFolder ? "\(folder)/\(FramesBundleChecksums.name)" : folder
    if isFolder, try FileSystem.status(of: path) == nil {
      throw CaptureError(argument, "has no \(FramesBundleChecksums.name)")
    }
    guard isFolder || FileHead(ofFile: path).map({ $0.body.hasPrefix("{") }) ?? true else {
      throw CaptureError(
        argument,
        "is neither a frames bundle nor the report of a run or batch, which have the hashes that 'verify' compares; "
          + "'meshpipe info' says what a scan holds")
    }
    let json = try JSONReader.captureValue(
      of: FileSystem.contents(of: path, limit: largestList), file: path)
    let index = FileSystem.folder(of: path)
    let hashes =
      isReport(json)
      ? try FileHashes(report: json) { try written($0, reportIn: index) }
      : FileHashes(manifest: json) { index + "/" + $0 }
    guard let hashes, !hashes.entries.isEmpty else {
      if isReport(json) { throw EmptyReport(path: path) }
      throw CaptureError(
        path,
        "has no hashes of files: name a folder with \(FramesBundleChecksums.name), or the report of a run or batch"
      )
    }
    return hashes
  }

  /// Where a file is that a report names: as in the report, from the folder of the report on, or in the archive of a
  /// batch, unpacked.
  private static func written(_ name: String, reportIn folder: String) throws -> String {
    for path in name.hasPrefix("/") ? [name] : [name, "\(folder)/\(name)"] {
      if try FileSystem.status(of: path) != nil { return path }
      guard let output = OutputSpool.archived(path),
        try FileSystem.status(of: output.archive) != nil,
        let unpacked = try UnpackedArchives.folder(ofArchive: output.archive)
      else { continue }
      return "\(unpacked)/\(output.name)"
    }
    return name
  }

  /// The folder of an archive's bundle, which may be the archive's only folder.
  private static func unpacked(_ archive: String) throws -> String? {
    guard let root = try UnpackedArchives.folder(ofArchive: archive) else { return nil }
    let names = try FileSystem.names(inFolder: root)
    return names.count == 1 ? "\(root)/\(names[0])" : root
  }

  /// Bytes: a hundred thousand files and more.
  private static let largestList = 1 << 28

  private static func text(
    _ argument: String, _ count: Int, _ bad: [(name: String, fault: FileHashes.Fault)]
  ) -> String {
    let lines = bad.map { "\($0.name.withoutControlCharacters) \($0.fault.rawValue)" }
    let intact = NumberText.grouped(count - bad.count { $0.fault != .unlisted })
    return
      (lines + [
        "\(argument): \(intact) of \(NumberText.grouped(count)) files are as they were hashed"
      ])
      .joined(separator: "\n") + "\n"
  }

  private static func json(
    _ argument: String, _ count: Int, _ bad: [(name: String, fault: FileHashes.Fault)]
  ) -> JSONValue {
    func names(_ fault: FileHashes.Fault) -> JSONValue {
      bad.filter { $0.fault == fault }.map(\.name).json
    }
    return [
      "path": argument.json, "files": count.json, "changed": names(.changed),
      "missing": names(.missing), "unlisted": names(.unlisted),
    ]
  }
}

/// A report without a single output that has a hash.
private struct EmptyReport: UserError {
  let path: String
  var exitCode: ExitCode { .data }
  var message: String { "\(path): is a report without hashes of outputs: none was written" }
}
