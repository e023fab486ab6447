import MeshPipeline

/// Finds the files of a capture that was moved, whose index has paths of another machine.
///
/// The longest existing suffix of such a path is used in the capture's folder, and finally the bare
/// name in `images/`.
struct RelocatedFiles {
  let folder: CaptureFolder
  private var listings = FolderListings()
  /// The names of the frames whose image was found.
  private(set) var frames: Set<String> = []

  init(_ folder: CaptureFolder) { self.folder = folder }

  /// The path of an image in the capture's folder, whatever its encoding; nil if there is none.
  mutating func picture(named name: String, ofFrame frame: String) -> String? {
    let parts = Self.parts(of: name)
    guard let last = parts.last else { return nil }
    let isPicture = pictureExtensions.contains(fileExtension(of: last))
    let stem = isPicture ? FileSystem.stem(of: last) : last
    let candidates = [last] + pictureExtensions.map { "\(stem).\($0)" }
    let folders = parts.indices.map { parts[$0..<parts.count - 1].joined(separator: "/") }
    for folder in folders + ["images"] {
      guard let path = file(of: candidates, in: folder) else { continue }
      frames.insert(frame)
      return path
    }
    return nil
  }

  /// The path of a depth map or a mask in the capture's folder; nil if there is none.
  ///
  /// It must be in a folder of the same name: next to the images its name may be that of an image.
  mutating func sideFile(named name: String) -> String? {
    let parts = Self.parts(of: name)
    guard let last = parts.last else { return nil }
    for start in parts.indices.dropLast() {
      let folder = parts[start..<parts.count - 1].joined(separator: "/")
      if let path = file(of: [last], in: folder) { return path }
    }
    return nil
  }

  private static func parts(of name: String) -> [String] {
    guard !name.utf8.contains(0) else { return [] }
    return name.withSlashes.split(separator: "/").map(String.init)
      .filter { ![".", "..", ""].contains($0) }
  }

  private mutating func file(of candidates: [String], in inner: String) -> String? {
    let place = inner.isEmpty ? folder.path : folder.path(of: inner)
    return listings.file(of: candidates, in: place, where: folder.isInside)
  }
}
