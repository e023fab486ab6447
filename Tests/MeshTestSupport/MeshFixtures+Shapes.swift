import Foundation
import MeshPipeline

extension Mesh {
  /// Adds a face of three vertices of its own.
  package mutating func addFace(_ corners: Vector3...) {
    let first = UInt32(vertexCount)
    positions += corners
    indices += [first, first + 1, first + 2]
  }
}

extension MeshFixtures {
  /// A cone without its base: an apex at height 1 over a circle of radius 1 in the XZ plane.
  ///
  /// One boundary loop of `segments` edges, wound outwards.
  package static func openCone(segments: Int = 12) -> Mesh {
    var mesh = Mesh(name: "open cone", positions: [Vector3(0, 1, 0)])
    for segment in 0..<segments {
      let angle = 2 * Double.pi * Double(segment) / Double(segments)
      mesh.positions.append(Vector3(Float(cos(angle)), 0, Float(-sin(angle))))
    }
    for segment in 0..<UInt32(segments) {
      mesh.indices += [0, 1 + segment, 1 + (segment + 1) % UInt32(segments)]
    }
    return mesh
  }

  /// A unit sphere of rings of quads between two poles, closed and wound outwards.
  ///
  /// - Parameter holes: How many faces to take out, far from each other: each leaves a hole of three
  ///   edges.
  package static func sphere(segments: Int = 16, rings: Int = 8, holes: Int = 0) -> Mesh {
    var mesh = Mesh(name: "sphere", positions: [Vector3(0, 1, 0)])
    for ring in 1..<rings {
      let polar = Double.pi * Double(ring) / Double(rings)
      for segment in 0..<segments {
        let angle = 2 * Double.pi * Double(segment) / Double(segments)
        mesh.positions.append(
          Vector3(
            Float(sin(polar) * cos(angle)), Float(cos(polar)), Float(-sin(polar) * sin(angle))))
      }
    }
    mesh.positions.append(Vector3(0, -1, 0))
    let width = UInt32(segments)
    let last = UInt32(mesh.positions.count - 1)
    for segment in 0..<width {
      let next = (segment + 1) % width
      mesh.indices += [0, 1 + segment, 1 + next]
      for ring in 0..<UInt32(rings - 2) {
        let a = 1 + ring * width
        let b = a + width
        mesh.indices += [a + segment, b + segment, b + next, a + segment, b + next, a + next]
      }
      let lowest = 1 + UInt32(rings - 2) * width
      mesh.indices += [lowest + segment, last, lowest + next]
    }
    if holes > 0 {
      var keep = [Bool](repeating: true, count: mesh.faceCount)
      for hole in 0..<holes { keep[mesh.faceCount * (2 * hole + 1) / (2 * holes)] = false }
      mesh.keepFaces(keep)
      mesh.name = "sphere with holes"
    }
    return mesh
  }

  /// A torus around the Y axis, closed and wound outwards.
  package static func torus(
    segments: Int = 24, sides: Int = 12, radius: Double = 1, tubeRadius: Double = 0.25
  ) -> Mesh {
    var mesh = Mesh(name: "torus")
    for segment in 0..<segments {
      let around = 2 * Double.pi * Double(segment) / Double(segments)
      for side in 0..<sides {
        let turn = 2 * Double.pi * Double(side) / Double(sides)
        let distance = radius + tubeRadius * cos(turn)
        mesh.positions.append(
          Vector3(
            Float(distance * cos(around)), Float(tubeRadius * sin(turn)),
            Float(-distance * sin(around))))
      }
    }
    for segment in 0..<segments {
      for side in 0..<sides {
        let a = UInt32(segment * sides + side)
        let b = UInt32(segment * sides + (side + 1) % sides)
        let c = UInt32((segment + 1) % segments * sides + side)
        let d = UInt32((segment + 1) % segments * sides + (side + 1) % sides)
        mesh.indices += [a, c, d, a, d, b]
      }
    }
    return mesh
  }

  /// Two triangles that share one vertex and nothing else: a non-manifold vertex.
  package static var bowTie: Mesh {
    Mesh(
      name: "bow-tie",
      positions: [
        Vector3(0, 0, 0), Vector3(1, 0, 1), Vector3(1, 0, -1), Vector3(-1, 0, -1),
        Vector3(-1, 0, 1),
      ],
      indices: [0, 1, 2, 0, 3, 4])
  }

  /// Three triangles on one edge: a non-manifold edge.
  package static var fin: Mesh {
    Mesh(
      name: "fin",
      positions: [
        Vector3(0, 0, 0), Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(-1, 0, 0), Vector3(0, 1, 0),
      ],
      indices: [0, 1, 2, 1, 0, 3, 0, 1, 4])
  }

  /// The faces of a mesh with vertices of their own, as an STL file has them.
  package static func soup(of mesh: Mesh = grid(columns: 4, rows: 3)) -> Mesh {
    Mesh(
      name: "soup", positions: mesh.indices.map { mesh.positions[Int($0)] },
      indices: Array(0..<UInt32(mesh.indices.count)))
  }

