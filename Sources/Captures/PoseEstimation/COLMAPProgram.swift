import MeshPipeline
import NativeLibraries

/// COLMAP, a program of the machine that finds poses (Schönberger and Frahm, *Structure-from-Motion Revisited*, 2016):
/// https://colmap.github.io/cli.html.
struct COLMAPProgram {
  /// The program's path.
  let path: String
  /// The only folder that it reads and writes.
  let folder: String
  let threads: Int
  /// Resident bytes.
  let memory: Int
  let cancellation: any Cancellable

  /// Runs one of its commands.
  ///
  /// - Parameters:
  ///   - options: With their full names: `--database_path`.
  ///   - settings: By the last part of their names, which newer versions have moved to other groups (3.8 has
  ///     `SiftMatching.use_gpu`, 3.13 `FeatureMatching.use_gpu`); what a version does not have is left out.
  ///   - onLine: Called with each line of its output.
  /// - Returns: Whether it says that it succeeded.
  /// - Throws: ``PoseEstimationFailure`` if it ends by a signal, ``WorkerError`` if it can't be started, and ``Cancelled``.
  func run(
    _ command: String, _ options: [(name: String, value: String)],
    settings: [(name: String, value: String)], onLine: (String) throws -> Void = { _ in }
  ) throws -> Bool {
    let help = try completed([command, "-h"])
    let known = help.lines.compactMap { line -> String? in
      let word = line.split(separator: " ").first.map(String.init) ?? ""
      return word.hasPrefix("--") ? word : nil
    }
    let chosen = settings.compactMap { setting in
      let name = known.first { $0.hasSuffix(".\(setting.name)") || $0 == "--\(setting.name)" }
      return name.map { ($0, setting.value) }
    }
    let words = (options + chosen).flatMap { [$0.0, $0.1] }
    let run = try completed([command] + words, onLine: onLine)
    if run.ranOutOfMemory { throw PoseEstimationFailure.outOfMemory(limit: memory) }
    if run.exitStatus > 128 {
      throw PoseEstimationFailure.crashed(
        command: command, said: run.lines.last { !$0.isEmpty } ?? "")
    }
    return run.succeeded
  }

  /// Its versions write to one stream or the other: both become the output.
  private func completed(
    _ words: [String], onLine: (String) throws -> Void = { _ in }
  ) throws -> CompletedProgram {
    try CompletedProgram(
      "/bin/sh", ["-c", #"exec "$0" "$@" 2>&1"#, path] + words,
      // Without a display, and with the temporary files in its folder.
      variables: [
        "QT_QPA_PLATFORM=offscreen", "TMPDIR=\(folder)", "OMP_NUM_THREADS=\(threads)",
      ],
      memory: memory, cancellation: cancellation, onLine: onLine)
  }
}
