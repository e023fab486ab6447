import MeshPipeline

/// The tests of one format of a plugin.
struct FormatCheck {
  private let manifest: PluginManifest
  private let declared: PluginManifest.FileFormat
  private let format: FormatDefinition
  private let cancellation: Cancellation
  private let tell: (PluginCheck.Finding.Verdict, _ trial: String, _ message: String) -> Void

  init(
    _ manifest: PluginManifest, _ declared: PluginManifest.FileFormat,
    _ cancellation: Cancellation,
    tell: @escaping (PluginCheck.Finding.Verdict, String, String) -> Void
  ) {
    self.manifest = manifest
    self.declared = declared
    self.cancellation = cancellation
    self.tell = tell
    let origin = StageOrigin(
      plugin: manifest.name, version: manifest.version, path: manifest.path,
      program: manifest.programPath)
    format = PluginFormat(manifest: manifest, format: declared, notice: ConfinementNotice())
      .definition(origin)
  }

  /// - Throws: ``Cancelled``, or an error in creating files.
  func run() throws {
    let folder = try FileSystem.createPrivateFolder(
      prefix: "\(FileSystem.temporaryFolder)/meshpipe-check-")
    defer { try? FileSystem.removeFolder(folder) }
    let written = try checkWriting(in: folder)
    guard let reader = format.reader else { return }
    let sample = declared.sample.isEmpty ? nil : "\(manifest.folder)/\(declared.sample)"
    if written == nil, sample == nil {
      tell(.advice, trial("a file"), "give one next to the manifest, \"sample\", to test reading")
    }
    for path in [written, sample].compactMap({ $0 }) { try checkReading(path, reader) }
    try checkDamaged(reader, in: folder)
  }

  private func trial(_ what: String) -> String { "format '\(format.id)': \(what)" }

  /// - Returns: The file; nil if there is none.
  private func checkWriting(in folder: String) throws -> String? {
    guard let writer = format.writer else { return nil }
    let trial = trial("writes a scene with everything, deterministically")
    var contents: [[UInt8]] = []
    let name = "written." + (format.extensions.first ?? "")
    do {
      for pass in ["first", "second"] {
        let place = "\(folder)/\(pass)"
        try FileSystem.createFolder(place)
        try writer.write(
          CheckScenes.everything, to: OutputSet(folder: place, mainFileName: name),
          in: WritingContext(stage: StageContext(cancellation: cancellation)))
        contents.append(try FileSystem.contents(of: "\(place)/\(name)"))
      }
    } catch let error as Cancelled {
      throw error
    } catch {
      tell(.bad, trial, error.userMessage)
      return nil
    }
    let isSame = contents[0] == contents[1]
    tell(isSame ? .good : .bad, trial, isSame ? "" : "the second run gave different bytes")
    return "\(folder)/first/\(name)"
  }

  private func checkReading(_ path: String, _ reader: FormatReader) throws {
    let trial = trial("reads \(FileSystem.name(of: path))")
    do {
      let scene = try read(path, reader)
      let surplus = scene.features.subtracting(reader.canBring).sorted().map(\.rawValue)
      if scene.features.isDisjoint(with: [.faces, .points]) {
        tell(.bad, trial, "the scene is empty")
      } else if surplus.isEmpty {
        tell(.good, trial, "")
      } else {
        let names = surplus.joined(separator: ", ")
        tell(.bad, trial, "it contains \(names), which \"reads\" does not list")
      }
    } catch let error as Cancelled {
      throw error
    } catch {
      tell(.bad, trial, error.userMessage)
    }
  }

  /// An empty file, and random bytes: the plugin may refuse them, but must do so properly.
  private func checkDamaged(_ reader: FormatReader, in folder: String) throws {
    let noise = (0..<4096).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    for (what, bytes) in [("an empty file", []), ("noise", noise)] {
      let path = "\(folder)/damaged." + (format.extensions.first ?? "")
      let file = try FileWriter(creating: path)
      try file.write(bytes)
      try file.finish()
      do {
        _ = try read(path, reader)
        tell(.good, trial(what), "")
      } catch let error as Cancelled {
        throw error
      } catch let error as PluginError {
        if case .told(_, let words) = error.fault {
          tell(.good, trial(what), "refused: \(words)")
        } else {
          tell(.bad, trial(what), error.message)
        }
      } catch {
        tell(.bad, trial(what), error.userMessage)
      }
    }
  }

  private func read(_ path: String, _ reader: FormatReader) throws -> Scene {
    try reader.read(
      path, in: ReadingContext(stage: StageContext(cancellation: cancellation)))
  }
}
