import Captures
import MeshPipeline

/// Determines which files of a folder or an archive form a scan.
///
/// A capture with its own mesh, or with none at all, is a scan with everything in its folder. Any other mesh is a scan
/// with companion files: those next to it and in folders without scans. If several meshes share a
/// folder, a file whose name begins with the name of one of them belongs to that one.
struct ScanGrouping {
  private let files: [ListedFile]
  private let kinds: ScanKinds
  private var finds: [(turn: Int, find: ScanFind)] = []

  /// Groups the files of a list.
  ///
  /// - Returns: The finds, in the order of the list.
  static func finds(in files: [ListedFile], kinds: ScanKinds) -> [ScanFind] {
    var grouping = ScanGrouping(files: files, kinds: kinds)
    grouping.visit(ListedFolder(files, isMesh: kinds.isMesh), at: "")
    return grouping.finds.sorted { $0.turn < $1.turn }.map(\.find)
  }

  private init(files: [ListedFile], kinds: ScanKinds) {
    self.files = files
    self.kinds = kinds
  }

  private mutating func visit(_ folder: ListedFolder, at path: String) {
    if let hasMesh = kinds.capturesMesh(in: folder), hasMesh || !folder.holdsMesh {
      let all = folder.allFiles
      finds.append((all.first ?? 0, .scan(ScanGroup(path: path, isCapture: true, own: all))))
      return
    }
    var meshes: [Int] = []
    var others: [Int] = []
    for (name, index) in folder.files {
      if kinds.isMesh(name) { meshes.append(index) } else { take(index, into: &others) }
    }
    // Points with a mesh's name are another export of the same scan.
    let stems = Set(
      meshes.filter { !kinds.isPoints(files[$0].path) }.map { FileSystem.stem(of: files[$0].path) })
    for index in meshes
    where kinds.isPoints(files[index].path)
      && stems.contains(FileSystem.stem(of: files[index].path))
    {
      others.append(index)
    }
    meshes.removeAll(where: Set(others).contains)
    if meshes.isEmpty {
      for index in others where files[index].refusal != nil {
        finds.append((index, .refused(index)))
      }
      visitFolders(of: folder, at: path) { _ in true }
      return
    }
    for inner in folder.folders.values where !inner.holdsMesh {
      for index in inner.allFiles { take(index, into: &others) }
    }
    group(meshes.sorted(), with: others.sorted(), at: path)
    visitFolders(of: folder, at: path) { $0.holdsMesh }
  }

  /// Lists an archive as one, and any other file as a companion.
  private mutating func take(_ index: Int, into others: inout [Int]) {
    if kinds.isArchive(files[index].path) {
      finds.append((index, files[index].refusal == nil ? .archive(index) : .refused(index)))
    } else {
      others.append(index)
    }
  }

  private mutating func visitFolders(
    of folder: ListedFolder, at path: String, where condition: (ListedFolder) -> Bool
  ) {
    for (name, inner) in folder.folders where condition(inner) {
      visit(inner, at: path.isEmpty ? name : "\(path)/\(name)")
    }
  }

  /// Distributes the companion files of a folder among its meshes.
  private mutating func group(_ meshes: [Int], with others: [Int], at path: String) {
    let start = path.isEmpty ? 0 : path.utf8.count + 1
    let families = StemFamilies(meshes.map { FileSystem.stem(of: files[$0].path) })
    var own = meshes.map { [$0] }
    var shared: [Int] = []
    for index in others {
      // A folder may have the name of the mesh too.
      let name = files[index].path.utf8.dropFirst(start).prefix { $0 != UInt8(ascii: "/") }
      let owners = meshes.count == 1 ? [0] : families.owners(ofName: String(Substring(name)))
      for owner in owners { own[owner].append(index) }
      if owners.isEmpty { shared.append(index) }
    }
    for (index, mesh) in meshes.enumerated() {
      let group = ScanGroup(path: files[mesh].path, own: own[index].sorted(), shared: shared)
      finds.append((mesh, .scan(group)))
    }
  }
}

/// Determines the kind of a file by its name.
struct ScanKinds: Sendable {
  let formats: FormatRegistry
  let captures: CaptureReader

  /// Extensions that some reader accepts, but that mostly mean something else: settings, lists,
  /// pixels, motion.
  private static let ambiguous: Set<String> = [
    "json", "jsonl", "txt", "xml", "raw", "prj", "mot", "bvh", "md5anim", "md5camera", "vta", "uc",
    "ter", "scn", "csv", "asc",
  ]

  /// Whether a file is a readable mesh.
  func isMesh(_ path: String) -> Bool {
    let name = fileExtension(of: path)
    return !name.isEmpty && !Self.ambiguous.contains(name) && formats.reader(forPath: path) != nil
  }

  /// Whether the format of a file holds points alone.
  func isPoints(_ path: String) -> Bool {
    formats.reader(forPath: path).map { !$0.canBring.contains(.faces) } ?? false
  }

  func isArchive(_ path: String) -> Bool { CaptureArchive.stem(of: path) != nil }

  /// Whether the capture in a folder has a mesh, by the names in it; nil if there is no capture.
  func capturesMesh(in folder: ListedFolder) -> Bool? {
    let listed = CaptureFolder(listed: ".", names: folder.names) { folder.holds($0) }
    guard let layout = captures.layouts.first(where: { $0.isPresent(in: listed) }) else {
      return nil
    }
    return layout.meshPath(in: listed) != nil
  }
}
