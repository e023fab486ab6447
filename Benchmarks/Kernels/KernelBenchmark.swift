import Formats
import Foundation
import MeshPipeline
import Stages

// Times the parts that most jobs are made of, one by one, on a wavy sheet in classes:
//
//   swift run -c release KernelBenchmark [--faces N] [--runs N] [--threads N] [NAME...]

/// A part that is timed, with the number of units that it gets through.
struct Kernel {
  var name: String
  /// What is counted: bytes for parsers and writers, faces for the rest.
  var amount: Int
  var unit: String
  var body: () throws -> Void
}

/// CPU seconds of all threads of this process, user and system together.
func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// A sheet of `faces` triangles with waves of a few centimetres, in two classes.
func sheet(faces: Int) -> Scene {
  let side = Int((Double(faces) / 2).squareRoot())
  var mesh = Mesh(name: "sheet")
  let step = 8 / Float(side)
  for row in 0...side {
    for column in 0...side {
      let (x, z) = (Float(column) * step, Float(row) * step)
      mesh.positions.append(
        Vector3(x, 0.05 * Float(sin(Double(7 * x))) * Float(cos(Double(5 * z))), z))
    }
  }
  for row in 0..<side {
    for column in 0..<side {
      let corner = UInt32(row * (side + 1) + column)
      let below = corner + UInt32(side) + 1
      mesh.indices += [corner, below, corner + 1, corner + 1, below, below + 1]
    }
  }
  let labels = (0..<mesh.faceCount).map { UInt16(2 * $0 < mesh.faceCount ? 0 : 1) }
  mesh.classes = FaceClasses(labels: labels, names: ["floor", "table"])
  var scene = Scene(name: "sheet")
  scene.meshes = [mesh]
  return scene
}

func formatKernels(_ scene: Scene, in folder: URL) throws -> [Kernel] {
  let formats: [(any (ReadableFormat & WritableFormat).Type, String, [String: JSONValue])] = [
    (OBJ.self, "obj", [:]), (PLY.self, "ply", [:]), (PLY.self, "text.ply", ["ascii": true]),
    (STL.self, "stl", [:]), (GLB.self, "glb", [:]),
  ]
  return try formats.flatMap { format, ending, options in
    let name = "sheet.\(ending)"
    let path = folder.appending(path: name).path
    let write = {
      try format.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: name),
        in: WritingContext(options: options))
    }
    try write()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    return [
      Kernel(name: "read-\(ending)", amount: size, unit: "MB") {
        _ = try format.read(path, in: ReadingContext())
      },
      Kernel(name: "write-\(ending)", amount: size, unit: "MB", body: write),
    ]
  }
}

func stageKernels(_ scene: Scene) -> [Kernel] {
  func kernel<S: Stage>(_ stage: S) -> Kernel {
    Kernel(name: S.name, amount: scene.faceCount, unit: "M faces") {
      _ = try stage.run(scene, in: StageContext())
    }
  }
  return [
    kernel(Weld(Weld.Parameters())),
    kernel(Clean(Clean.Parameters())),
    kernel(ComputeNormals(ComputeNormals.Parameters())),
    kernel(Decimate(Decimate.Parameters())),
    kernel(RemoveFragments(RemoveFragments.Parameters())),
  ]
}

@main struct KernelBenchmark {
  static func main() throws {
    var (faces, runs, threads, names) = (1_000_000, 5, Int.max, Set<String>())
    var words = CommandLine.arguments.dropFirst()[...]
    while let word = words.popFirst() {
      switch word {
      case "--faces": faces = words.popFirst().flatMap { Int($0) } ?? faces
      case "--runs": runs = max(1, words.popFirst().flatMap { Int($0) } ?? runs)
      case "--threads": threads = words.popFirst().flatMap { Int($0) } ?? 1
      default: names.insert(word)
      }
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "meshpipe-kernels-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let scene = sheet(faces: faces)
    for kernel in try formatKernels(scene, in: folder) + stageKernels(scene)
    where names.isEmpty || names.contains(kernel.name) {
      try Parallel.withThreads(threads) { try time(kernel, runs: runs) }
    }
  }

  /// Prints the median and the least CPU time of a kernel, and its rate.
  private static func time(_ kernel: Kernel, runs: Int) throws {
    try kernel.body()
    let times = try (0..<runs).map { _ in
      let start = processorSeconds()
      try kernel.body()
      return processorSeconds() - start
    }.sorted()
    let rate = Double(kernel.amount) / 1e6 / times[runs / 2]
    print(
      kernel.name.padding(toLength: 20, withPad: " ", startingAt: 0),
      String(
        format: "%8.1f ms CPU (least %.1f) %8.1f %@ a second", 1e3 * times[runs / 2],
        1e3 * times[0], rate, kernel.unit))
  }
}
