import Captures
package import MeshPipeline

/// A whole capture as a folder that the layout `frames-bundle` reads.
package enum CaptureBundle: Format {
  package static let id = "frames-bundle"
  package static let name = "Frames bundle with all files"
  package static let extensions = ["frames-bundle"]
}

extension CaptureBundle: WritableFormat {
  /// The treatment of images.
  package enum Pictures: String, CaseIterable, ParameterValue {
    /// Files of images and a video are copied; of a video of which frames were removed, the images.
    case keep
    /// Every frame has a file of its own.
    case images
  }

  package struct Options: StageParameters {
    @Parameter(
      "Treatment of pictures: copy images and video as they are, or write the images of a video as JPEG files, too."
    )
    package var pictures = Pictures.keep

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = PLY.keeps.union([.frames, .depthMaps])
  package static let axes = AxisConvention.fixed(.arkit)
  package static let addsOrigin = PLY.addsOrigin
  package static let mainFileName: String? = FramesBundle.index
  package static let remark = """
    A folder with everything that a capture has: images or the video, depth maps, confidences, the mesh, poses as \
    stages left them, `manifest.json`, the hashes of all files, which `meshpipe verify` compares, and a README with \
    the conventions. Frames that a stage removed are missing. Files that were not changed have the same bytes; so do \
    the lines of frames from a bundle, except for what changed, and fields unknown to meshpipe stay. Depth maps of \
    other kinds become PNG in millimetres.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    guard let capture = scene.capture, !capture.frames.isEmpty || capture.hasDepth else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "frames of a capture")
    }
    var scene = scene
    scene.convert(to: .arkit)
    let writer = BundleWriter(scene, output, keepsVideo: options.pictures == .keep)
    try writer.write(in: context)
  }
}

/// Why a bundle can't be written to its folder.
enum UnwritableBundle: UserError {
  case otherFiles(folder: String, name: String)

  var exitCode: ExitCode { .cannotCreate }

  var message: String {
    switch self {
    case .otherFiles(let folder, let name):
      "\(folder): has files of another capture, such as '\(name)', which would count as files of this one: "
        + "remove the folder, or choose another"
    }
  }
}
