import MeshpipeBase
import MeshpipeScene

extension PipelineResolver {
  /// Finds the file of the room.
  mutating func resolveRoom() {
    switch request.room {
    case .none: room = nil
    case .path(let path):
      guard (try? FileSystem.status(of: path)) != nil else {
        return reportArgument("there is no such file", file: path, exitCode: .noInput)
      }
      room = environment.captures.room(at: path)
    case .besideInput:
      // A room is its own.
      guard let inputPath, inputFormat?.canBring.contains(.room) != true else { return }
      room = environment.captures.room(besideScan: inputPath)
    }
  }

  /// Skips a room that the pipeline does not use.
  mutating func settleRoom() {
    guard room != nil, !wantsRoom else { return }
    room = nil
    if case .path(let path) = request.room {
      add(warning: "--room \(path.shellQuoted): no part of the pipeline uses a room")
    }
  }

  var wantsRoom: Bool {
    stages.contains { plan in
      plan.isEnabled
        && (plan.dataFlow.needs.contains(.room)
          || [plan.when, plan.expect].contains { $0?.mentionedFeatures.contains(.room) == true })
    } || outputs.contains { $0.when?.mentionedFeatures.contains(.room) == true }
  }
}
