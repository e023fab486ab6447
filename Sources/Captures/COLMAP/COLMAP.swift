package import MeshPipeline

/// A COLMAP model, text or binary.
///
/// Rotations are world to camera, cameras look along +Z with Y down, and the centre of the first
/// pixel is (0.5, 0.5): https://colmap.github.io/format.html. Files of rigs and frames, added by
/// newer versions, repeat the contents of the images file.
package enum COLMAP: CaptureLayout {
  package static let id = "colmap"
  package static let summary =
    "A COLMAP model: `cameras` and `images`, as `.bin` or `.txt`; images are in `images/`, next to the "
    + "model or up to two folders above it."
  package static let indexNames = ["images.bin", "images.txt", "cameras.bin", "cameras.txt"]

  package static let usualFolders = ["sparse/0", "sparse"]

  private static let convention = PoseConvention(axes: .openCV, isWorldToCamera: true)

  package static func isPresent(in folder: CaptureFolder) -> Bool {
    hasModel(in: folder, "bin") || hasModel(in: folder, "txt")
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    guard !isPresent(in: folder) else { return nil }
    for ending in ["bin", "txt"] {
      let names = ["cameras.\(ending)", "images.\(ending)"]
      let missing = names.filter { !folder.has($0) }
      if missing.count == 1 { return missing[0] }
    }
    return nil
  }

  /// The meshes next to the model, or next to the folder `sparse` that contains the model.
  package static func meshPaths(in folder: CaptureFolder) -> [String] {
    let own = folder.usualMeshPaths
    let name = FileSystem.name(of: folder.path)
    guard own.isEmpty, let parent = folder.parent else { return own }
    if name == "sparse" { return parent.usualMeshPaths }
    guard name.allSatisfy(\.isNumber), FileSystem.name(of: parent.path) == "sparse" else {
      return []
    }
    let beside = parent.usualMeshPaths
    return beside.isEmpty ? parent.parent?.usualMeshPaths ?? [] : beside
  }

  private static func hasModel(in folder: CaptureFolder, _ ending: String) -> Bool {
    folder.has("cameras.\(ending)") && folder.has("images.\(ending)")
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let wantsText = folder.fileName?.hasSuffix(".txt") == true && hasModel(in: folder, "txt")
    let isBinary = hasModel(in: folder, "bin") && !wantsText
    let ending = isBinary ? "bin" : "txt"
    let camerasPath = folder.path(of: "cameras.\(ending)")
    let imagesPath = folder.path(of: "images.\(ending)")
    let (cameraBytes, imageBytes) = (
      try context.contents(of: camerasPath), try context.contents(of: imagesPath)
    )
    let cameras: [Int: COLMAPCamera]
    let images: [COLMAPImage]
    if isBinary {
      cameras = try COLMAPBinary.cameras(cameraBytes, path: camerasPath)
      images = try COLMAPBinary.images(imageBytes, path: imagesPath)
    } else {
      cameras = try COLMAPText.cameras(cameraBytes, path: camerasPath, in: context)
      images = try COLMAPText.images(imageBytes, path: imagesPath, in: context)
    }
    let roots = try pictureFolders(of: folder)
    var capture = Capture()
    for image in images.sorted(by: { ($0.name, $0.id) < ($1.name, $1.id) }) {
      try context.checkCancellation()
      do throws(FrameFault) {
        capture.frames.append(try frame(of: image, cameras: cameras, roots: roots, in: context))
      } catch {
        context.leaveOut(image.name, because: error.reason, at: error.path)
      }
    }
    // The axes of a reconstruction are arbitrary: those of the mesh made with it.
    return CapturedScan(capture: capture, coordinateSystem: nil, convention: convention)
  }

  /// Where images may be, the most likely first: a model is often in `sparse/0` next to `images`.
  private static func pictureFolders(of folder: CaptureFolder) throws -> [CaptureFolder] {
    var roots: [CaptureFolder] = []
    var path = FileSystem.canonicalPath(of: folder.path) ?? folder.path
    for _ in 0..<3 {
      for root in ["\(path)/images", path] {
        if try FileSystem.status(of: root)?.isFolder == true {
          roots.append(try CaptureFolder(root))
        }
      }
      path = FileSystem.folder(of: path)
    }
    return roots
  }

  private static func frame(
    of image: COLMAPImage, cameras: [Int: COLMAPCamera], roots: [CaptureFolder],
    in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame {
    guard let camera = cameras[image.camera] else {
      throw FrameFault("its camera \(image.camera) is not in the file of cameras")
    }
    let worldToCamera = try Transform(
      quaternion: image.rotation.w,
      SIMD3(image.rotation.x, image.rotation.y, image.rotation.z), translation: image.translation)
    var path: String?
    for root in roots where path == nil {
      path = try root.path(ofNamed: image.name, in: context)
    }
    guard let path else {
      if let root = roots.first { context.didMiss(root.path(of: image.name)) }
      throw FrameFault("its image is missing", at: image.name)
    }
    let lens = try camera.lens
    return Capture.Frame(
      name: image.name, image: .file(path), imageSize: camera.size, intrinsics: lens.intrinsics,
      distortion: lens.distortion, pose: convention.cameraToWorld(worldToCamera))
  }
}

/// An image of a model, as in the file.
struct COLMAPImage {
  var id: Int
  var name: String
  var camera: Int
  /// World to camera.
  var rotation: (w: Double, x: Double, y: Double, z: Double)
  var translation: SIMD3<Double>

  init(id: Int, name: String, camera: Int, numbers: [Double]) {
    self.id = id
    self.name = name
    self.camera = camera
    rotation = (numbers[0], numbers[1], numbers[2], numbers[3])
    translation = SIMD3(numbers[4], numbers[5], numbers[6])
  }
}
