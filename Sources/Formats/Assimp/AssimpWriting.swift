package import MeshPipeline
import NativeLibraries
import Workers

/// How a format is written through Assimp.
package struct AssimpExporter: Sendable {
  /// Where textures are stored.
  package enum Pictures: Sendable { case embedded, beside }

  /// How axes and unit of a scene are stored.
  package enum Axes: Sendable, Equatable {
    /// The file declares them.
    case declared
    /// The root node converts the scene to Y up and metres.
    case root
    /// The coordinates themselves are converted to a system.
    case baked(CoordinateSystem)
  }

  /// Assimp's id of the exporter.
  package var id: String
  package var pictures: Pictures
  package var axes: Axes
  /// Whether names are limited to letters, digits, hyphens, periods and underscores.
  package var namesArePlain: Bool

  package init(
    _ id: String, pictures: Pictures, axes: Axes, namesArePlain: Bool = false
  ) {
    self.namesArePlain = namesArePlain
    self.id = id
    self.pictures = pictures
    self.axes = axes
  }
}

/// A format that Assimp writes in its worker process.
package protocol AssimpWritableFormat: WritableFormat {
  static var exporter: AssimpExporter { get }
}

extension AssimpWritableFormat {
  package static func write(
    _ nearest: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    let levels = SceneLevels(nearest, lighter: context.lighterLevels)
    var scene = levels.scene
    let holdsPoints = keeps.contains(.points)
    guard scene.faceCount > 0 || (holdsPoints && scene.pointCount > 0) else {
      throw UnwritableScene.nothingToWrite(
        format: name, holds: holdsPoints ? "faces and points" : "faces")
    }
    try context.requireFinitePositions(of: scene)
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)
    if !holdsPoints { scene.pointClouds = [] }
    let ready = try prepared(scene, levels.counts, to: output, in: context)
    let worker = try AssimpWorker.worker(forBytes: ready.byteCount)
    do {
      // What Assimp writes itself it keeps in short texts.
      let provenance =
        switch holdsProvenance {
        case .none: nil as Provenance?
        case .short: context.provenance?.fitting(AssimpExport.longestText)
        case .full: context.provenance
        }
      try worker.write(
        ready, madeBy: provenance, as: exporter.id, to: output.mainPath, in: context.stage)
      try WrittenModelCheck(scene).check(output.mainPath, in: context.stage)
    } catch let error as Cancelled {
      throw error
    } catch {
      // On a full disk Assimp crashes, or reports nothing.
      try FileSystem.requireRoom(at: output.mainPath)
      throw error
    }
  }

  /// The scene for the exporter, with textures written to separate files.
  ///
  /// - Parameter levels: The number of meshes with faces of each level of detail.
  private static func prepared(
    _ scene: Scene, _ levels: [Int], to output: OutputSet, in context: WritingContext
  ) throws -> Scene {
    var scene = try scene.withCommonTextures(.inAnyModel, in: context)
    let system = scene.coordinateSystem
    switch exporter.axes {
    case .baked(let target):
      scene.apply(system.transform(to: target))
      // The root node has nothing left to convert.
      scene.coordinateSystem = .arkit
    case .declared, .root:
      // Neither FBX nor a rotation can express left-handed coordinates.
      guard system.handedness == .left else { break }
      scene.coordinateSystem.handedness = .right
      scene.apply(system.transform(to: scene.coordinateSystem))
    }
    for index in scene.materials.indices { scene.materials[index].removeDarkEmissiveTexture() }
    var fileNames: [String?]?
    var maps: [WritableKeyPath<Material, Int?>] = [\.baseColorTexture, \.normalTexture]
    if keeps.contains(.emissiveMaps) { maps.append(\.emissiveTexture) }
    if exporter.pictures == .beside {
      let files = TextureFiles(of: scene, beside: output, maps: maps)
      try files.write(scene, to: output, in: context)
      fileNames = files.names
    }
    var ready = AssimpExportScene(
      scene, levels: levels, fileNames: fileNames,
      maps: maps
    ).scene
    if exporter.namesArePlain {
      for index in ready.meshes.indices { ready.meshes[index].name.makePlain() }
      for index in ready.materials.indices { ready.materials[index].name.makePlain() }
    }
    return ready
  }
}

