import Foundation
import MeshPipeline
import Synchronization

extension Stage {
  static var discussion: String { "" }
  static var example: String { #"{ "use": "\#(name)" }"# }
}

/// Keeps the first faces.
struct Thin: Stage {
  static let summary = "Keeps the first faces."
  struct Parameters: StageParameters {
    @Parameter(required: "Faces to keep.", placeholder: .fraction(1))
    var target: Amount
    @Parameter("Largest deviation.", in: 0...1)
    var maxError = RelativeLength.fraction(1)
    @Parameter("What stays.")
    var preserve: [Kept] = []
    @Parameter("How sure to be.", in: 0...1, formerly: "sureness")
    var ratio = 0.5
    @Parameter("Ranks.")
    var ranks: [Int] = []
    @Parameter("A colour.", in: 0...255)
    var tint: NumberVector? = nil
    @Parameter("A direction.")
    var along = NumberVector(SIMD3(0, 1, 0))
    @Parameter("A place.")
    var place = LengthVector(meters: .zero)

    static let formerOptions = ["speed": "is fixed at 1 now"]

    func faults() -> [String] {
      if case .count(let count) = target, count == 13 { return ["13 faces bring bad luck"] }
      return []
    }
  }
  enum Kept: String, CaseIterable, ParameterValue { case borders, seams }

  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    for index in scene.meshes.indices {
      let count = scene.meshes[index].faceCount
      let kept = parameters.target.resolved(of: count)
      scene.meshes[index].keepFaces((0..<count).map { $0 < kept })
      try context.progress(1)
    }
    context.note("kept", JSONValue(.number(Double(scene.faceCount))))
    return scene
  }
}

/// Makes a texture out of frames.
struct Paint: Stage {
  static let summary = "Makes a texture out of frames."
  static let dataFlow = StageDataFlow(needs: [.faces, .frames], makes: [.textures])
  init(_ parameters: NoParameters) {}
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    scene.textures.append(Texture(fileName: "skin.png", encoding: .png, bytes: [1, 2, 3]))
    return scene
  }
}

/// Makes a texture out of nothing.
struct Skin: Stage {
  static let summary = "Makes a texture out of nothing."
  static let dataFlow = StageDataFlow(makes: [.textures])
  struct Parameters: StageParameters {
    @Parameter("The bytes of the texture.")
    var bytes: [Int] = [1]
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let bytes = parameters.bytes.map { UInt8(truncatingIfNeeded: $0) }
    scene.textures.append(Texture(fileName: "skin.png", encoding: .png, bytes: bytes))
    return scene
  }
}

/// Forgets the classes.
struct Strip: Stage {
  static let summary = "Forgets the classes."
  static let dataFlow = StageDataFlow(removes: [.classification])
  init(_ parameters: NoParameters) {}
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    for index in scene.meshes.indices { scene.meshes[index].classes = nil }
    return scene
  }
}

/// Keeps the faces of some classes.
struct Pick: Stage {
  static let summary = "Keeps the faces of some classes."
  static let dataFlow = StageDataFlow(needs: [.classification])
  struct Parameters: StageParameters {
    @Parameter("Classes to keep.")
    var keep: [ClassLabel] = []
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let names = Set(parameters.keep.map(\.name))
    for index in scene.meshes.indices {
      guard let classes = scene.meshes[index].classes else { throw TestFailure("no classes") }
      scene.meshes[index].keepFaces(classes.labels.map { names.contains(classes.names[Int($0)]) })
    }
    return scene
  }
}

/// Turns the scene.
struct Turn: Stage {
  static let summary = "Turns the scene."
  struct Parameters: StageParameters {
    @Parameter("The axis that is up afterwards.")
    var up = Up.z
  }
  enum Up: String, CaseIterable, ParameterValue { case y, z }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem {
    input.with(up: parameters.up == .y ? .y : .z)
  }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    scene.convert(to: outputCoordinateSystem(for: scene.coordinateSystem))
    return scene
  }
}

/// Adds the faces of another scene of the pipeline.
struct Borrow: Stage {
  static let summary = "Adds the faces of another scene."
  struct Parameters: StageParameters {
    @Parameter("The stage that made it.")
    var from = SceneReference("input")
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    guard let other = context.scene(of: parameters.from) else { throw TestFailure("no scene") }
    scene.append(other)
    return scene
  }
}

/// Fails, for a reason that is the scan's.
struct Explode: Stage {
  static let summary = "Fails."
  init(_ parameters: NoParameters) {}
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    scene.meshes = []
    throw TestFailure("the scan is too loud")
  }
}

/// Works until it is told to stop.
struct Wait: Stage {
  static let summary = "Works until it is told to stop."
  static let started = Atomic(false)
  init(_ parameters: NoParameters) {}
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    Wait.started.store(true, ordering: .relaxed)
    while true {
      try context.checkCancellation()
      usleep(5000)
    }
  }
}

/// Changes a position in place and writes down where the array lies.
struct Nudge: Stage {
  static let summary = "Changes a position in place."
  static let addresses = Mutex<[String: [UInt]]>([:])
  struct Parameters: StageParameters {
    @Parameter("The key of the record.")
    var key = ""
    @Parameter("Whether its warning is of the machine.")
    var blamesMachine = false
  }
  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }
  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    scene.meshes[0].positions[0].x += 1
    let address = scene.meshes[0].positions.withUnsafeBufferPointer {
      UInt(bitPattern: $0.baseAddress)
    }
    Nudge.addresses.withLock { $0[parameters.key, default: []].append(address) }
    if parameters.blamesMachine { context.advise("nudged") } else { context.warn("nudged") }
    return scene
  }
}

enum TestKit {
  static let environment = PipelineEnvironment(
    stages: [
      Thin.self, Paint.self, Skin.self, Strip.self, Pick.self, Turn.self, Explode.self, Wait.self,
      Nudge.self, Borrow.self,
    ], formats: [Tri.self, Full.self, Dots.self, Doomed.self, Several.self])

  /// A folder that is removed with the object.
  final class Folder {
    let path: String
    init() throws {
      path = try FileSystem.createPrivateFolder(
        prefix: FileManager.default.temporaryDirectory.path + "/meshpipe-test-")
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String) -> String { path + "/" + name }
    func write(_ text: String, to name: String) throws {
      try text.write(toFile: file(name), atomically: false, encoding: .utf8)
    }
    func read(_ name: String) throws -> String {
      try String(contentsOfFile: file(name), encoding: .utf8)
    }
    /// Everything in the folder, hidden files too.
    var names: [String] {
      (try? FileManager.default.subpathsOfDirectory(atPath: path).sorted()) ?? []
    }
  }
}
