package import MeshPipeline
package import MeshpipeBase
package import MeshpipeScene

/// The exchange format for scenes between two processes: a frame, a JSON header, and raw arrays.
///
/// It is used between meshpipe and its Assimp process, and by plugins in other languages. All
/// numbers are little-endian; nothing is aligned or padded.
///
/// A message is
///
/// | bytes | field |
/// |---|---|
/// | 8 | the letters `meshpipe` |
/// | 4 | unsigned version of this format, ``version`` |
/// | 4 | unsigned length of the header, at most ``maximumHeaderLength`` |
/// | 8 | unsigned length of the arrays that follow the header |
/// | … | the header: one JSON object in UTF-8 |
/// | … | the arrays, one after another, in the order given below |
///
/// The key `kind` of the header identifies the message; all except `scene`, `run` and `write` have
/// no arrays.
///
/// | kind | meaning |
/// |---|---|
/// | `hello` | the sender: `protocol` (whole number), `name` and `version` (strings) |
/// | `run` | run a stage: `stage` (its name), `parameters` (object), `seed` (whole number), and a
/// scene |
/// | `read` | read a file: `format` (its id), `path` |
/// | `write` | write a file: `format`, `path`, and a scene |
/// | `progress` | the progress: `fraction`, 0 to 1 |
/// | `log`, `warning` | text for the report, or for the user: `message` |
/// | `report` | a figure for the report: `key` (string) and `value` (any JSON) |
/// | `scene` | the result |
/// | `failure` | there is no result: `message` for the user, and `exitCode` ?, a number of ``ExitCode`` |
/// | `done` | work without a result is finished |
///
/// A scene has these keys; those marked ? are optional:
///
/// | key | value |
/// |---|---|
/// | `name` ? | string |
/// | `coordinateSystem` | object: `up` and `forward` (`x`, `-x`, `y` …), `handedness` (`right`, `left`), `metersPerUnit` (above 0) |
/// | `origin` ? | three numbers: where zero is in the coordinates of the scan's file, as in a national grid |
/// | `referenceSystem` ? | object: the map that the coordinates of the file belong to |
/// | `survey` ? | object: what else a surveyor's file says, to write another one |
/// | `meshes` | array of meshes |
/// | `pointClouds` ? | array of point clouds |
/// | `materials` ? | array of materials |
/// | `textures` ? | array of textures |
/// | `frames` ? | array of frames; the scene has a capture if it is present |
/// | `openedFiles` ? | paths of the files read besides the main file |
/// | `warnings` ? | sentences for the user |
/// | `checkpoint` ? | in a file of the cache: object, what meshpipe knows of the scene that no other program is sent |
///
/// A reference system: `code` ? (`EPSG:25832`), `name` ?, `horizontalUnit` ? and `verticalUnit` ? (the
/// lengths in metres of the file's units, 1e-6 to 1e6; 1 without them), `isLeft` ? (whether the scene was turned,
/// scaled or moved away from it), `records` ? (how LAS says it: objects with `user`, `id`, a whole number
/// below 2¹⁶, `title` ? and `base64`, the bytes).
///
/// A survey: `steps` and `offset` ? (3 numbers each: those that coordinates of the file can have), `classCodes` ?
/// (object: numbers from 0 to 255 by the names of classes), `unclassifiedCode` ? (0 or 1), `hasStandardTime` ?,
/// `sourceID` ? (below 2¹⁶), `systemName` ?. The members of ``Survey`` and ``ReferenceSystem`` say more.
///
/// A mesh: `name` ?, `vertices` and `faces` (whole numbers), `attributes` ? (names from the table
/// of attributes, each once), `classNames` (strings, if the attribute `classes` is present),
/// `customAttributes` ? (objects with `name`, `per`, which is `vertex`, `corner` or `face`, `type`,
/// which is a ``NumberType``, and `width` ?, the number of values of each element). Its arrays:
///
/// - `positions` (3 × float32 per vertex) and `indices` (3 × uint32 per face, each below
///   `vertices`), which are always there and not named in `attributes`;
/// - the attributes of ``Mesh``, in the order of the table in `Attribute.swift` and with the bytes
///   of their values; `classes` are labels (uint16), each below the number of `classNames`.
///
/// A point cloud: `name` ?, `points`, `attributes` ?, `classNames`; its arrays are `positions`,
/// `normals`, `colors`, `confidences` and `classes`, as above, per point, and its
/// `customAttributes`, which are per `point`.
///
/// Attributes are sent only to a program that knows them: `hello` has their names under
/// `attributes` ?, and without that key the sender knows ``WireHello/firstAttributes``.
///
/// The arrays of custom attributes follow the others of their mesh or point cloud, in the order of
/// the header. They are sent only to a program whose `hello` has the key `customAttributes`, with
/// the value `true`.
///
/// A material: `name` ?, `baseColor` (4 numbers), `metallic`, `roughness`, `emissive` (3 numbers),
/// `isDoubleSided`, `isUnlit` ?, `alphaMode` ? (`opaque`, `mask` or `blend`; without it a base colour
/// with an opacity below 1 is blended), `alphaCutoff` ? (of `mask`, 0.5 without it),
/// `baseColorTexture` ?, `normalTexture` ?, `occlusionTexture` ?, `metallicRoughnessTexture` ?,
/// `emissiveTexture` ? (indices of textures).
///
/// A texture: `fileName`, `encoding` (of ``Texture/Encoding``), `bytes` (the length of its array).
///
/// A frame: `name`, `imagePath`, `videoIndex` ? (the frame of a video), `imageSize` (2 whole
/// numbers), `focalLength`, `principalPoint` (2 numbers each), `pose` (12 numbers: the images of
/// the x, y and z axes, then the translation).
///
/// The arrays of all meshes come first, in the order of the header and, within a mesh, of the
/// table; then those of the point clouds, then the textures.
///
/// Arrays may instead be in shared memory, if both sides have said so in their `hello`
/// (``WireHello/Sharing``). The header of a `run`, a `write` or a `scene` then has the key
/// `shared`: the byte offset of each array, in the same order; the frame's length of the arrays is
/// 0.
///
/// Readers reject another version, an unknown kind, arrays whose lengths do not match the frame,
/// and values out of range; they ignore unknown keys.
package enum WireFormat {
  /// The version of the format.
  package static let version: UInt32 = 1
  /// The first bytes of a message.
  package static let magic: [UInt8] = Array("meshpipe".utf8)
  /// The largest header in bytes.
  package static let maximumHeaderLength = 1 << 26
  static let frameLength = 24

  /// The textures of materials under their keys.
  static var textureNames: [(name: String, key: WritableKeyPath<Material, Int?>)] {
    [
      ("baseColorTexture", \.baseColorTexture), ("normalTexture", \.normalTexture),
      ("occlusionTexture", \.occlusionTexture),
      ("metallicRoughnessTexture", \.metallicRoughnessTexture),
      ("emissiveTexture", \.emissiveTexture),
    ]
  }
}