/// Compares a written model with its source.
struct WrittenModelCheck {
  private let faceCount: Int
  private let pointCount: Int
  private let bounds: Box

  init(_ scene: Scene) {
    faceCount = scene.faceCount
    pointCount = scene.pointCount
    bounds = Self.boundsInMeters(scene)
  }

  /// Reads the model in a worker and compares counts and size.
  ///
  /// - Throws: ``WrittenModelFault`` if they differ.
  func check(_ path: String, in context: StageContext) throws {
    let size = try FileSystem.status(of: path)?.size ?? 0
    let read: Scene
    do {
      read = try AssimpWorker.worker(forBytes: size).readBack(path, in: context)
    } catch let error as WorkerError {
      guard error.exitCode != .temporary else { throw error }
      throw WrittenModelFault.unreadable(path: path, reason: error.message)
    }
    guard read.faceCount == faceCount, read.pointCount == pointCount else {
      throw WrittenModelFault.counts(
        path: path, expected: "\(faceCount) faces and \(pointCount) points",
        found: "\(read.faceCount) and \(read.pointCount)")
    }
    let box = Self.boundsInMeters(read)
    let tolerance = max(1e-4 * bounds.extent, 2e-6)
    let difference = max(
      (box.minimum - bounds.minimum).magnitude.max(),
      (box.maximum - bounds.maximum).magnitude.max())
    guard difference <= tolerance else {
      throw WrittenModelFault.bounds(path: path, difference: difference)
    }
  }

  /// The bounding box of faces and points; vertices that no face uses are not written.
  private static func boundsInMeters(_ scene: Scene) -> Box {
    let transform = scene.coordinateSystem.transform(to: .arkit)
    var box = Box()
    func add(_ position: Vector3) {
      box.add(SIMD3<Float>(transform.apply(toPoint: position.double)))
    }
    for mesh in scene.meshes {
      for (position, isUsed) in zip(mesh.positions, mesh.usedVertices) where isUsed {
        add(position)
      }
    }
    for cloud in scene.pointClouds { cloud.positions.forEach(add) }
    return box
  }
}

/// A written model that differs from its source.
package enum WrittenModelFault: UserError, Equatable {
  case unreadable(path: String, reason: String)
  case counts(path: String, expected: String, found: String)
  case bounds(path: String, difference: Float)

  package var exitCode: ExitCode { .inputOutput }

  package var message: String {
    let (path, found) =
      switch self {
      case .unreadable(let path, let reason): (path, "can't be read back: \(reason)")
      case .counts(let path, let expected, let found):
        (path, "should have \(expected), but has \(found) when read back")
      case .bounds(let path, let difference):
        (path, "has other coordinates when read back, by \(difference) m")
      }
    return "\(path): the written file \(found); the disk may be full"
  }
}

extension String {
  /// Replaces everything except letters, digits, hyphens, periods and underscores.
  fileprivate mutating func makePlain() {
    self = String(map { $0.isLetter || $0.isNumber || "-._".contains($0) ? $0 : "_" })
    if first?.isLetter != true { self = "_" + self }
  }
}

extension SIMD3<Float> {
  fileprivate var magnitude: Self { replacing(with: -self, where: self .< 0) }
}

extension Scene {
  /// The bytes of all arrays, to determine a worker's limits.
  fileprivate var byteCount: Int {
    meshes.reduce(0) { $0 + 64 * $1.vertexCount + 48 * $1.faceCount }
      + textures.reduce(0) { $0 + $1.bytes.count }
  }
}
