import Foundation
import MeshPipeline
import Testing

/// Small scenes with everything that a format may keep or lose.
package enum SceneFixtures {
  /// A room of 4 m by 2.5 m by 3 m (X, Y up, Z) with its floor at Y = -1, unlike itself in every mirror.
  ///
  /// One mesh of welded quads: floor, one wall, a table. It has normals per vertex, colours,
  /// confidences, texture coordinates with a seam at every edge between quads of different kind, two
  /// materials with a picture for one of them, and ARKit's classes.
  package static var room: Scene {
    var builder = RoomBuilder()
    builder.addPlate(
      corner: SIMD3(0, -1, 0), along: SIMD3(0, 0, 3), across: SIMD3(4, 0, 0), cells: 6, label: 2)
    builder.addPlate(
      corner: SIMD3(0, -1, 0), along: SIMD3(4, 0, 0), across: SIMD3(0, 2.5, 0), cells: 4, label: 1)
    builder.addPlate(
      corner: SIMD3(0.5, -0.25, 1), along: SIMD3(0, 0, 1.5), across: SIMD3(1, 0, 0), cells: 2,
      label: 4)
    var mesh = builder.mesh
    mesh.name = "Living room"
    mesh.faceMaterials = mesh.classes?.labels.map { $0 == 4 ? 1 : 0 }
    return Scene(
      name: "room", meshes: [mesh],
      materials: [
        Material(name: "Plaster", baseColorTexture: 0),
        Material(
          name: "Dark wood", baseColor: SIMD4(0.25, 0.125, 0.0625, 1), metallic: 0, roughness: 0.5,
          isDoubleSided: true),
      ],
      textures: [Texture(fileName: "wall paper.png", encoding: .png, bytes: picture)])
  }

  /// The room without anything but faces and classes, as ARKit's own export has it.
  package static var classifiedRoom: Scene {
    var scene = room
    for index in scene.meshes.indices {
      scene.meshes[index].normals = nil
      scene.meshes[index].colors = nil
      scene.meshes[index].confidences = nil
      scene.meshes[index].textureCoordinates = nil
      scene.meshes[index].faceMaterials = nil
    }
    scene.materials = []
    scene.textures = []
    return scene
  }

  /// The vertices of the room as points with normals, colours, confidences and classes.
  package static var points: Scene {
    let mesh = room.meshes[0]
    var cloud = PointCloud(name: "points", positions: mesh.positions)
    cloud.normals = mesh.normals
    cloud.colors = mesh.colors
    cloud.confidences = mesh.confidences
    cloud.classes = FaceClasses(labels: mesh.positions.map { $0.y < -0.9 ? 2 : 1 })
    return Scene(name: "points", pointClouds: [cloud])
  }

  /// A PNG of 2 by 2 pixels: red, green over blue, white.
  package static let picture = [UInt8](
    Data(
      base64Encoded: """
        iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR42mP4z8DAAMIM/4EAAB/uBfvxq7p3AAAA\
        AElFTkSuQmCC
        """) ?? Data())
}

/// Puts plates of quads together and welds what lies at the same place.
private struct RoomBuilder {
  var mesh = Mesh()
  private var vertexAt: [Vector3: UInt32] = [:]

  init() {
    mesh.normals = []
    mesh.colors = []
    mesh.confidences = []
    mesh.textureCoordinates = []
    mesh.classes = FaceClasses(labels: [])
  }

  /// Adds a plate that faces `along × across`.
  mutating func addPlate(
    corner: SIMD3<Float>, along: SIMD3<Float>, across: SIMD3<Float>, cells: Int, label: UInt16
  ) {
    let normal = along.cross(across).normalized
    func place(_ u: Int, _ v: Int) -> SIMD3<Float> {
      corner + along * (Float(u) / Float(cells)) + across * (Float(v) / Float(cells))
    }
    for u in 0..<cells {
      for v in 0..<cells {
        let corners = [(u, v), (u + 1, v), (u + 1, v + 1), (u, v), (u + 1, v + 1), (u, v + 1)]
        for (u, v) in corners {
          mesh.indices.append(vertex(at: place(u, v), normal: normal))
          mesh.textureCoordinates?.append(
            Vector2(
              Float(u) / Float(cells) * 0.3 + Float(label) * 0.1, Float(v) / Float(cells) * 0.75))
        }
        mesh.classes?.labels += [label, label]
      }
    }
  }

  private mutating func vertex(at place: SIMD3<Float>, normal: SIMD3<Float>) -> UInt32 {
    let position = Vector3(place)
    if let known = vertexAt[position] { return known }
    let index = UInt32(mesh.vertexCount)
    vertexAt[position] = index
    mesh.positions.append(position)
    mesh.normals?.append(Vector3(normal))
    mesh.colors?.append(
      Color(red: UInt8(index * 7 % 256), green: UInt8(index * 31 % 256), blue: 200))
    mesh.confidences?.append(Float(index % 3))
    return index
  }
}

extension Provenance {
  /// What many stages made of files whose names end comments in most languages.
  package static var ofManyStages: Provenance {
    get throws {
      let names = (0..<40).map { "scans/*/*.obj \($0)".json }
      return try #require(
        Provenance([
          "version": 1, "meshpipe": "0.1.0", "pipeline": ["stages": JSONValue(.array(names))],
        ]))
    }
  }
}
