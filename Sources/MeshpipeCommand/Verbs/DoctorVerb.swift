import Batch
import MeshpipeKit
import NativeLibraries
import Workers

/// Shows which optional components the machine has.
enum DoctorVerb {
  /// An optional component.
  private struct Part {
    var name: String
    /// The installed component; nil if there is none.
    var found: String?
    /// What does not work without it.
    var loss: String
  }

  /// The program's version with its commit, and its libraries' versions in a second line.
  static var versions: String {
    let libraries = LibraryVersions.all.map {
      "\($0.name) \($0.version ?? "?")"
    }
    return "meshpipe \(meshpipeBuild)\nwith \(libraries.joined(separator: ", "))\n"
  }

  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let environment = try invocation.environment
    let parts = parts(environment)
    let text =
      invocation.has(.json) ? json(parts).prettyText : versions + "\n" + page(parts, environment)
    try StandardStream.output.write(text)
    return .success
  }

  private static func parts(_ environment: CommandEnvironment) -> [Part] {
    let video = LibraryVersions.video
    let decoders = LibraryVersions.decoders
    let losses = [
      (decoders.webp, "frames and textures as WebP can't be read or written"),
      (decoders.heif, "frames as HEIC and textures as AVIF can't be read"),
      (decoders.avifEncoder, "textures can't be written as AVIF"),
      (decoders.meshopt, "compressed glTF can't be read or written"),
      (LibraryVersions.pdf, "drawings can't be written as PDF"),
    ]
    var parts = [
      Part(
        name: "FFmpeg", found: video.version,
        loss: "frames in videos can't be read (\(video.fault))")
    ]
    for (library, loss) in losses {
      parts.append(
        Part(
          name: library.name, found: library.version.map { _ in "there" },
          loss: "\(loss) (\(library.fault))"))
    }
    parts.append(
      Part(
        name: "encoder of KTX2", found: KTX2.encoderPath,
        loss: "textures can't be written as KTX2 (\(KTX2.fault?.reason ?? ""))"))
    parts.append(
      Part(
        name: "decoder of KTX2", found: KTX2.decoder,
        loss: "pixels of KTX2 textures can't be read (needs 'ktx' of the KTX-Software in the PATH)"
      ))
    let transfer = LibraryVersions.transfer
    parts.append(
      Part(
        name: transfer.name, found: transfer.version,
        loss: "'--upload' is unavailable (\(transfer.fault))"))
    parts += guards
    parts.append(
      Part(
        name: "Slurm", found: FileSystem.program(named: "sbatch"),
        loss: "'batch --submit slurm' is unavailable"))
    parts.append(
      Part(
        name: "Python", found: FileSystem.program(named: "python3"),
        loss: "plugins in Python can't run"))
    parts.append(
      Part(
        name: "Python module", found: PluginSearch.pythonModule,
        loss: "plugins in Python need it on PYTHONPATH, or 'pip install'"))
    let pipelines = PipelineLibrary.standard().entries().count
    parts.append(
      Part(
        name: "pipelines", found: pipelines > 0 ? "\(pipelines) by name" : nil,
        loss: "pipelines are available only as files ('meshpipe pipelines' shows where it looks)")
    )
    let plugins = environment.plugins.stages.count
    parts.append(
      Part(name: "plugins", found: plugins > 0 ? "\(plugins) stages" : nil, loss: "none found"))
    return parts
  }

  private static var guards: [Part] {
    #if os(Linux)
      let loss =
        AssimpClient.confinementNotice == nil
        ? "Assimp's process is confined by bubblewrap instead"
        : "Assimp's process can read all files that you can read"
      return [
        Part(
          name: "bubblewrap", found: Guards.bubblewrap,
          loss: "plugins are confined only by Landlock and seccomp; apt-get install bubblewrap"),
        Part(
          name: "Landlock", found: Confinement.hasLandlock ? "in the kernel" : nil, loss: loss),
      ]
    #else
      return []
    #endif
  }

  private static func page(_ parts: [Part], _ environment: CommandEnvironment) -> String {
    let lines = TextLayout.definitions(
      parts.map { part in (part.name, part.found ?? "missing: \(part.loss)") })
    let problems = environment.plugins.problems.map { "\($0.asNote)" }
    return (lines + problems).joined(separator: "\n") + "\n"
  }

  private static func json(_ parts: [Part]) -> JSONValue {
    func text(_ text: String?) -> JSONValue {
      text.map { JSONValue(.string($0)) } ?? JSONValue(.null)
    }
    let libraries = LibraryVersions.all.map {
      JSONValue.Member($0.name, text($0.version))
    }
    let found = parts.map { JSONValue.Member($0.name, text($0.found)) }
    return [
      "version": JSONValue(.string(meshpipeVersion)), "commit": text(meshpipeRevision),
      "libraries": JSONValue(.object(libraries)), "parts": JSONValue(.object(found)),
    ]
  }
}