/// A message between two processes.
package enum WireMessage: Sendable, Equatable {
  case scene(WireScene)
  case failure(exitCode: ExitCode, message: String)
  case done
  case hello(WireHello)
  case run(WireTask, WireScene)
  case read(WireFile)
  case write(WireFile, WireScene)
  case progress(Double)
  case log(String)
  case warning(String)
  case report(key: String, value: JSONValue)
}

/// The first message of each side: its name, and the protocol version.
package struct WireHello: Sendable, Equatable {
  /// The use of shared memory.
  package enum Sharing: Sendable, Equatable {
    /// Arrays go through the stream.
    case none
    /// There is shared memory of this size, inherited by the other side under this descriptor.
    case offered(descriptor: Int, bytes: Int)
    /// The offer is accepted, so that either side may use the memory.
    case accepted
  }

  /// The version of the protocol that the sender uses.
  package var protocolVersion: Int
  /// The name of the sender.
  package var name: String
  /// The version of the sender.
  package var version: String
  /// The sender's use of shared memory.
  package var sharing: Sharing
  /// Whether the sender understands custom attributes.
  package var takesCustomAttributes: Bool
  /// The names of the other attributes that the sender understands.
  package var attributes: Set<String>

  /// The attributes that every program understands: those of the protocol's beginning.
  package static let firstAttributes: Set<String> = [
    "normals", "colors", "confidences", "textureCoordinates", "cornerNormals", "faceMaterials",
    "classes",
  ]
  /// The attributes that meshpipe understands.
  package static let allAttributes =
    attributes(of: Set(SceneFeature.allCases)).union([wideIntegers])
  /// Stands among attributes for custom ones of this type, which earlier programs don't know.
  package static let wideIntegers = NumberType.uint64.rawValue

  /// ``firstAttributes``, and those of some features.
  package static func attributes(of features: Set<SceneFeature>) -> Set<String> {
    let entries = Mesh.attributeEntries + PointCloud.attributeEntries
    return firstAttributes.union(entries.filter { features.contains($0.feature) }.map(\.name))
  }

  package init(
    protocolVersion: Int, name: String, version: String, sharing: Sharing = .none,
    takesCustomAttributes: Bool = false, attributes: Set<String> = firstAttributes
  ) {
    self.protocolVersion = protocolVersion
    self.name = name
    self.version = version
    self.sharing = sharing
    self.takesCustomAttributes = takesCustomAttributes
    self.attributes = attributes
  }
}

/// A stage to run on a scene.
package struct WireTask: Sendable, Equatable {
  /// The stage's name.
  package var stage: String
  /// Every option with its value in base units.
  package var parameters: [JSONValue.Member]
  /// The seed for random numbers, below 2³².
  package var seed: Int

  package init(stage: String, parameters: [JSONValue.Member], seed: Int) {
    self.stage = stage
    self.parameters = parameters
    self.seed = seed
  }
}

/// A file to read or write.
package struct WireFile: Sendable, Equatable {
  /// The id of its format.
  package var format: String
  /// Its path: absolute for reading, in the program's working folder for writing.
  package var path: String

  package init(format: String, path: String) {
    self.format = format
    self.path = path
  }
}

/// A scene with its warnings and opened files.
package struct WireScene: Sendable, Equatable {
  /// The scene.
  package var scene: Scene
  /// The side files that were read with it.
  package var openedFiles: [String]
  /// Messages for the user.
  package var warnings: [String]
  /// Whether the message gives the scene's origin, which may be zero; a program that gives none leaves it as it was.
  package var hasOrigin: Bool
  /// What a file of the cache says beside the scene.
  package var checkpoint: JSONValue?
  /// What made the scene, or the file that will be written of it.
  package var provenance: Provenance?

  package init(_ scene: Scene, openedFiles: [String] = [], warnings: [String] = []) {
    self.scene = scene
    hasOrigin = scene.origin != .zero
    self.openedFiles = openedFiles
    self.warnings = warnings
  }
}
