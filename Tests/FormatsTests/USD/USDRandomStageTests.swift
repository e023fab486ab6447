import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Random stages, which Pixar's library and meshpipe must compose alike.
struct USDRandomStageTests {
  private static let stageCount = 40

  @Test(.needs("pxr")) func `random stages have the triangles that Pixar's library finds`() throws {
    let folder = try TemporaryFolder()
    var paths: [String] = []
    for seed in 0..<Self.stageCount {
      var stage = USDRandomStage(seed: UInt64(seed))
      for (name, text) in stage.files().sorted(by: { $0.key < $1.key }) {
        let path = try folder.write("\(seed)/\(name)", text)
        if name == "main.usda" { paths.append(path) }
      }
    }
    let output = try Checkers.run("Tools/checks/usd_triangles.py", paths)
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
    try #require(lines.count >= paths.count)
    var total = 0
    for (path, line) in zip(paths, lines) {
      let numbers = line.split(separator: " ").compactMap { Float($0) }
      let expected = stride(from: 0, to: numbers.count, by: 9).map { start in
        (0..<3).map { corner in
          SIMD3(
            numbers[start + 3 * corner], numbers[start + 3 * corner + 1],
            numbers[start + 3 * corner + 2])
        }
      }
      total += expected.count
      for form in [path, path.replacing(".usda", with: ".usdc")] {
        let found = expected.isEmpty ? nil : try triangles(of: Reading(form).scene)
        let missing = unmatched(expected, found ?? [])
        #expect(
          found?.count ?? 0 == expected.count && missing == 0, "\(form): \(missing) are missing")
      }
    }
    // Stages without anything would prove nothing.
    #expect(total > 5 * Self.stageCount)
  }

  private func triangles(of scene: Scene) -> [[SIMD3<Float>]] {
    scene.meshes.flatMap { mesh in
      (0..<mesh.faceCount).map { face in
        (0..<3).map { mesh.positions[Int(mesh.indices[3 * face + $0])].simd }
      }
    }
  }

  /// The number of triangles without one at the same place that is turned the same way.
  private func unmatched(_ expected: [[SIMD3<Float>]], _ found: [[SIMD3<Float>]]) -> Int {
    func isSame(_ left: [SIMD3<Float>], _ right: [SIMD3<Float>]) -> Bool {
      (0..<3).contains { turn in
        (0..<3).allSatisfy { corner in
          let (one, other) = (left[corner], right[(corner + turn) % 3])
          return (one - other).length <= 1e-4 * (1 + one.length)
        }
      }
    }
    var rest = found
    return expected.count { triangle in
      guard let place = rest.firstIndex(where: { isSame(triangle, $0) }) else { return true }
      rest.remove(at: place)
      return false
    }
  }
}
