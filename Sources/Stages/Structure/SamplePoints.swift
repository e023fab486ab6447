public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Replaces the faces of a scene by points, uniformly on the surface or at the vertices.
public struct SamplePoints: Stage {
  public static let otherNames = ["points", "to-points", "point-cloud"]
  public static let summary =
    "Replaces the faces of a scene by points, uniformly on the surface or at the vertices."
  public static let discussion = """
    On the surface, points are distributed at random with uniform density: the faces are laid \
    out by area and each stretch of equal area gets one point (stratified sampling), so there \
    are neither clumps nor gaps along them. With `at: vertices` there is one point per used \
    vertex.

    The same seed gives the same points. Attributes of vertices are interpolated, and \
    a point has the class of its face. Its colour is that of the texture there, or of the material, times the colours of \
    vertices or faces; texture coordinates and materials are lost. Existing points of the scene stay.
    """
  public static let example = #"{ "use": "sample-points", "with": { "density": 2500 } }"#
  public static let dataFlow = StageDataFlow(
    makes: [.points],
    removes: [.faces, .textureCoordinates, .secondTextureCoordinates, .tangents, .materials])

  public struct Parameters: StageParameters {
    @Parameter("Position of the points.")
    public var at = Places.surface

    @Parameter(
      "Points per square metre on the surface; 10000 is one per square centimetre.", in: 1...1e9)
    public var density = 10_000.0

    @Parameter("Seed of the random positions.", in: 0...1e15)
    public var seed = 1

    public init() {}
  }

  /// Where the points are.
  public enum Places: String, CaseIterable, ParameterValue {
    /// Anywhere on the faces.
    case surface
    /// At each vertex that a face uses.
    case vertices
  }

  /// Why no points were sampled.
  public enum Failure: StageFailure, Equatable {
    /// The density asks for more points than a cloud can hold.
    case tooManyPoints(Double)

    public var message: String {
      switch self {
      case .tooManyPoints(let count):
        "the density asks for \(JSONValue.text(of: count.rounded())) points, more than "
          + "\(SamplePoints.limit); lower 'density', or check the scene's unit"
      }
    }
  }

  /// The maximum number of points of one mesh: a 32-bit count.
  static let limit = Int(Int32.max)

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    try RefusedSplats.check(scene, work: "sample")
    let unit = scene.coordinateSystem.metersPerUnit
    let colors = SurfaceColors(copy scene, in: context)
    for (index, mesh) in scene.meshes.enumerated() where mesh.faceCount > 0 {
      let density = parameters.density * unit * unit
      let samples =
        switch parameters.at {
        case .vertices: usedVertices(of: mesh)
        case .surface: try points(on: mesh, density: density, stream: index, in: context)
        }
      var cloud = mesh.cloud(of: samples)
      if let colors { cloud.colors = self.colors(of: samples, on: mesh, index, density, colors) }
      if !cloud.positions.isEmpty { scene.pointClouds.append(cloud) }
      try context.progress(Double(index + 1) / Double(scene.meshes.count))
    }
    scene.meshes = []
    scene.materials = []
    scene.textures = []
    scene.surfaceMaps = []
    try context.progress(1)
    return scene
  }

  /// - Parameters:
  ///   - density: In points per square unit of the mesh.
  ///   - stream: Sets the points of one mesh apart from those of the next.
  private func points(
    on mesh: Mesh, density: Double, stream: Int, in context: StageContext
  ) throws -> [Sample] {
    let areas = Parallel.array(count: mesh.faceCount) { face in
      mesh.isFinite(face) ? mesh.area(ofFace: face) : 0
    }
    let expected = areas.reduce(0, +) * density
    guard expected < Double(Self.limit) else { throw Failure.tooManyPoints(expected) }
    let count = Int(expected.rounded(.up))
    var random = SplitMix64(seed: UInt64(parameters.seed) &+ UInt64(stream) << 32)
    var samples: [Sample] = []
    samples.reserveCapacity(count)
    let step = expected / Double(max(count, 1))
    var next = random.unit() * step
    var reached = 0.0
    for face in areas.indices {
      if face % 65_536 == 0 { try context.checkCancellation() }
      reached += areas[face] * density
      while next < reached {
        samples.append(Sample(face: face, random: &random))
        next = (Double(samples.count) + random.unit()) * step
      }
    }
    return samples
  }

  /// The colours of the surface at some points: around a vertex, or for the share of the surface that a point stands for.
  private func colors(
    of samples: [Sample], on mesh: Mesh, _ index: Int, _ density: Double, _ colors: SurfaceColors
  ) -> [Color] {
    guard parameters.at == .surface else {
      let ofVertices = colors.colors(ofVerticesOf: mesh, index: index)
      return samples.map { ofVertices[Int(mesh.indices[$0.heaviestCorner])] }
    }
    return Parallel.array(count: samples.count) { place in
      colors.color(
        ofMesh: index, face: samples[place].face, weights: samples[place].weights,
        area: Float(1 / density))
    }
  }

  private func usedVertices(of mesh: Mesh) -> [Sample] {
    var isTaken = [Bool](repeating: false, count: mesh.vertexCount)
    var samples: [Sample] = []
    samples.reserveCapacity(mesh.vertexCount)
    for corner in mesh.indices.indices where !isTaken[Int(mesh.indices[corner])] {
      isTaken[Int(mesh.indices[corner])] = true
      samples.append(Sample(corner: corner))
    }
    return samples
  }
}