  /// A Möbius strip: one boundary, no orientation.
  package static func moebiusStrip(segments: Int = 16) -> Mesh {
    var mesh = Mesh(name: "Möbius strip")
    for segment in 0..<segments {
      let around = 2 * Double.pi * Double(segment) / Double(segments)
      for side in [-0.3, 0.3] {
        let distance = 1 + side * cos(around / 2)
        mesh.positions.append(
          Vector3(
            Float(distance * cos(around)), Float(side * sin(around / 2)),
            Float(distance * sin(around))))
      }
    }
    for segment in 0..<UInt32(segments) {
      let a = 2 * segment
      // Behind the last segment the two sides have changed places.
      let wraps = segment + 1 == UInt32(segments)
      let c = wraps ? 1 : a + 2
      let d = wraps ? 0 : a + 3
      mesh.indices += [a, c, a + 1, a + 1, c, d]
    }
    return mesh
  }

  /// A grid with faces that should not be: repeated vertices, no area, doubles, NaN, and loose vertices.
  package static var degenerate: Mesh {
    var mesh = grid(columns: 2, rows: 2)
    mesh.name = "degenerate"
    mesh.positions += [
      Vector3(.nan, 0, 0), Vector3(7, 7, 7), Vector3(0, 0, .infinity), Vector3(-.zero, 0, 0),
    ]
    mesh.indices += [
      0, 0, 1,  // an edge
      0, 1, 2,  // three points on a line
      0, 3, 1,  // the first face again
      3, 1, 0,  // and again, from another corner
      0, 1, 9,  // a vertex that is not a number
      4, 11, 5,  // one at infinity
      12, 3, 1,  // the first face with an unwelded corner
    ]
    return mesh
  }

  /// A grid that has every attribute a mesh can have; its scene is ``sceneWithEverything``.
  package static var allAttributes: Mesh {
    var mesh = grid(columns: 4, rows: 3)
    mesh.name = "all attributes"
    mesh.normals = mesh.positions.map { _ in Vector3(0, 1, 0) }
    mesh.colors = mesh.positions.indices.map {
      Color(red: UInt8($0 * 10), green: UInt8(255 - $0), blue: 7, alpha: 200)
    }
    mesh.confidences = mesh.positions.indices.map { Float($0 % 3) }
    mesh.textureCoordinates = mesh.indices.indices.map {
      let position = mesh.positions[Int(mesh.indices[$0])]
      return Vector2(position.x / 4, position.z / 3)
    }
    mesh.secondTextureCoordinates = mesh.textureCoordinates?.map { Vector2($0.y, $0.x) }
    mesh.cornerNormals = mesh.indices.map { _ in Vector3(0, 1, 0) }
    mesh.addTangents()
    mesh.faceMaterials = (0..<mesh.faceCount).map { UInt32($0 % 2) }
    mesh.classes = FaceClasses(labels: (0..<mesh.faceCount).map { UInt16($0 / 6) })
    mesh.addCustomAttributes()
    return mesh
  }

  /// A scene with meshes, a point cloud, materials, a texture and frames, all attributes present.
  package static var sceneWithEverything: Scene {
    var cloud = PointCloud(name: "points", positions: allAttributes.positions)
    cloud.normals = cloud.positions.map { _ in Vector3(0, 1, 0) }
    cloud.colors = cloud.positions.map { _ in Color.white }
    cloud.confidences = cloud.positions.map { _ in 2 }
    cloud.classes = FaceClasses(labels: cloud.positions.map { _ in 2 })
    cloud.attributes = [
      CustomAttribute("scalar_Distance", values: .float64(cloud.positions.map { Double($0.x) }))
    ]
    let frame = Capture.Frame(
      name: "frame", image: .file("frame.jpg"), imageSize: SIMD2(1920, 1440),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(1450, 1450), principalPoint: SIMD2(960, 720)),
      pose: Transform(
        x: SIMD3(0.6, 0, -0.8), y: SIMD3(0, 1, 0), z: SIMD3(0.8, 0, 0.6),
        translation: SIMD3(1, 1.5, 2)))
    return Scene(
      name: "everything", meshes: [allAttributes, cube], pointClouds: [cloud],
      materials: [
        Material(name: "paint", baseColorTexture: 0),
        Material(name: "wood", baseColor: SIMD4(0.5, 0.25, 0.1, 1)),
      ],
      textures: [Texture(fileName: "paint.png", encoding: .png, bytes: [1, 2, 3])],
      capture: Capture(frames: [frame]))
  }

  /// Scenes for what every stage must stand: each fixture under its name.
  package static var all: [Scene] {
    let meshes = [
      grid(columns: 4, rows: 3), cube, openCone(), sphere(), sphere(holes: 3), torus(), bowTie, fin,
      soup(), moebiusStrip(), degenerate, Mesh(name: "empty mesh"),
    ]
    var pointsOnly = sceneWithEverything
    pointsOnly.name = "points only"
    pointsOnly.meshes = []
    return meshes.map { Scene(name: $0.name, meshes: [$0]) }
      + [sceneWithEverything, pointsOnly, Scene(name: "empty scene")]
  }
}
