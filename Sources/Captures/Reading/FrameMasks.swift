import MeshPipeline
import NativeLibraries

/// Finds the masks of frames, and checks those that layouts name.
///
/// Masks are found by their names, as programs for photogrammetry look for them: in a folder `masks` beside that of the
/// images or in it, with the name of the image (`a.png` for `a.jpg`) or behind it (`a.jpg.png`; COLMAP); beside the image
/// (`a_mask.png`, and instant-ngp's `dynamic_mask_a.png`); and as the opacity of the image itself.
struct FrameMasks {
  private let folder: CaptureFolder
  private let context: CaptureReadingContext
  private var listings = FolderListings()
  /// The folders of masks that were looked into, and whether any of their files belongs to a frame.
  private var isUsed: [String: Bool] = [:]

  init(_ folder: CaptureFolder, _ context: CaptureReadingContext) {
    self.folder = folder
    self.context = context
  }

  /// Adds the masks of all frames, and of their depth maps.
  mutating func add(to capture: inout Capture) {
    for index in capture.frames.indices {
      var frame = capture.frames[index]
      frame.masks = masks(of: frame)
      frame.depth?.masks = frame.masks
      capture.frames[index] = frame
    }
    for (folder, isUsed) in isUsed.sorted(by: { $0.key < $1.key }) where !isUsed {
      let names = listings.names(in: folder).filter {
        pictureExtensions.contains(fileExtension(of: $0))
      }
      guard !names.isEmpty, let frame = capture.frames.first else { continue }
      context.warn(
        "\(folder): none of its \(names.count) images has the name of a frame "
          + "('\(frame.fileName).png' would be the mask of '\(frame.fileName)'), so that nothing is masked"
      )
    }
    dropMeaningless(&capture)
  }

  private mutating func masks(of frame: Capture.Frame) -> [Capture.MaskSource] {
    var sources = frame.masks
    for source in sources { isUsed[FileSystem.folder(of: source.path)] = true }
    if sources.isEmpty, let found = found(for: frame) { sources = [found] }
    sources = sources.filter { isUsable($0, in: frame) }
    if case .file(let path) = frame.image, PictureHeader.hasAlpha(ofFile: path) {
      sources.append(Capture.MaskSource(path: path, hidden: .transparent))
    }
    return sources
  }

  // MARK: Names

  private mutating func found(for frame: Capture.Frame) -> Capture.MaskSource? {
    let path = frame.image.path
    let folder = FileSystem.folder(of: path)
    let (file, stem) = (frame.fileName, FileSystem.stem(of: frame.fileName))
    if let path = listings.file(of: ["dynamic_mask_\(stem).png"], in: folder) {
      return Capture.MaskSource(path: path, hidden: .white)
    }
    let beside = ["png", "jpg", "PNG", "JPG"].flatMap {
      ["\(stem)_mask.\($0)", "\(stem).mask.\($0)"]
    }
    if let path = listings.file(of: beside, in: folder) { return Capture.MaskSource(path: path) }
    let inside =
      ["\(file).png", "\(file).PNG"] + pictureExtensions.map { "\(stem).\($0)" } + beside
    var outside: Capture.MaskSource?
    for place in maskFolders(ofImagesIn: folder) {
      guard let path = listings.file(of: inside, in: place) else {
        // A folder beside the capture may be that of another one.
        if isUsed[place] == nil, isInside(place, frame) { isUsed[place] = false }
        continue
      }
      isUsed[place] = true
      let source = Capture.MaskSource(path: path)
      if mayOpen(path, frame) { return source }
      outside = outside ?? source
    }
    return outside
  }

  /// The folders of masks for the images in a folder: beside it, in it, and for `images/left/` also `masks/left/`.
  private mutating func maskFolders(ofImagesIn folder: String) -> [String] {
    let parent = FileSystem.folder(of: folder)
    let name = FileSystem.name(of: folder)
    func path(_ name: String, _ folder: String) -> String {
      FolderListings.path(of: name, in: folder)
    }
    let inner = innerFolder(folder)
    var places: [String] = []
    // nerfstudio's images_2 are half as wide as images.
    if name.hasPrefix("images_") {
      places.append(path("masks" + name.dropFirst("images".count), parent))
    }
    for mask in ["masks", "mask"] {
      places += [path("\(mask)/\(name)", parent), path(mask, parent), path(mask, folder)]
      if let inner { places.append(path("\(mask)/\(inner.name)", inner.root)) }
    }
    return places.filter { !listings.names(in: $0).isEmpty }
  }

