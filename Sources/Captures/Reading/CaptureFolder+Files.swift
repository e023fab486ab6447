package import MeshPipeline
import NativeLibraries

extension CaptureFolder {
  /// The path of a file named by a file of the capture; nil if there is none.
  ///
  /// - Parameters:
  ///   - name: Relative to the folder, with slashes or backslashes.
  ///   - extensions: Possible omitted extensions, without dots.
  /// - Throws: When the file is outside the folder and the context does not allow that.
  func path(
    ofNamed name: String, extensions: [String] = [], in context: CaptureReadingContext
  ) throws(FrameFault) -> String? {
    let name = name.withSlashes
    guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
    let start = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
    for candidate in [start] + extensions.map({ "\(start).\($0)" }) {
      let path = candidate.hasPrefix("/") ? candidate : self.path(of: candidate)
      guard let status = try? FileSystem.status(of: path), status.isRegularFile else { continue }
      guard context.allowsExternalFiles || isInside(path) else {
        throw FrameFault(
          "one of its files is outside the capture's folder (--allow-external would open it)",
          at: path)
      }
      return path
    }
    return nil
  }

  /// The path of a frame's depth map; nil, with a warning, if there is none that may be opened.
  func path(
    ofDepth name: String, extensions: [String] = [], frame: String,
    in context: CaptureReadingContext
  ) -> String? {
    do throws(FrameFault) {
      if let path = try path(ofNamed: name, extensions: extensions, in: context) { return path }
      context.didMiss(path(of: name))
      context.note(depthMapOf: frame, "the depth map is missing")
    } catch {
      context.note(
        depthMapOf: frame,
        "the depth map is outside the capture's folder (--allow-external would open it)")
    }
    return nil
  }

  /// The path of a depth map's confidences; nil if there are none that may be opened.
  ///
  /// - Parameter isNamed: Whether a file of the capture names them, so that they should exist.
  func path(
    ofConfidences name: String, isNamed: Bool, frame: String, in context: CaptureReadingContext
  ) -> String? {
    do throws(FrameFault) {
      if let path = try path(ofNamed: name, in: context) { return path }
      guard isNamed else { return nil }
      context.didMiss(path(of: name))
      context.note(frame, "the confidences are missing; all depths are assumed to be reliable")
      return nil
    } catch {
      context.note(
        frame,
        "the confidences are outside the capture's folder (--allow-external would open them); all "
          + "depths are assumed to be reliable")
      return nil
    }
  }

  /// Whether a file is inside the folder, with links resolved.
  func isInside(_ path: String) -> Bool {
    guard let root = FileSystem.canonicalPath(of: self.path),
      let place = FileSystem.canonicalPath(of: path)
    else { return false }
    return FileSystem.isPath(place, below: root)
  }
}

extension String {
  /// A Windows path with slashes.
  var withSlashes: String { String(map { $0 == "\\" ? "/" : $0 }) }
}

/// The supported image extensions, the usual one first.
let pictureExtensions =
  ["jpg", "jpeg", "png", "webp", "heic", "avif"].flatMap { [$0, $0.uppercased()] }

extension Capture.ImageSource {
  /// Width and height of an image file, from its header; nil if unknown.
  var headerSize: SIMD2<Int>? {
    // A pipe in its place may never end.
    guard case .file(let path) = self, let file = try? MappedFile(path: path, allowsPipes: false)
    else { return nil }
    return PictureHeader(file).size
  }
}

extension CaptureFolder {
  /// The names of the mesh that apps put next to their frames: one with classes first, then the finest.
  package static let usualMeshNames = [
    "mesh.ply", "mesh.obj", "export_refined.obj", "export.obj", "textured_output.obj", "raw.glb",
    "mesh.glb", "scene.ply", "scene.obj",
  ]

  /// Those of ``usualMeshNames`` that are there.
  var usualMeshPaths: [String] { Self.usualMeshNames.filter(has).map(path(of:)) }
}

extension CaptureLayout {
  package static func meshPaths(in folder: CaptureFolder) -> [String] { folder.usualMeshPaths }
}
