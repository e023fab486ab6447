public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Keeps or removes parts of a scan by class: floor, wall, table and so on.
public struct FilterClassification: Stage {
  public static let summary =
    "Keeps or removes parts of a scan by class: floor, wall, table and so on."
  public static let discussion = """
    Keeps the classes in `keep` and removes those in `drop`: without `keep` all classes stay, \
    and `drop` takes precedence. `minimumArea` first removes label noise by giving small islands \
    the class that surrounds most of their border, and `boundary` then grows or shrinks the kept \
    part by `rings` rings of faces.

    ARKit's and RoomPlan's class names are always known, others when the scan has them; case is ignored. Faces \
    without a class count as `none`.

    Meshes that lose all faces are removed. Points are filtered by their classes too; they have \
    no borders, so `minimumArea` and `boundary` do not apply to them. A scan without classes is \
    an error; guard the stage with `"when": "classification"` when some scans have none. Run \
    `weld` first when the parts of the scan do not share vertices.
    """
  public static let example = #"""
    { "use": "filter-classification", "with": { "drop": ["ceiling"], "minimumArea": "0.05m2" } }
    """#
  public static let dataFlow = StageDataFlow(needs: [.classification])

  public struct Parameters: StageParameters {
    @Parameter("Classes to keep; all when empty.")
    public var keep: [ClassLabel] = []

    @Parameter("Classes to remove.")
    public var drop: [ClassLabel] = []

    @Parameter("End of the kept part: at the border of its classes, beyond it or short of it.")
    public var boundary = Boundary.sharp

    @Parameter("Number of rings of faces by which the kept part grows or shrinks.", in: 1...1000)
    public var rings = 1

    @Parameter(
      "Islands of a class smaller than this take the surrounding class; 0 disables it.",
      in: 0...Double.infinity)
    public var minimumArea = Area(squareMeters: 0)

    public init() {}

    public func faults() -> [String] {
      guard keep.isEmpty, drop.isEmpty, minimumArea.squareMeters == 0 else { return [] }
      return ["give the classes to 'keep' or to 'drop'"]
    }
  }

  /// Where the kept part ends.
  public enum Boundary: String, CaseIterable, ParameterValue {
    /// At the border of the class.
    case sharp
    /// Beyond it, by a number of rings.
    case grow
    /// Short of it, by a number of rings; the scan's open borders stay.
    case shrink
  }

  /// Why the scan could not be filtered.
  public enum Failure: StageFailure, Equatable {
    /// The scan has no classes.
    case noClassification
    /// No part of the scan has the class; the most similar name, or that of a number, and the classes it has.
    case unknownClass(String, nearest: String?, present: [ClassCount])
    /// All of the scan was filtered out.
    case nothingLeft(present: [ClassCount])

    public var message: String {
      switch self {
      case .noClassification:
        "the scan has no classes; export it with them (in OBJ as groups, in PLY as a property of faces), "
          + "or guard the stage with \"when\": \"classification\" if only some scans have them"
      case .unknownClass(let name, let nearest, let present):
        "unknown class '\(name)'"
          + (nearest.map {
            Int(name) == nil ? " (did you mean '\($0)'?)" : " (class \(name) is '\($0)')"
          } ?? "") + "; the scan has \(ClassCount.list(present))"
      case .nothingLeft(let present):
        "nothing is left: the scan has \(ClassCount.list(present)), and all of it was filtered "
          + "away; change 'keep' or 'drop', or guard the stage with 'when'"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let features = scene.features
    guard features.contains(.faces) || features.contains(.points) else {
      try context.progress(1)
      return scene
    }
    guard features.contains(.classification) else { throw Failure.noClassification }
    let present = ClassCount.all(in: scene)
    try checkNames(present, scene.survey)

    var absorbed = 0
    let minimumArea = parameters.minimumArea.units(in: scene.coordinateSystem)
    for index in scene.meshes.indices {
      try context.progress(Double(index) / Double(scene.meshes.count))
      if minimumArea > 0, let classes = scene.meshes[index].classes {
        let result = absorbingSmallIslands(
          of: scene.meshes[index], labels: classes.labels,
          below: minimumArea)
        scene.meshes[index].classes?.labels = result.labels
        absorbed += result.absorbed
      }
      let keep = facesToKeep(in: scene.meshes[index])
      scene.meshes[index].keepFaces(keep)
    }
    if parameters.minimumArea.squareMeters > 0 {
      context.note("islandsAbsorbed", JSONValue(.number(Double(absorbed))))
    }
    for index in scene.pointClouds.indices {
      let classes = scene.pointClouds[index].classes
      let count = scene.pointClouds[index].positions.count
      scene.pointClouds[index].keepPoints(isKept(classes, count: count))
    }
    scene.meshes.removeAll { $0.faceCount == 0 }
    scene.pointClouds.removeAll { $0.positions.isEmpty }
    guard scene.faceCount + scene.pointCount > 0 else {
      throw Failure.nothingLeft(present: present)
    }
    try context.progress(1)
    return scene
  }

  /// Throws if a name is neither ARKit's or RoomPlan's nor one of the scan's.
  private func checkNames(_ present: [ClassCount], _ survey: Survey?) throws(Failure) {
    let known = FaceClasses.arkitNames + FaceClasses.roomNames + present.map(\.name)
    for label in parameters.keep + parameters.drop
    where !known.contains(ClassLabel.normalized(label.name)) {
      let nearest: String?
      if let number = Int(label.name) {
        nearest = ClassCount.name(ofNumber: number, in: present, survey)
      } else {
        // Names in the scan are better suggestions than names it could have.
        nearest =
          nearestName(to: label.name, in: present.map(\.name))
          ?? nearestName(to: label.name, in: known)
      }
      throw .unknownClass(label.name, nearest: nearest, present: present)
    }
  }

  private func facesToKeep(in mesh: Mesh) -> [Bool] {
    let kept = isKept(mesh.classes, count: mesh.faceCount)
    return switch parameters.boundary {
    case .sharp: kept
    case .grow: growing(kept, by: parameters.rings, in: mesh)
    case .shrink: shrinking(kept, by: parameters.rings, in: mesh)
    }
  }

  /// Whether each face or point is kept, judged by its class only.
  private func isKept(_ classes: FaceClasses?, count: Int) -> [Bool] {
    guard let classes else { return Array(repeating: keeps("none"), count: count) }
    let keepsLabel = classes.names.map(keeps)
    return classes.labels.map { keepsLabel[Int($0)] }
  }

  /// Whether faces and points of a class are kept.
  private func keeps(_ name: String) -> Bool {
    (parameters.keep.isEmpty || parameters.keep.contains { $0.matches(name) })
      && !parameters.drop.contains { $0.matches(name) }
  }
}

/// A class of a scan with its numbers of faces and points.
public struct ClassCount: Sendable, Equatable {
  /// The name of the class; `none` for elements without one.
  public var name: String
  /// The number of its faces and points.
  public var count: Int

  /// Creates the count of a class.
  public init(name: String, count: Int) {
    self.name = name
    self.count = count
  }

  /// The classes of a scene, the largest first; elements without a class count as `none`.
  static func all(in scene: Scene) -> [ClassCount] {
    var counts: [String: Int] = [:]
    func add(_ classes: FaceClasses?, count: Int) {
      guard let classes else { return counts["none", default: 0] += count }
      for (name, count) in zip(classes.names, classes.counts) {
        counts[ClassLabel.normalized(name), default: 0] += count
      }
    }
    for mesh in scene.meshes { add(mesh.classes, count: mesh.faceCount) }
    for cloud in scene.pointClouds { add(cloud.classes, count: cloud.positions.count) }
    return counts.filter { $0.value > 0 }.map { ClassCount(name: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The class of a scan that a number stands for, as a code of the ASPRS, for ARKit or without a name; nil if there is none.
  static func name(ofNumber number: Int, in present: [ClassCount], _ survey: Survey?) -> String? {
    let own = survey?.classCodes.first { Int($0.value) == number }?.key
    // Readers of such codes leave a survey.
    let schemes: [ClassScheme] = survey == nil ? [.arkit, .asprs] : [.asprs, .arkit]
    let names = schemes.map { $0.name(of: number, column: "class") }
    let all = present.map(\.name)
    return own ?? names.first(where: all.contains) ?? all.first { $0.hasSuffix("-\(number)") }
  }

  /// `wall (1200), floor (300)`.
  static func list(_ classes: [ClassCount]) -> String {
    classes.map { "\($0.name) (\($0.count))" }.joined(separator: ", ")
  }
}
