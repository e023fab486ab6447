import Foundation
import MeshPipeline
import MeshTestSupport

/// A format of a few lines of text, for tests of the engine: what a scene has, in words.
///
/// Reads `columns N`, `classes NAME…`, `side FILE`, `frames N`; writes counts, names and axes.
enum Tri: ReadableFormat, WritableFormat {
  static let id = "tri"
  static let name = "Test triangles"
  static let extensions = ["tri"]
  static let canBring: Set<SceneFeature> = [.faces, .classification, .normals]
  static let keeps: Set<SceneFeature> = [.faces, .classification, .normals]
  static let axes = AxisConvention.undeclared(usually: .arkit)
  static let remark = ""

  struct Options: StageParameters {
    @Parameter("Decimals of a number.", in: 0...9)
    var digits = 3
    @Parameter("A remark at the top of the file.")
    var comment = ""
  }

  static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    let text: String
    do {
      text = String(decoding: try FileSystem.contents(of: path), as: UTF8.self)
    }
    var scene = Scene(name: "test")
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "columns":
        var mesh = MeshFixtures.grid(columns: Int(words[1]) ?? 1, rows: 1)
        mesh.name = "mesh\(scene.meshes.count)"
        scene.meshes.append(mesh)
      case "classes":
        let last = scene.meshes.count - 1
        var classes = FaceClasses(labels: [])
        for face in 0..<scene.meshes[last].faceCount {
          classes.labels.append(classes.label(named: words[1 + face % (words.count - 1)]) ?? 0)
        }
        scene.meshes[last].classes = classes
      case "side": context.didOpen(FileSystem.folder(of: path) + "/" + words[1])
      default: throw TestFailure("\(path): unknown word '\(words.first ?? "")'")
      }
      try context.stage.progress(0.5)
    }
    return scene
  }

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let options = try context.options(of: Tri.self)
    context.warnOfLosses(of: scene, in: Tri.self)
    let box = scene.bounds
    let text = """
      \(options.comment)
      faces \(scene.faceCount) vertices \(scene.vertexCount) digits \(options.digits)
      classes \(scene.meshes.compactMap(\.classes).flatMap(\.presentNames))
      up \(scene.coordinateSystem.up) size \(box.size)
      """
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(text)
    try writer.finish()
  }
}

/// A format that keeps everything, has axes of its own, and writes side files.
enum Full: WritableFormat {
  static let id = "full"
  static let name = "Test model"
  static let extensions = ["full"]
  static let keeps = Set(SceneFeature.allCases)
  static let axes = AxisConvention.fixed(.arkit)
  static let remark = ""

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    for texture in scene.textures {
      let writer = try FileWriter(creating: output.sidePath(texture.fileName))
      try writer.write(texture.bytes)
      try writer.finish()
    }
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write("model of \(scene.faceCount) faces\n")
    try writer.finish()
  }
}

/// A format that holds levels: the faces of each, and the up axis if it is not the usual one.
enum Several: WritableFormat {
  static let id = "several"
  static let name = "Test of levels"
  static let extensions = ["several"]
  static let keeps = Set(SceneFeature.allCases)
  static let axes = AxisConvention.declared
  static let remark = ""
  static let holdsLevels = true

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let levels = ([scene] + context.lighterLevels).map { level in
      "\(level.faceCount)\(level.coordinateSystem.up == .y ? "" : "z")"
    }
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write(levels.joined(separator: " "))
    try writer.finish()
  }
}

/// A format of points alone.
enum Dots: ReadableFormat, WritableFormat {
  static let id = "dots"
  static let name = "Test points"
  static let extensions = ["dots"]
  static let canBring: Set<SceneFeature> = [.points]
  static let keeps: Set<SceneFeature> = [.points]
  static let axes = AxisConvention.declared
  static let remark = ""

  static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    Scene(pointClouds: [PointCloud(positions: [.zero])])
  }

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write("points")
    try writer.finish()
  }
}

/// A format whose disk is full after the first bytes.
enum Doomed: WritableFormat {
  static let id = "doomed"
  static let name = "Test of a full disk"
  static let extensions = ["doomed"]
  static let keeps = Set(SceneFeature.allCases)
  static let axes = AxisConvention.declared
  static let remark = ""

  static func write(_ scene: Scene, to output: OutputSet, in context: WritingContext) throws {
    let writer = try FileWriter(creating: output.mainPath)
    try writer.write("half of it")
    try writer.finish()
    throw FileError(.write, output.mainPath, code: ENOSPC)
  }
}

struct TestFailure: StageFailure, Equatable {
  var message: String
  init(_ message: String) { self.message = message }
}
