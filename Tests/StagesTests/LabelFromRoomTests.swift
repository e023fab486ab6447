import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

@Suite struct LabelFromRoomTests {
  private let room = RoomFixture()
  /// The mesh of that room as a scanner sees it, with its classes.
  private let truth = RoomFixture.scan()

  private func labelled(
    _ scene: Scene, context: StageContext = StageContext(),
    _ change: (inout LabelFromRoom.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = LabelFromRoom.Parameters()
    change(&parameters)
    return try LabelFromRoom(parameters).run(scene, in: context)
  }

  /// A scan of the room, without its classes.
  private func scan(noise: Float = 0.008) -> Scene {
    var mesh = truth
    mesh.classes = nil
    var random = SeededGenerator(seed: 5)
    for index in mesh.positions.indices {
      mesh.positions[index].x += Float.random(in: -noise...noise, using: &random)
      mesh.positions[index].y += Float.random(in: -noise...noise, using: &random)
      mesh.positions[index].z += Float.random(in: -noise...noise, using: &random)
    }
    var scene = Scene(meshes: [mesh])
    scene.room = Room(parts: room.parts)
    return scene
  }

  /// The share of the area that has the class it was made with.
  private func agreement(_ classes: FaceClasses?) throws -> Double {
    let (classes, expected) = (try #require(classes), try #require(truth.classes))
    var (right, all) = (0.0, 0.0)
    for face in classes.labels.indices {
      let area = truth.area(ofFace: face)
      all += area
      let isRight =
        classes.names[Int(classes.labels[face])] == expected.names[Int(expected.labels[face])]
      if isRight { right += area }
    }
    return right / all
  }

  @Test func `faces have the class of what the room was built of`() throws {
    let context = StageContext()
    let scene = try labelled(scan(), context: context)
    #expect(try agreement(scene.meshes[0].classes) > 0.98)
    #expect(context.warnings == [])
    let share = context.notes.first { $0.key == "labelledPercent" }?.value.number
    #expect(try #require(share) > 98)
    // All classes are there, and the window and the opening in their size.
    let names = Set(scene.meshes[0].classes?.presentNames ?? [])
    #expect(
      names.isSuperset(of: ["wall", "floor", "ceiling", "door", "window", "table", "storage"]))
  }

  @Test func `axes, unit and movements change nothing`() throws {
    var scene = scan()
    let expected = try labelled(scene).meshes[0].classes
    var system = CoordinateSystem.arkit.with(up: .z)
    system.metersPerUnit = 0.01
    scene.convert(to: system)
    scene.apply(
      Transform(
        x: SIMD3(0.8, 0.6, 0), y: SIMD3(-0.6, 0.8, 0), z: SIMD3(0, 0, 1),
        translation: SIMD3(300, -200, 50)))
    let moved = try labelled(scene).meshes[0].classes
    let different = zip(try #require(expected).labels, try #require(moved).labels).count {
      $0 != $1
    }
    // Rounding decides on a few.
    #expect(different * 1000 < truth.faceCount)
  }

  @Test func `points are labelled with and without normals`() throws {
    var scene = scan()
    let mesh = scene.meshes[0]
    var cloud = PointCloud()
    var normals: [Vector3] = []
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let sum =
        mesh.positions[Int(a)].simd + mesh.positions[Int(b)].simd + mesh.positions[Int(c)].simd
      cloud.positions.append(Vector3(sum / 3))
      normals.append(Vector3(SIMD3<Float>(mesh.areaVector(ofFace: face).normalized)))
    }
    var other = cloud
    other.normals = normals
    scene.meshes = []
    scene.pointClouds = [cloud, other]
    let result = try labelled(scene)
    #expect(try agreement(result.pointClouds[0].classes) > 0.93)
    #expect(try agreement(result.pointClouds[1].classes) > 0.98)
  }

  @Test func `what is elsewhere keeps its class or has none`() throws {
    var scene = scan()
    var far = truth
    for index in far.positions.indices { far.positions[index].y += 100 }
    scene.meshes.append(far)
    let kept = try labelled(scene).meshes[1].classes
    #expect(try agreement(kept) == 1)
    let none = try labelled(scene) { $0.elsewhere = .none }.meshes[1].classes
    #expect(none?.presentNames == ["none"])
  }

  @Test func `a room of another session is warned of`() throws {
    var scene = scan()
    scene.room?.apply(Transform(translation: SIMD3(50, 0, 0)))
    let context = StageContext()
    _ = try labelled(scene, context: context)
    #expect(context.warnings.count == 1 && context.warnings[0].contains("only 0%"))
  }

  @Test func `the classes are there for other stages`() throws {
    let scene = try labelled(scan())
    var filter = FilterClassification.Parameters()
    filter.keep = [ClassLabel("storage"), ClassLabel("washer-dryer")]
    let kept = try FilterClassification(filter).run(scene, in: StageContext())
    #expect(kept.meshes[0].classes?.presentNames == ["storage"])
    var split = Split.Parameters()
    split.by = .classification
    let parts = try Split(split).run(scene, in: StageContext())
    #expect(parts.meshes.contains { $0.name.contains("storage") })
  }

  @Test func `a scan without a room is an error, broken numbers are not`() throws {
    #expect(throws: LabelFromRoom.Failure.noRoom) {
      _ = try labelled(Scene(meshes: [truth]))
    }
    var scene = scan()
    scene.meshes[0].positions[0] = Vector3(.nan, .infinity, 1e30)
    scene.room?.parts[0].placement.x = .zero
    #expect(try labelled(scene).meshes[0].classes?.labels.count == truth.faceCount)
  }

  @Test func `a curved wall takes what is on it`() throws {
    var wall = Room.Part(
      .wall, category: "wall", placement: .identity, size: SIMD3(4, 2.5, 0))
    wall.curve = Room.Curve(center: .zero, isMajor: false)
    var scene = Scene()
    var cloud = PointCloud()
    for degree in stride(from: 0.0, to: 360, by: 5) {
      let angle = degree * .pi / 180
      cloud.positions.append(Vector3(2 * Float(cos(angle)), 0, 2 * Float(sin(angle))))
    }
    scene.pointClouds = [cloud]
    scene.room = Room(parts: [wall])
    // The half of the circle behind the ends, which look at its middle.
    let labels = try #require(labelled(scene).pointClouds[0].classes).labels
    for (index, position) in cloud.positions.enumerated() where abs(position.z) > 0.2 {
      #expect((labels[index] == 1) == (position.z < 0), "\(position)")
    }
  }
}
