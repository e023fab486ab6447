package import MeshpipeScene

/// Finds and reads the files that describe the rooms of scans.
package protocol RoomReading: Sendable {
  /// The room's file in the folder of a scan, by its name and first bytes; nil if there is none.
  static func find(besideScan path: String) -> String?

  /// Reads the room.
  ///
  /// - Throws: A ``CaptureError`` with line and column for invalid JSON, and for a file without a usable part.
  static func read(_ path: String, in context: ReadingContext) throws -> Room
}

/// The file of a room, and what reads it.
package struct FoundRoom: Sendable {
  package let path: String
  private let reading: any RoomReading.Type

  init(path: String, reading: any RoomReading.Type) {
    self.path = path
    self.reading = reading
  }

  /// Reads the room, in metres with y up, as ARKit's frames are.
  func read(in context: ReadingContext) throws -> Room {
    context.didOpen(path)
    return try reading.read(path, in: context)
  }
}

extension CaptureReader {
  /// The room in the folder of a scan; nil if there is none.
  package func room(besideScan path: String) -> FoundRoom? {
    rooms.flatMap { rooms in
      rooms.find(besideScan: path).map { FoundRoom(path: $0, reading: rooms) }
    }
  }

  /// The room in a file; nil if no reader of rooms is known.
  package func room(at path: String) -> FoundRoom? {
    rooms.map { FoundRoom(path: path, reading: $0) }
  }
}