  /// The part of a path below a folder of images, at any depth, and the folder that one is in.
  private func innerFolder(_ path: String) -> (name: String, root: String)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let images = parts.dropLast().lastIndex(where: { $0.hasPrefix("images") }) else {
      return nil
    }
    return (
      parts[(images + 1)...].joined(separator: "/"),
      FileSystem.folder(of: parts[...images].joined(separator: "/"))
    )
  }

  // MARK: Checks

  /// Whether a mask can be that of a frame, with a warning if it can't.
  private func isUsable(_ source: Capture.MaskSource, in frame: Capture.Frame) -> Bool {
    guard FileSystem.canonicalPath(of: source.path) != nil else {
      context.didMiss(source.path)
      context.noteMask(of: frame.name, "its mask is missing", at: source.path)
      return false
    }
    guard mayOpen(source.path, frame) else {
      context.noteMask(
        of: frame.name,
        "its mask is outside the capture's folder (--allow-external would open it)")
      return false
    }
    guard let file = try? MappedFile(path: source.path, allowsPipes: false) else {
      context.noteMask(of: frame.name, "its mask can't be read")
      return false
    }
    let header = PictureHeader(file)
    if let fault = PictureKind.fault(of: header.kind) {
      context.noteMask(of: frame.name, "its mask \(fault)")
      return false
    }
    guard header.isWhole, let size = header.size, size.min() > 0 else {
      context.noteMask(of: frame.name, "its mask is truncated")
      return false
    }
    guard size != frame.imageSize else { return true }
    let shape = SIMD2<Double>(size) / SIMD2<Double>(frame.imageSize)
    let sizes =
      "its mask is \(size.x) x \(size.y), the image \(frame.imageSize.x) x \(frame.imageSize.y)"
    // Sizes are rounded to whole pixels.
    guard abs(shape.x / shape.y - 1) < 0.01 + 1 / Double(size.min()) else {
      context.noteMask(of: frame.name, "\(sizes), which has another aspect ratio")
      return false
    }
    context.note(frame.name, "\(sizes): it is resized, each pixel to the nearest")
    return true
  }

  private func mayOpen(_ path: String, _ frame: Capture.Frame) -> Bool {
    context.allowsExternalFiles || isInside(path, frame)
  }

  /// Whether a file is inside the capture's folder, or the nearest above it that has the frame's image.
  ///
  /// The images of COLMAP are next to its model, or up to two folders above it.
  private func isInside(_ path: String, _ frame: Capture.Frame) -> Bool {
    if folder.isInside(path) { return true }
    guard let path = FileSystem.canonicalPath(of: path),
      let image = FileSystem.canonicalPath(of: frame.image.path),
      var root = FileSystem.canonicalPath(of: folder.path)
    else { return false }
    for _ in 0..<3 {
      if FileSystem.isPath(image, below: root) { return FileSystem.isPath(path, below: root) }
      root = FileSystem.folder(of: root)
    }
    return false
  }

  /// Reads the first mask of a kind: one that hides everything was not meant.
  private func dropMeaningless(_ capture: inout Capture) {
    func first(_ isWanted: (Capture.MaskSource) -> Bool) -> (frame: String, mask: PixelMask)? {
      for frame in capture.frames {
        guard let source = frame.masks.first(where: isWanted) else { continue }
        return (try? source.load()).map { (frame.name, $0) }
      }
      return nil
    }
    if let file = first({ $0.hidden != .transparent }), !file.mask.hidden.contains(false) {
      context.warn(
        "the mask of frame '\(file.frame)' hides all of its image: black is what masks leave out "
          + "(--masks ignore uses images whole)")
    }
    guard let alpha = first({ $0.hidden == .transparent }) else { return }
    guard !alpha.mask.hidden.contains(false) else { return }
    context.warn(
      "the image of frame '\(alpha.frame)' is fully transparent: the opacity of images is ignored")
    for index in capture.frames.indices {
      capture.frames[index].masks.removeAll { $0.hidden == .transparent }
      capture.frames[index].depth?.masks.removeAll { $0.hidden == .transparent }
    }
  }
}

extension CaptureReadingContext {
  /// Reports a mask that can't be used.
  func noteMask(of frame: String, _ reason: String, at path: String? = nil) {
    note(frame, "\(reason); the frame is used without it", at: path)
  }
}

extension Capture.Frame {
  /// The name of its file; its own name if it is in a video.
  fileprivate var fileName: String {
    switch image {
    case .file(let path): FileSystem.name(of: path)
    case .video: name
    }
  }
}
