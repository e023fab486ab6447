import Foundation
import MeshPipeline

/// A box room as RoomPlan would export it, of which everything is known.
package struct RoomFixture {
  /// Width along x, height, and depth along z, in metres; the middle of the floor is the origin.
  package static let size = SIMD3<Double>(5, 2.5, 4)

  package var parts: [Room.Part]

  /// Four walls that look into the room, a floor, a door and an opening in the first wall, a window in the second, a table
  /// and a storage.
  ///
  /// - Parameter turn: Around the upward axis, in radians.
  package init(turn: Double = 0, moved: SIMD3<Double> = .zero) {
    let (w, h, d) = (Self.size.x, Self.size.y, Self.size.z)
    let (sine, cosine) = (sin(turn), cos(turn))
    let pose = Transform(
      x: SIMD3(cosine, 0, -sine), y: SIMD3(0, 1, 0), z: SIMD3(sine, 0, cosine), translation: moved)
    func upright(_ normal: SIMD3<Double>, at place: SIMD3<Double>) -> Transform {
      pose
        * Transform(
          x: SIMD3(0, 1, 0).cross(normal), y: SIMD3(0, 1, 0), z: normal, translation: place)
    }
    func surface(
      _ kind: Room.Kind, _ name: String, _ normal: SIMD3<Double>, at place: SIMD3<Double>,
      _ width: Double, _ height: Double, in wall: String? = nil
    ) -> Room.Part {
      var part = Room.Part(
        kind, category: kind.rawValue, placement: upright(normal, at: place),
        size: SIMD3(width, height, 0))
      part.identifier = name
      part.parent = wall
      return part
    }
    let (z, x) = (SIMD3<Double>(0, 0, 1), SIMD3<Double>(1, 0, 0))
    var floor = Room.Part(
      .floor, category: "floor",
      placement: pose * Transform(x: SIMD3(1, 0, 0), y: SIMD3(0, 0, -1), z: SIMD3(0, 1, 0)),
      size: SIMD3(w, d, 0))
    floor.identifier = "floor"
    func object(_ name: String, _ size: SIMD3<Double>, at place: SIMD3<Double>) -> Room.Part {
      var part = Room.Part(
        .object, category: name,
        placement: pose * Transform(translation: place + SIMD3(0, size.y / 2, 0)), size: size)
      part.identifier = name
      return part
    }
    parts = [
      surface(.wall, "north", z, at: SIMD3(0, h / 2, -d / 2), w, h),
      surface(.wall, "south", -z, at: SIMD3(0, h / 2, d / 2), w, h),
      surface(.wall, "west", x, at: SIMD3(-w / 2, h / 2, 0), d, h),
      surface(.wall, "east", -x, at: SIMD3(w / 2, h / 2, 0), d, h),
      floor,
      surface(.door, "door", z, at: SIMD3(-1.5, 1, -d / 2), 0.9, 2, in: "north"),
      surface(.window, "window", -z, at: SIMD3(0.5, 1.5, d / 2), 1.2, 1, in: "south"),
      surface(.opening, "opening", z, at: SIMD3(1, 1.1, -d / 2), 1.5, 2.2, in: "north"),
      object("table", SIMD3(1.6, 0.75, 0.8), at: SIMD3(0, 0, 0)),
      object("storage", SIMD3(0.6, 1.8, 1.2), at: SIMD3(w / 2 - 0.3, 0, 1)),
    ]
  }

  /// The file as `JSONEncoder` writes it.
  package var text: String { json.prettyText }

  package var json: JSONValue {
    let lists: [(String, Room.Kind)] = [
      ("walls", .wall), ("floors", .floor), ("doors", .door), ("windows", .window),
      ("openings", .opening), ("objects", .object),
    ]
    var members = lists.map { key, kind in
      JSONValue.Member(
        key, JSONValue(.array(parts.filter { $0.kind == kind }.map(Self.json))))
    }
    members.append(.init("version", 2))
    return JSONValue(.object(members))
  }

  private static func json(_ part: Room.Part) -> JSONValue {
    let pose = part.placement
    let columns = [(pose.x, 0.0), (pose.y, 0), (pose.z, 0), (pose.translation, 1)]
    let numbers = columns.flatMap { [$0.x, $0.y, $0.z, $1] }
    func array(_ numbers: [Double]) -> JSONValue {
      JSONValue(.array(numbers.map { JSONValue(.number($0)) }))
    }
    let category = JSONValue(.object([.init(part.category, JSONValue(.object([])))]))
    let corners = part.corners.map { array([$0.x, $0.y, 0]) }
    return [
      "category": category, "transform": array(numbers),
      "dimensions": array([part.size.x, part.size.y, part.size.z]),
      "polygonCorners": JSONValue(.array(corners)),
      "identifier": JSONValue(.string(part.identifier)),
      "parentIdentifier": part.parent.map { JSONValue(.string($0)) } ?? JSONValue(.null),
      "confidence": ["high": JSONValue(.object([]))],
    ]
  }
}
