import MeshPipeline

extension CaptureFolder {
  /// The path of a file that a file of the capture names; nil when there is none.
  ///
  /// - Parameters:
  ///   - name: Relative to the folder, with slashes or backslashes.
  ///   - extensions: Those that may be missing in the name, without dots.
  /// - Throws: When the file lies outside the folder and the context does not allow that.
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
          "a file of it lies outside the capture's folder (--allow-external would open it)",
          at: path)
      }
      return path
    }
    return nil
  }

  /// The path of a frame's depth map; nil when there is none that may be opened, and the frame is told to
  /// be used without it.
  func path(
    ofDepth name: String, extensions: [String] = [], frame: String,
    in context: CaptureReadingContext
  ) -> String? {
    do throws(FrameFault) {
      if let path = try path(ofNamed: name, extensions: extensions, in: context) { return path }
      context.didMiss(path(of: name))
      context.note(frame, "the depth map is missing; the frame is used without it")
    } catch {
      context.note(
        frame,
        "the depth map lies outside the capture's folder (--allow-external would open it); the frame "
          + "is used without it")
    }
    return nil
  }

  /// The path of a depth map's confidences; nil when there are none that may be opened.
  ///
  /// - Parameter isNamed: Whether a file of the capture names them, so that they should be there.
  func path(
    ofConfidences name: String, isNamed: Bool, frame: String, in context: CaptureReadingContext
  ) -> String? {
    do throws(FrameFault) {
      if let path = try path(ofNamed: name, in: context) { return path }
      guard isNamed else { return nil }
      context.didMiss(path(of: name))
      context.note(frame, "the confidences are missing; all depths are taken as sure")
      return nil
    } catch {
      context.note(
        frame,
        "the confidences lie outside the capture's folder (--allow-external would open them); all "
          + "depths are taken as sure")
      return nil
    }
  }

  /// Whether a file lies below the folder, links followed.
  func isInside(_ path: String) -> Bool {
    guard let root = FileSystem.canonicalPath(of: self.path),
      let place = FileSystem.canonicalPath(of: path)
    else { return false }
    return place.hasPrefix(root == "/" ? "/" : root + "/")
  }
}

extension String {
  /// A path as Windows writes it, with slashes.
  var withSlashes: String { String(map { $0 == "\\" ? "/" : $0 }) }
}

/// The extensions of pictures that are read, the usual one first.
let pictureExtensions =
  ["jpg", "jpeg", "png", "webp", "heic", "avif"].flatMap { [$0, $0.uppercased()] }

extension Capture.ImageSource {
  /// Width and height of a picture in a file, from its header; nil when there is none to be found.
  var headerSize: SIMD2<Int>? {
    // A pipe in its place may never end.
    guard case .file(let path) = self, let file = try? MappedFile(path: path, allowsPipes: false)
    else { return nil }
    return PictureHeader(file).size
  }
}