/// A point on a face, by its barycentric weights.
private struct Sample {
  private let number: UInt32
  private let packed: Vector3

  var face: Int { Int(number) }
  var weights: SIMD3<Float> { packed.simd }
  /// The corner at which it is, if it is at one.
  var heaviestCorner: Int {
    let weights = weights
    return 3 * face + (weights.x >= weights.max() ? 0 : weights.y >= weights.max() ? 1 : 2)
  }

  init(corner: Int) {
    number = UInt32(truncatingIfNeeded: corner / 3)
    var weights = SIMD3<Float>.zero
    weights[corner % 3] = 1
    packed = Vector3(weights)
  }

  /// A uniformly random point on the face.
  init(face: Int, random: inout SplitMix64) {
    number = UInt32(truncatingIfNeeded: face)
    let root = Float(random.unit().squareRoot())
    let share = Float(random.unit())
    packed = Vector3(1 - root, root * (1 - share), root * share)
  }
}

extension Mesh {
  fileprivate func cloud(of samples: [Sample]) -> PointCloud {
    var cloud = PointCloud(name: name)
    cloud.positions = samples.map { sample in
      let (a, b, c) = vertices(ofFace: sample.face)
      return Vector3(
        positions[Int(a)].simd * sample.weights.x + positions[Int(b)].simd * sample.weights.y
          + positions[Int(c)].simd * sample.weights.z)
    }
    if let names = classes?.names { cloud.classes = FaceClasses(labels: [], names: names) }
    Mesh.forEachAttribute(Sampling(mesh: self, samples: samples), &cloud)
    for element in Mesh.elements {
      var sampled = self[keyPath: Mesh.customAttributes(of: element)]
      sampled.removeAll { cloud.attributes[$0.name] != nil }
      sampled.apply(SampledElements(element: element, indices: indices, samples: samples))
      cloud.attributes += sampled
    }
    return cloud
  }
}

/// Gives points the attributes of the surface.
private struct Sampling: AttributeVisitor {
  let mesh: Mesh
  let samples: [Sample]

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ cloud: inout PointCloud)
  {
    guard let path = attribute.ofPoints, let all = mesh[keyPath: attribute.path] else { return }
    let sampled = SampledElements(
      element: attribute.element, indices: mesh.indices, samples: samples)
    cloud[keyPath: path] = sampled.values(of: all, width: 1) { _ in attribute.neutral }
  }
}

/// Interpolates the values of vertices or corners, or takes those of faces.
private struct SampledElements: AttributeOperation {
  let element: AttributeElement
  let indices: [UInt32]
  let samples: [Sample]

  func apply<Value: AttributeValue>(to values: inout [Value], width: Int) {
    let all = values
    values = self.values(of: all, width: width) { all[$0] }
  }

  /// - Parameter fallback: The value where there is no mean, by the place of the first one.
  func values<Value: AttributeValue>(
    of all: [Value], width: Int, fallback: (Int) -> Value
  ) -> [Value] {
    var result: [Value] = []
    result.reserveCapacity(width * samples.count)
    for sample in samples {
      let face = sample.face
      if element == .face {
        for part in 0..<width { result.append(all[width * face + part]) }
        continue
      }
      let corner = 3 * face
      let (a, b, c) =
        element == .corner
        ? (corner, corner + 1, corner + 2)
        : (Int(indices[corner]), Int(indices[corner + 1]), Int(indices[corner + 2]))
      for part in 0..<width {
        result.append(
          .mix(
            all[width * a + part], all[width * b + part], all[width * c + part],
            weights: sample.weights, fallback: fallback(width * a + part)))
      }
    }
    return result
  }
}
