import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Files under the names that the documentation uses, so that its commands can be run.
///
/// They are tiny: a room of a hundred faces, and three photographs of it.
final class StandIns: Sendable {
  static let shared: Result<StandIns, any Error> = {
    // It lives as long as the process, which would leave its folder behind.
    atexit {
      guard case .success(let standIns) = StandIns.shared else { return }
      try? FileManager.default.removeItem(at: standIns.folder.url)
    }
    return Result { try StandIns() }
  }()

  private let folder: TemporaryFolder
  /// Which of them a block gets only where it names them and doesn't make them itself.
  private static let special = ["out", "inflate", "day1", "day2", "room.zip"]

  private init() throws {
    folder = try TemporaryFolder()
    try writeCapture()
    for name in ["scan", "Floor", "Wall", "Walls", "Table", "scans/a", "scans/day1/b"] {
      try folder.write(Self.room, to: name + ".obj")
    }
    // Scans that fit each other must have more to tell one side from the other.
    for name in ["kitchen", "hall", "bath", "old", "new"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name + ".obj", withDestinationPath: Checkout.sample)
    }
    try folder.write(RoomFixture().text, to: "room.json")
    for name in ["pipelines", "examples", "bindings"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + name, withDestinationPath: Checkout.path(name))
    }
    try folder.write(Self.pipeline, to: "my-pipeline.json")
    try folder.write(try Checkout.text("pipelines/web.json"), to: "web.json")
    for name in [".zsh/completions/x", ".config/fish/completions/x"] {
      try folder.write("", to: name)
    }
    try writeStubs()
    let script = """
      meshpipe run scan.obj -o scan.ply -o scan.glb -o part.stl --report report.json
      meshpipe run scan.obj -o survey.las --set las.origin=583000,4507000,30
      meshpipe run capture -o textured.glb
      meshpipe run scan.obj -s 'unwrap size=64' -o low.glb
      cp scan.glb sculpt.glb
      for day in day1 day2; do meshpipe batch scan.ply -s weld -o $day/scan.ply; done
      cp -a day1 out
      meshpipe plugins new inflate
      python3 -m zipfile -c room.zip capture
      tar -cf scans.tar.zst scans
      """
    let made = try Self.run(script, in: folder, bin: folder.path + "/bin")
    guard made.status == 0 else { throw StandInFailure(errors: made.errors) }
  }

  /// Runs a block in a folder of its own that holds what it names.
  func run(_ block: CommandBlock) throws -> Outcome {
    let place = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      guard !Self.special.contains(name) || Self.isNeeded(name, by: block.script) else { continue }
      try FileManager.default.copyItem(
        atPath: folder.path + "/" + name, toPath: place.path + "/" + name)
    }
    if block.language == "python" {
      return try CommandProcess.run(
        URL(filePath: Checkers.python), ["-c", block.script], in: place,
        environment: Self.environment(of: place, bin: folder.path + "/bin"))
    }
    return try Self.run(block.script, in: place, bin: folder.path + "/bin")
  }

  private static func isNeeded(_ name: String, by script: String) -> Bool {
    let makesIt =
      script.contains("-o '\(name)/") || script.contains("-o \(name)/")
      || script.contains("plugins new \(name)")
    // An archive beside a scan is where its frames are looked for.
    if name == "room.zip" { return script.contains(name) }
    return script.contains("\(name)/") && !makesIt || name == "day1" && script.contains("day?/")
  }

  private static func run(_ script: String, in folder: TemporaryFolder, bin: String) throws
    -> Outcome
  {
    try CommandProcess.run(
      URL(filePath: "/usr/bin/env"), ["bash", "-e", "-o", "pipefail", "-c", script], in: folder,
      environment: environment(of: folder, bin: bin))
  }

  private static func environment(of folder: TemporaryFolder, bin: String) -> [String: String] {
    var environment = CommandProcess.environment
    if FileManager.default.isExecutableFile(atPath: Checkers.python) {
      let python = FileSystem.folder(of: Checkers.python)
      environment["PATH"] = "\(python):\(environment["PATH"] ?? "")"
    }
    environment["PATH"] = "\(bin):\(environment["PATH"] ?? "")"
    environment["HOME"] = folder.path
    // The usual cache, which is in that home.
    environment["MESHPIPE_CACHE"] = nil
    environment["XDG_CACHE_HOME"] = nil
    environment["STAND_INS"] = bin
    environment["MESHPIPE_EXECUTABLE"] = "\(bin)/meshpipe"
    environment["MESHPIPE_PIPELINE_PATH"] = Checkout.path("pipelines")
    environment["PYTHONPATH"] = Checkout.path("bindings/python")
    return environment
  }

  // MARK: Contents

  private func writeCapture() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 3
      $0.size = SIMD2(48, 36)
      $0.depthSize = SIMD2(16, 12)
      $0.samples = 1
    }
    try folder.writeBundle(of: capture, hasPictures: true)
    try folder.write(Self.room, to: "room/mesh.obj")
    try FileManager.default.moveItem(
      atPath: folder.path + "/room", toPath: folder.path + "/capture")
    try writeHashes(of: "capture")
  }

  private func writeHashes(of bundle: String) throws {
    var lines: [String] = []
    for name in try FileManager.default.subpathsOfDirectory(atPath: "\(folder.path)/\(bundle)")
      .sorted()
    {
      let path = "\(folder.path)/\(bundle)/\(name)"
      guard try FileSystem.status(of: path)?.isRegularFile == true else { continue }
      lines.append("\"\(name)\": \"\(try SHA256.hexadecimal(ofFile: path))\"")
    }
    let list = lines.joined(separator: ",\n")
    try folder.write("{ \"files\": {\n\(list)\n} }\n", to: "\(bundle)/manifest.sha256.json")
  }

  /// The room of the capture, in classes.
  private static let room: String = {
    let mesh = SyntheticRoom.mesh(cell: 1)
    var text = mesh.positions.map { "v \($0.x) \($0.y) \($0.z)\n" }.joined()
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let label = Int(mesh.classes?.labels[face] ?? 0)
      text += "g \(FaceClasses.arkitNames[label])\nf \(a + 1) \(b + 1) \(c + 1)\n"
    }
    return text
  }()

  private static let pipeline = """
    {
      "meshpipe": 1,
      "stages": [{ "use": "weld" }, { "use": "decimate", "with": { "faces": "50%" } }],
      "outputs": [{ "path": "${stem}.glb" }]
    }
    """

  /// Programs that are not everywhere, or reach out; and a meshpipe that leaves out what takes a debug build
  /// long: its pictures are small, its prints coarse, and each pipeline bakes the photographs of a capture once.
  private func writeStubs() throws {
    var stubs = [
      "curl": "cat scan.ply",
      "meshpipe": """
      if [ "$1" = preview ]; then
        shift; left=$#
        while [ $left -gt 0 ]; do
          if [ "$1" = --size ]; then shift 2; left=$((left - 2))
          else set -- "$@" "$1"; shift; left=$((left - 1)); fi
        done
        case "$*" in
        *.html*|*--scale*) set -- preview "$@";;
        *--orthographic*) set -- preview "$@" --size 160x120;;
        *) set -- preview "$@" --size 60x45;;
        esac
      elif [ "$1" = run ]; then
        case "$2" in
        print|*/print.json) set -- "$@" --var wall=1cm --set solid.voxelSize=2%;;
        capture-check|*/capture-check.json) set -- "$@" --var stop=false;;
        esac
        case "$*" in
        *--frames*|*capture-check*|*scope=object*) ;;
        *room.zip*|*capture/*)
          case "$2" in
          room.zip|capture/) ;;
          *) mkdir "$STAND_INS/baked-${2##*/}" 2>/dev/null || set -- "$@" --frames none;;
          esac
        esac
      elif [ "$1 $2" = "info --gates" ]; then
        # Three photographs are not good enough.
        '\(CommandProcess.executable.path)' "$@" || [ $? = 65 ]
        exit
      fi
      exec '\(CommandProcess.executable.path)' "$@"
      """,
    ]
    if CommandProcess.program("jq") == nil { stubs["jq"] = "cat" }
    for (name, script) in stubs {
      let path = try folder.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
  }
}

/// The stand-ins could not be made.
struct StandInFailure: Error, CustomStringConvertible {
  let errors: String
  var description: String { errors }
}
