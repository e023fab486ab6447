import MeshPipeline
import POSIX

/// The faces of a shape that a prim describes by its dimensions (`UsdGeomGprim`).
struct USDSolid {
  private(set) var positions: [Vector3] = []
  /// The number of corners of each polygon, and their vertices; counter-clockwise from outside.
  private(set) var sizes: [Int32] = []
  private(set) var indices: [Int32] = []
  /// One for each element of ``indices``; nil for flat faces.
  private(set) var cornerNormals: [Vector3]?

  /// Faces around the axis, whose distance from a round shape is .0012 of its radius.
  private static let segmentCount = 64

  /// - Returns: Nil if the type is not one of a shape that is known.
  init?(_ stage: USDStage, _ prim: USDObject, type: String) throws {
    func length(_ name: String, _ standard: Double) throws -> Double {
      let length = try stage.numbers(name, of: prim)?.first ?? standard
      guard length >= 0, length.isFinite else {
        throw stage.fault(prim, "\(name) must be a length, not \(length)")
      }
      return length
    }
    let axis = try stage.text("axis", value: prim) ?? "Z"
    switch type {
    case "Cube":
      addCube(halfSize: Float(try length("size", 2) / 2))
      return
    case "Plane":
      let (width, length) = (try length("width", 2) / 2, try length("length", 2) / 2)
      // Along x and y; with another axis its turn from Z exchanges the two.
      addPlane(Float(axis == "Z" ? width : length), Float(axis == "Z" ? length : width))
    case "Sphere":
      revolve([Self.arc(around: 0, try length("radius", 1), from: -90, to: 90)])
      return
    case "Capsule":
      let (radius, half) = (try length("radius", 0.5), try length("height", 1) / 2)
      revolve([
        Self.arc(around: -half, radius, from: -90, to: 0)
          + Self.arc(around: half, radius, from: 0, to: 90)
      ])
    case "Cylinder":
      let (radius, half) = (try length("radius", 1), try length("height", 2) / 2)
      let side = [(radius, -half), (radius, half)].map { Profile($0.0, $0.1, normal: (1, 0)) }
      revolve([Self.cap(radius, -half), side, Self.cap(radius, half).reversed()])
    case "Cone":
      let (radius, height) = (try length("radius", 1), try length("height", 2))
      let slope = max((radius * radius + height * height).squareRoot(), .leastNormalMagnitude)
      let normal = (height / slope, radius / slope)
      let side = [(radius, -height / 2), (0, height / 2)].map {
        Profile($0.0, $0.1, normal: normal)
      }
      revolve([Self.cap(radius, -height / 2), side])
    default: return nil
    }
    turn(to: axis)
  }

  /// From Z to another axis.
  private mutating func turn(to axis: String) {
    func turned(_ vector: Vector3) -> Vector3 {
      switch axis {
      case "X": Vector3(vector.z, vector.x, vector.y)
      case "Y": Vector3(vector.y, vector.z, vector.x)
      default: vector
      }
    }
    positions = positions.map(turned)
    cornerNormals = cornerNormals?.map(turned)
  }

  private mutating func addCube(halfSize half: Float) {
    positions = (0..<8).map {
      Vector3($0 & 1 == 0 ? -half : half, $0 & 2 == 0 ? -half : half, $0 & 4 == 0 ? -half : half)
    }
    sizes = [4, 4, 4, 4, 4, 4]
    indices = [
      0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5,
    ]
  }

  private mutating func addPlane(_ x: Float, _ y: Float) {
    positions = [Vector3(-x, -y, 0), Vector3(x, -y, 0), Vector3(x, y, 0), Vector3(-x, y, 0)]
    sizes = [4]
    indices = [0, 1, 2, 3]
  }

  // MARK: Surfaces of revolution

  /// A point of a curve that is turned around Z.
  private struct Profile {
    var radius: Double
    var z: Double
    /// Away from Z, and along it.
    var normal: (radial: Double, axial: Double)

    init(_ radius: Double, _ z: Double, normal: (Double, Double)) {
      self.radius = radius
      self.z = z
      self.normal = normal
    }
  }

  /// A part of a circle around a point of the axis, between angles from the equator in degrees.
  private static func arc(
    around z: Double, _ radius: Double, from low: Int, to high: Int
  ) -> [Profile] {
    let count = segmentCount * (high - low) / 360
    return (0...count).map { index in
      let degrees = Double(low) + Double((high - low) * index) / Double(count)
      let angle = degrees * .pi / 180
      // Exactly on the axis at the poles.
      let normal = (abs(degrees) == 90 ? 0 : cos(angle), sin(angle))
      return Profile(radius * normal.0, z + radius * normal.1, normal: normal)
    }
  }

  /// A disk, from its centre outwards.
  private static func cap(_ radius: Double, _ z: Double) -> [Profile] {
    [0, radius].map { Profile($0, z, normal: (0, z < 0 ? -1 : 1)) }
  }

  /// Turns curves, each of which begins where the last one ends, from bottom to top.
  private mutating func revolve(_ curves: [[Profile]]) {
    let count = Self.segmentCount
    var normals: [Vector3] = []
    /// The first vertex of the last ring, which has one vertex on the axis.
    var last: (first: Int, profile: Profile)?
    for curve in curves {
      for (place, profile) in curve.enumerated() {
        let isKnown = last.map { $0.profile.radius == profile.radius && $0.profile.z == profile.z }
        let first = isKnown == true ? last?.first ?? 0 : addRing(profile)
        defer { last = (first, profile) }
        guard place > 0, let below = last else { continue }
        for segment in 0..<count {
          addFace(
            segment, between: (below.first, below.profile), and: (first, profile), &normals)
        }
      }
    }
    cornerNormals = normals
  }

  private static func direction(_ segment: Int) -> (x: Double, y: Double) {
    let angle = 2 * .pi * Double(segment % segmentCount) / Double(segmentCount)
    return (cos(angle), sin(angle))
  }

  private mutating func addRing(_ profile: Profile) -> Int {
    let first = positions.count
    for segment in 0..<(profile.radius == 0 ? 1 : Self.segmentCount) {
      let (x, y) = Self.direction(segment)
      positions.append(
        Vector3(Float(profile.radius * x), Float(profile.radius * y), Float(profile.z)))
    }
    return first
  }

  private mutating func addFace(
    _ segment: Int, between below: (first: Int, Profile), and above: (first: Int, Profile),
    _ normals: inout [Vector3]
  ) {
    var polygon: [(ring: (first: Int, Profile), segment: Int)] = [(below, segment)]
    if below.1.radius > 0 { polygon.append((below, segment + 1)) }
    polygon.append((above, segment + 1))
    if above.1.radius > 0 { polygon.append((above, segment)) }
    // Both on the axis: no face.
    guard polygon.count > 2 else { return }
    sizes.append(Int32(polygon.count))
    for (ring, meridian) in polygon {
      let isOnAxis = ring.1.radius == 0
      indices.append(Int32(ring.first + (isOnAxis ? 0 : meridian % Self.segmentCount)))
      let (radial, axial) = ring.1.normal
      let (x, y) = Self.direction(meridian)
      normals.append(Vector3(Float(radial * x), Float(radial * y), Float(axial)))
    }
  }
}
