import MeshPipeline
import Synchronization
import Testing

/// Expects of a stage what every stage owes: on each scene it gives a valid result, the same when run
/// again, leaves its input untouched, reports rising progress that ends at 1, and stops when cancelled.
///
/// A ``UserError`` about the scan is a proper answer too, as long as it is the same each time.
package func expectWellBehaved(
  _ stage: any Stage, on scenes: [Scene] = MeshFixtures.all,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  for scene in scenes {
    let name = Comment(rawValue: "\(type(of: stage).name) on '\(scene.name)'")
    let input = scene
    let first = Outcome(of: stage, on: input)
    #expect(
      input.withoutNaN == scene.withoutNaN, "\(name): the input changed",
      sourceLocation: sourceLocation)
    #expect(
      first == Outcome(of: stage, on: scene), "\(name): not deterministic",
      sourceLocation: sourceLocation)
    switch first.result {
    case .success(let output):
      expectValid(output, name, sourceLocation)
      #expect(
        output.coordinateSystem == stage.outputCoordinateSystem(for: scene.coordinateSystem), name,
        sourceLocation: sourceLocation)
      #expect(first.progress.last == 1, "\(name): progress", sourceLocation: sourceLocation)
    case .failure(let failure):
      #expect(failure.isExpected, "\(name): \(failure.message)", sourceLocation: sourceLocation)
    }
    #expect(
      first.progress == first.progress.sorted() && first.progress.allSatisfy((0...1).contains),
      "\(name): progress \(first.progress)", sourceLocation: sourceLocation)

    let cancellation = Cancellation()
    cancellation.request()
    #expect(throws: Cancelled.self, "\(name)", sourceLocation: sourceLocation) {
      _ = try stage.run(scene, in: StageContext(cancellation: cancellation))
    }
  }
  let empty = Outcome(of: stage, on: Scene())
  #expect(
    (try? empty.result.get()) != nil, "\(type(of: stage).name) fails on the empty scene",
    sourceLocation: sourceLocation)
}

/// What one run of a stage came to.
private struct Outcome: Equatable {
  var result: Result<Scene, Failure>
  var progress: [Double]
  var warnings: [String]

  struct Failure: Error, Equatable {
    var isExpected: Bool
    var message: String
  }

  init(of stage: any Stage, on scene: Scene) {
    let log = Log()
    let context = StageContext { fraction in log.values.withLock { $0.append(fraction) } }
    do {
      result = .success(try stage.run(scene, in: context).withoutNaN)
    } catch let error as any UserError {
      result = .failure(Failure(isExpected: error.exitCode == .data, message: error.message))
    } catch {
      result = .failure(Failure(isExpected: false, message: "\(error)"))
    }
    progress = log.values.withLock { $0 }
    warnings = context.warnings
  }

  private final class Log: Sendable {
    let values = Mutex<[Double]>([])
  }
}

private func expectValid(_ scene: Scene, _ name: Comment, _ sourceLocation: SourceLocation) {
  for mesh in scene.meshes {
    #expect(throws: Never.self, name, sourceLocation: sourceLocation) {
      try mesh.validate(materialCount: scene.materials.count)
    }
  }
  for cloud in scene.pointClouds {
    #expect(throws: Never.self, name, sourceLocation: sourceLocation) {
      try cloud.validateAttributeLengths()
    }
  }
}

extension Scene {
  /// The scene with a number in place of each NaN, so that it can be compared.
  fileprivate var withoutNaN: Scene {
    func replaced(_ value: Float) -> Float { value.isNaN ? 12_345 : value }
    func replaced(_ vector: Vector3) -> Vector3 {
      Vector3(replaced(vector.x), replaced(vector.y), replaced(vector.z))
    }
    var scene = self
    for index in scene.meshes.indices {
      scene.meshes[index].positions = meshes[index].positions.map(replaced)
      scene.meshes[index].normals = meshes[index].normals?.map(replaced)
      scene.meshes[index].cornerNormals = meshes[index].cornerNormals?.map(replaced)
      scene.meshes[index].confidences = meshes[index].confidences?.map(replaced)
    }
    for index in scene.pointClouds.indices {
      scene.pointClouds[index].positions = pointClouds[index].positions.map(replaced)
    }
    return scene
  }
}
