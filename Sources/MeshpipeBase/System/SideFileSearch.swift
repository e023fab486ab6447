/// Looks for a file that another one names, as programs of any system write names: with the path of another computer,
/// with slashes or backslashes, as a URI, in quotes, in another case, or with another ending of the same kind of picture.
///
/// The name as it is written comes first, so that nothing else is taken where it exists.
package struct SideFileSearch {
  /// The folder of the main file.
  package let folder: String
  /// Folders in it where pictures may be.
  private let pictureFolders: [String]
  /// Whether folders outside of it may be looked into.
  private let leavesFolder: Bool
  private let listings = Listings()

  package init(in folder: String, pictureFolders: [String] = [], leavesFolder: Bool = false) {
    self.folder = folder
    self.pictureFolders = pictureFolders
    self.leavesFolder = leavesFolder
  }

  /// How a file was found.
  package enum Match: Sendable, Equatable {
    /// Under the name that is written, or one that means the same.
    case name
    /// Under one of several names that differ only in case.
    case oneOfSeveral
    /// With another ending.
    case otherEnding
  }

  /// Looks for a file.
  ///
  /// - Parameters:
  ///   - name: As it is written.
  ///   - subfolder: The folder of the file that names it, relative to the main file's.
  ///   - isPicture: Whether another ending of pictures may be taken.
  ///   - open: Opens a path; nil if there is no such file. It is told whether the path is the written one.
  package func first<File>(
    _ name: String, subfolder: String = "", isPicture: Bool = false,
    open: (_ path: String, _ isWritten: Bool) -> File?
  ) -> (file: File, path: String, match: Match)? {
    guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
    let written = places(of: SideFileName.slashed(name), subfolder)
    for path in written {
      if let file = open(path, true) { return (file, path, .name) }
    }
    let others = SideFileName.readings(of: name).flatMap { places(of: $0, subfolder) }
    for path in others where !written.contains(path) {
      if let file = open(path, false) { return (file, path, .name) }
    }
    for path in written + others {
      guard let (found, isOnly) = anyCase(path), let file = open(found, false) else { continue }
      return (file, found, isOnly ? .name : .oneOfSeveral)
    }
    guard isPicture else { return nil }
    for path in written + others {
      guard let found = otherEnding(path), let file = open(found, false) else { continue }
      return (file, found, .otherEnding)
    }
    return nil
  }

  /// The paths at which a file with a name may be: where it says, and beside the main file, since many programs write the
  /// path of the original machine.
  func places(of path: String, _ subfolder: String) -> [String] {
    var places: [String] = []
    if path.hasPrefix("/") { places.append(path) }
    if !subfolder.isEmpty { places.append("\(folder)/\(subfolder)/\(path)") }
    let name = FileSystem.name(of: path)
    guard !name.isEmpty else { return places }
    places += ["\(folder)/\(path)", "\(folder)/\(name)"]
    places += pictureFolders.map { "\(folder)/\($0)/\(name)" }
    return places
  }

  /// The path in this folder that differs only in case, or in how accents are composed, and whether it is the only one.
  private func anyCase(_ path: String) -> (path: String, isOnly: Bool)? {
    guard let parts = partsInside(path) else { return nil }
    var (place, isOnly) = (folder, true)
    for part in parts {
      let names = listings.names(in: place)
      guard !names.contains(where: { $0.utf8.elementsEqual(part.utf8) }) else {
        place += "/" + part
        continue
      }
      let same = names.filter { $0.lowercased() == part.lowercased() }
      guard let first = same.first else { return nil }
      isOnly = isOnly && same.count == 1
      place += "/" + first
    }
    return (place, isOnly)
  }

  /// The only picture with the same name and another ending.
  private func otherEnding(_ path: String) -> String? {
    guard let parts = partsInside(path), let name = parts.last.map(String.init),
      SideFileName.pictureEndings.contains(fileExtension(of: name))
    else { return nil }
    let stem = FileSystem.stem(of: name).lowercased()
    let same = names(beside: path).filter {
      FileSystem.stem(of: $0.name).lowercased() == stem
        && SideFileName.pictureEndings.contains(fileExtension(of: $0.name))
    }
    return same.count == 1 ? same[0].path : nil
  }

  /// The names in the folder of a path below this folder, in any case, with their paths.
  func names(beside path: String) -> [(name: String, path: String)] {
    guard let parts = partsInside(path) else { return [] }
    let parent = parts.dropLast().joined(separator: "/")
    guard let place = parent.isEmpty ? folder : anyCase("\(folder)/\(parent)")?.path else {
      return []
    }
    return listings.names(in: place).map { ($0, "\(place)/\($0)") }
  }

  /// The parts of a path below the folder; nil for others, which are not listed.
  private func partsInside(_ path: String) -> [Substring]? {
    guard path.hasPrefix(folder + "/") else { return nil }
    let parts = path.dropFirst(folder.count + 1).split(separator: "/").filter { $0 != "." }
    return leavesFolder || !parts.contains("..") ? parts : nil
  }

  /// The names in folders, each listed once.
  private final class Listings {
    private var known: [String: [String]] = [:]

    func names(in folder: String) -> [String] {
      if let names = known[folder] { return names }
      let names = (try? FileSystem.names(inFolder: folder)) ?? []
      known[folder] = names
      return names
    }
  }
}

