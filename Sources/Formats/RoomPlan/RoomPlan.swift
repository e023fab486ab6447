import Captures
package import MeshPipeline

/// A room as Apple's RoomPlan exports it: walls, doors, windows, floors, and furniture as boxes.
package enum RoomPlan: Format {
  package static let id = "roomplan"
  package static let name = "RoomPlan's CapturedRoom"
  package static let extensions = ["roomplan.json"]
}

extension RoomPlan: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [.faces, .classification, .room]

  package static func recognizes(_ head: FileHead) -> Bool { RoomFile.recognizes(head) }

  /// Reads a room as a scene of its own, one mesh for each part.
  ///
  /// Walls are closed solids, of 10 cm if the file knows no thickness, with holes for doors, windows and openings; their
  /// surface stays where it was measured, and what is added is behind it, or on both sides of a wall with floor on both. Walls that
  /// meet are mitred.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    let room = try RoomFile.read(path, in: context)
    var scene = Scene(name: FileSystem.title(of: path))
    scene.meshes = try RoomMeshes(room) { try context.stage.checkCancellation() }.meshes
    scene.room = room
    try context.stage.progress(1)
    return scene
  }
}
