import MeshpipeBase
import POSIX

/// Corrects errors in the output of Assimp's exporters, and removes clock times and paths.
///
/// The same scene must give the same bytes whenever and wherever it is written; times are taken
/// from `SOURCE_DATE_EPOCH`, or are the first second of 1980, which every format supports.
enum AssimpRepair {
  /// Repairs a file.
  ///
  /// - Parameters:
  ///   - format: Assimp's id of the exporter that wrote it.
  ///   - pictures: The names of the embedded textures.
  ///   - comment: What else an FBX file says of itself; nil for nothing.
  static func repair(
    _ path: String, writtenAs format: String, pictures: [String], comment: String?
  ) throws {
    let date = Self.date
    switch format {
    case "fbx": try repairFBX(path, date: date, pictures: pictures, comment: comment)
    case "collada":
      try patch(path) { head in
        head.replace(after: "<created>", with: date.text)
        head.replace(after: "<modified>", with: date.text)
      }
    case "assbin":
      try patch(path) { head in
        // The mark is followed by the time, some numbers, and the path of the file.
        head.fill(19..<44, with: 0)
        head.fill(64..<320, with: 0)
      }
    default: break
    }
  }

  private static func repairFBX(
    _ path: String, date: Date, pictures: [String], comment: String?
  ) throws {
    let written = try FileSystem.contents(of: path)
    let repaired: [UInt8]
    do {
      var file = try BinaryFBX(written)
      file.setDate(date.fields)
      file.setPictureNames(pictures)
      file.setMaterials()
      if let comment { file.setComment(comment) }
      repaired = file.repaired()
    } catch {
      throw AssimpError.writing(
        path: path, reason: "the nodes of Assimp's FBX have an unexpected structure (\(error))")
    }
    let writer = try FileWriter(creating: path)
    try writer.write(repaired)
    try writer.finish()
  }

  /// Changes bytes at the beginning of a file, in place.
  private static func patch(_ path: String, _ change: (inout Head) -> Void) throws {
    let size = 1 << 16
    guard let file = unsafe fopen(path.systemPath, "r+b") else { throw FileError(.write, path) }
    var head = Head(
      bytes: unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        unsafe count = fread(buffer.baseAddress, 1, buffer.count, file)
      })
    change(&head)
    unsafe rewind(file)
    let written = unsafe fwrite(head.bytes, 1, head.bytes.count, file)
    guard unsafe fclose(file) == 0, written == head.bytes.count else {
      throw FileError(.write, path)
    }
  }

  /// A time in UTC.
  private struct Date {
    /// Year, month, day, hour, minute and second.
    var fields: [Int32]

    /// In ISO 8601 format, without a time zone.
    var text: String {
      let parts = zip(fields, [4, 2, 2, 2, 2, 2]).map { String($0, digits: $1) }
      return "\(parts[0])-\(parts[1])-\(parts[2])T\(parts[3]):\(parts[4]):\(parts[5])"
    }
  }

  private static var date: Date {
    let epoch = FileSystem.environment("SOURCE_DATE_EPOCH").flatMap { Int($0) }
    guard var seconds = epoch.flatMap({ time_t(exactly: $0) }) else {
      return Date(fields: [1980, 1, 1, 0, 0, 0])
    }
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let year = unsafe min(max(parts.tm_year + 1900, 1980), 9999)
    return unsafe Date(
      fields: [year, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec])
  }
}

/// The beginning of a file.
private struct Head {
  var bytes: [UInt8]

  /// The first position of a text.
  private func firstRange(of text: String) -> Range<Int>? {
    let wanted = Array(text.utf8)
    guard wanted.count <= bytes.count else { return nil }
    for offset in 0...bytes.count - wanted.count
    where bytes[offset] == wanted[0] && bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    {
      return offset..<offset + wanted.count
    }
    return nil
  }

  /// Overwrites the text after a mark.
  mutating func replace(after text: String, with replacement: String) {
    guard let range = firstRange(of: text) else { return }
    overwrite(at: range.upperBound, with: replacement)
  }

  private mutating func overwrite(at offset: Int, with text: String) {
    let end = offset + text.utf8.count
    if end <= bytes.count { bytes.replaceSubrange(offset..<end, with: text.utf8) }
  }

  mutating func fill(_ range: Range<Int>, with byte: UInt8) {
    for index in range.clamped(to: bytes.indices) { bytes[index] = byte }
  }
}