/// What a name in a file may mean.
package enum SideFileName {
  /// The endings of pictures that programs exchange for one another.
  package static let pictureEndings: Set<String> = [
    "png", "jpg", "jpeg", "jpe", "jfif", "tif", "tiff", "bmp", "dib", "tga", "exr", "webp", "gif",
    "dds",
    "psd", "jp2", "j2k", "avif", "heic", "ktx2", "hdr", "sgi", "rgb", "pcx", "ppm", "qoi",
  ]

  /// A name with slashes instead of backslashes.
  package static func slashed(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "\\")) else { return name }
    return String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "\\" ? "/" : $0 }))
  }

  /// The other names that a written one may mean: without quotes and spaces around it, the path of a URI, with its
  /// escapes decoded, and the texts of bytes that are not UTF-8.
  package static func readings(of name: String) -> [String] {
    var readings: [String] = []
    func add(_ text: String) {
      if !text.isEmpty, !text.utf8.contains(0), text != name, !readings.contains(text) {
        readings.append(text)
      }
    }
    let plain = bare(name)
    let path = slashed(withoutScheme(plain))
    add(path)
    // A fragment or a query does not belong to the path.
    if path != plain, let end = path.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      add(String(path[..<end]))
    }
    for text in readings.isEmpty ? [slashed(plain)] : readings { add(decoded(text)) }
    for text in [path] + readings {
      let bytes = text.systemBytes
      guard String(validating: bytes, as: UTF8.self) == nil else { continue }
      for reading in CodePage.readings(of: bytes) { add(slashed(reading)) }
    }
    return readings
  }

  private static func bare(_ name: String) -> String {
    func isAround(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace
        || ["\"", "'", "\u{FEFF}", "\u{201C}", "\u{201D}"].contains(scalar)
    }
    let scalars = name.unicodeScalars.drop(while: isAround)
    let end = scalars.lastIndex { !isAround($0) }
    return end.map { String(scalars[...$0]) } ?? ""
  }

  /// The path of a `file:` URI, of which there are with one, two and three slashes, and with a host.
  private static func withoutScheme(_ name: String) -> String {
    guard name.lowercased().hasPrefix("file:") else { return name }
    var rest = name.dropFirst("file:".count)
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      if rest.lowercased().hasPrefix("localhost/") { rest = rest.dropFirst("localhost".count) }
    }
    // `/C:/…`
    if rest.hasPrefix("/"), rest.dropFirst(2).first == ":" { rest = rest.dropFirst() }
    return String(rest)
  }

  /// A text with escapes such as `%20` decoded.
  private static func decoded(_ text: String) -> String {
    let bytes = text.systemBytes
    guard bytes.contains(UInt8(ascii: "%")) else { return text }
    var result: [UInt8] = []
    var place = 0
    while place < bytes.count {
      let digits = bytes[place...].dropFirst().prefix(2)
      if bytes[place] == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        result.append(value)
        place += 3
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(systemPath: result)
  }
}
