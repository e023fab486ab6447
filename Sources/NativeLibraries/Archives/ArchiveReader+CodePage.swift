internal import CArchive
import MeshpipeBase
import Synchronization

/// Names in a ZIP that are not in Unicode, as Windows writes them: in the code page of its consoles.
///
/// Nothing in the file says which. The models in it name other files of it, often in Unicode: the code page is the one in
/// which they are there.
extension ArchiveReader {
  /// The bytes of a text that are looked at: libraries and pictures are named in the beginning of models.
  private static let textLength = 1 << 20
  /// The texts that are looked at.
  private static let mostTexts = 64
  /// The words that are looked at in a text and in all of them, each in all code pages: no archive shall take minutes.
  private static let mostWordsOfText = 2000
  private static let mostWords = 20_000

  /// The latest archives and the code pages of their names: archives are opened again for each of their entries.
  private static let known = Mutex<[(path: String, status: FileStatus, page: CodePage?)]>([])
  private static let mostKnown = 16

  /// The code page of the names of an archive; nil if all are UTF-8, or bytes that no code page has.
  static func codePage(ofNamesIn path: String, _ status: FileStatus) -> CodePage? {
    let found = known.withLock { $0.first { $0.path == path && $0.status == status } }
    if let found { return found.page }
    let page = codePage(ofNamesIn: path)
    known.withLock { known in
      if known.count >= mostKnown { known.removeFirst() }
      known.append((path, status, page))
    }
    return page
  }

  private static func codePage(ofNamesIn path: String) -> CodePage? {
    let names = foreignNames(in: path)
    guard !names.isEmpty else { return nil }
    let asked = namesAsked(in: path)
    let found = CodePage.windows.map { page in
      (
        page,
        names.count { bytes in page.text(of: bytes).map { asked.contains(lastPart($0)) } ?? false }
      )
    }
    let most = found.map(\.1).max() ?? 0
    if most > 0 {
      // Of those that fit alike, the one in which the other names are words.
      let fitting = found.filter { $0.1 == most }.map(\.0)
      let likely = CodePage.likely(of: names)
      return fitting.first { $0 == likely } ?? fitting.first { page in
        names.allSatisfy { page.text(of: $0) != nil }
      } ?? fitting.first
    }
    return CodePage.likely(of: names)
  }

  /// The names of a zip's directory that are not UTF-8.
  private static func foreignNames(in path: String) -> [[UInt8]] {
    guard let file = try? MappedFile(path: path, allowsPipes: false) else { return [] }
    return file.withBytes { bytes in
      var names: [[UInt8]] = []
      func number(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
      guard var place = directory(of: bytes) else { return [] }
      // Each entry has a mark and 42 bytes before its name.
      while place + 46 <= bytes.count, bytes[place] == 0x50, bytes[place + 1] == 0x4B,
        bytes[place + 2] == 1, bytes[place + 3] == 2, names.count < 10_000
      {
        let length = number(place + 28)
        guard place + 46 + length <= bytes.count else { break }
        let name = [UInt8](copying: bytes.extracting(place + 46..<place + 46 + length))
        let isMarked = number(place + 8) & 0x800 != 0
        if !isMarked, String(validating: name, as: UTF8.self) == nil { names.append(name) }
        place += 46 + length + number(place + 30) + number(place + 32)
      }
      return names
    }
  }

  /// Where the directory of a zip begins.
  private static func directory(of bytes: Span<UInt8>) -> Int? {
    for index in (max(0, bytes.count - 1 << 16)..<max(0, bytes.count - 21)).reversed()
    where bytes[index] == 0x50 && bytes[index + 1] == 0x4B && bytes[index + 2] == 5
      && bytes[index + 3] == 6
    {
      func number(_ offset: Int) -> Int {
        (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[index + offset + $1]) }
      }
      // Other files may come before the archive, which its offsets don't count.
      let start = index - number(12)
      return start >= 0 ? start : nil
    }
    return nil
  }

  /// The file names in the models and material libraries of an archive, in any encoding, without their folders.
  private static func namesAsked(in path: String) -> Set<String> {
    guard let reader = try? ArchiveReader(path, readsNames: false) else { return [] }
    var asked = AskedNames()
    var texts = 0
    while texts < mostTexts, let entry = try? reader.next() {
      guard entry.kind == .file, entry.refusal == nil,
        textEndings.contains(fileExtension(of: entry.name))
      else { continue }
      texts += 1
      var text: [UInt8] = []
      struct Enough: Error {}
      try? reader.forEachBlock { block in
        text += block
        if text.count >= textLength { throw Enough() }
      }
      collectNames(in: text, into: &asked)
    }
    return asked.names
  }

  /// Formats that name other files in text.
  private static let textEndings: Set<String> = [
    "obj", "mtl", "gltf", "dae", "x3d", "wrl", "ply", "usda", "json", "xml", "txt",
  ]

  /// What may be names of files in texts.
  private struct AskedNames {
    var names: Set<String> = []
    /// The lines that were looked at: models name the same materials over and over.
    var lines: Set<[UInt8]> = []
    var wordsLeft = ArchiveReader.mostWords
  }

  /// Adds what may be file names in a text: the words that are not ASCII, to the end of their lines or quotes.
  private static func collectNames(in text: [UInt8], into asked: inout AskedNames) {
    let fewestLeft = max(0, asked.wordsLeft - mostWordsOfText)
    let ends: Set<UInt8> = [
      0x0A, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), 0x40,
    ]
    for line in text.split(whereSeparator: ends.contains) where line.count < 1024 {
      guard asked.wordsLeft > fewestLeft else { return }
      guard line.contains(where: { $0 > 127 || $0 == UInt8(ascii: "%") }),
        asked.lines.insert(Array(line)).inserted
      else { continue }
      let words = line.split { $0 == 0x20 || $0 == 0x09 }
      for first in words.prefix(16) {
        asked.wordsLeft -= 1
        let part = Array(line[first.startIndex...])
        let readings =
          String(validating: part, as: UTF8.self).map { [$0] } ?? CodePage.readings(of: part)
        for text in readings {
          asked.names.insert(lastPart(text))
          for meant in SideFileName.readings(of: text) { asked.names.insert(lastPart(meant)) }
        }
      }
    }
  }

  /// The name without folders, in a form in which equal names are equal.
  private static func lastPart(_ path: String) -> String {
    FileSystem.name(of: SideFileName.slashed(path)).lowercased()
  }
}
