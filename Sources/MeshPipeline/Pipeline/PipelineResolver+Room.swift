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
      room = path
    case .besideInput:
      // A room is its own.
      guard let inputPath, inputFormat?.canBring.contains(.room) != true else { return }
      room = RoomFile.find(besideScan: inputPath)
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
          || [plan.when, plan.expect].contains { $0?.mentionsRoom == true })
    } || outputs.contains { $0.when?.mentionsRoom == true }
  }
}

extension RoomRequest {
  /// Whether the user specified it.
  var isNamed: Bool {
    if case .path = self { true } else { false }
  }
}

extension Condition {
  /// Whether the condition asks for a room.
  fileprivate var mentionsRoom: Bool { root.mentionsRoom }
}

extension Condition.Node {
  fileprivate var mentionsRoom: Bool {
    switch self {
    case .has(let feature): feature == .room
    case .not(let node): node.mentionsRoom
    case .and(let left, let right), .or(let left, let right):
      left.mentionsRoom || right.mentionsRoom
    case .constant, .holds, .compare: false
    }
  }
}
