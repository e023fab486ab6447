import Captures
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Names in a ZIP that are in a code page of Windows.
@Suite struct ArchiveNameTests {
  /// A ZIP of files that are not compressed, by the fields of PKWARE's APPNOTE.
  private static func zip(_ files: [(name: [UInt8], bytes: [UInt8])], isUTF8: Bool = false)
    -> [UInt8]
  {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var (body, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, bytes) in files {
      var sum = CRC32()
      unsafe bytes.withUnsafeBytes { unsafe sum.update($0) }
      let common =
        little(isUTF8 ? 0x800 : 0, 2) + little(0, 2) + little(0, 4) + little(Int(sum.value), 4)
        + little(bytes.count, 4) + little(bytes.count, 4) + little(name.count, 2) + little(0, 2)
      directory +=
        [0x50, 0x4B, 1, 2, 20, 0, 20, 0] + common + little(0, 10) + little(body.count, 4) + name
      body += [0x50, 0x4B, 3, 4, 20, 0] + common + name + bytes
    }
    let end = little(0, 4) + little(files.count, 2) + little(files.count, 2)
    return body + directory + [0x50, 0x4B, 5, 6] + end + little(directory.count, 4)
      + little(body.count, 4) + little(0, 2)
  }

  private func names(_ files: [(name: [UInt8], bytes: [UInt8])], isUTF8: Bool = false) throws
    -> [String]
  {
    let folder = try TemporaryFolder()
    let reader = try ArchiveReader(folder.write("a.zip", Self.zip(files, isUTF8: isUTF8)))
    var names: [String] = []
    while let entry = try reader.next() {
      names.append(entry.name)
      try reader.skip()
    }
    return names
  }

  /// The bytes of `Küche`, `部屋` and so on in a code page, which Python's tables give.
  static let words: [(word: String, bytes: [UInt8])] = [
    ("Küche", [0x4B, 0x81, 0x63, 0x68, 0x65]), ("Küche", [0x4B, 0xFC, 0x63, 0x68, 0x65]),
    ("部屋", [0x95, 0x94, 0x89, 0xAE]), ("客厅", [0xBF, 0xCD, 0xCC, 0xFC]),
    ("거실", [0xB0, 0xC5, 0xBD, 0xC7]),
    ("комната", [0xAA, 0xAE, 0xAC, 0xAD, 0xA0, 0xE2, 0xA0]),
    ("комната", [0xEA, 0xEE, 0xEC, 0xED, 0xE0, 0xF2, 0xE0]),
    ("pokój", [0x70, 0x6F, 0x6B, 0xA2, 0x6A]),
  ]

  @Test(arguments: words) func `names are read as the files ask for them`(
    word: String, bytes: [UInt8]
  ) throws {
    func end(_ text: String) -> [UInt8] { bytes + Array(text.utf8) }
    for isUnicode in [true, false] {
      let asked = isUnicode ? Array(word.utf8) : bytes
      let model = Array("mtllib ".utf8) + asked + Array(".mtl\nv 0 0 0\n".utf8)
      let library = Array("newmtl a\nmap_Kd C:\\x\\".utf8) + asked + Array(".png\n".utf8)
      let found = try names([
        (Array("a.obj".utf8), model), (end(".mtl"), library), (end(".png"), [1, 2, 3]),
      ])
      if isUnicode { #expect(found == ["a.obj", "\(word).mtl", "\(word).png"]) }
      // Models in the same code page fit any; what matters is that the names are readable ones.
      #expect(found.allSatisfy { !$0.contains("%") } && Set(found).count == 3)
    }
  }

  @Test func `names that no file asks for are those of words`() throws {
    let files = [0, 2, 3, 5].map { [(Self.words[$0].bytes + Array(".obj".utf8), [UInt8(1)])] }
    let found = try files.map { try names($0.map { (name: $0.0, bytes: $0.1) }) }
    #expect(found == [["Küche.obj"], ["部屋.obj"], ["客厅.obj"], ["комната.obj"]])
  }

  @Test func `texts of many words don't hold the names up`() throws {
    let (word, bytes) = Self.words[1]
    func files(_ lines: Int) -> [(name: [UInt8], bytes: [UInt8])] {
      let texts = ["a.obj", "b.obj"].map { name in
        // Each line is another one, and all end with the same name.
        let text: [UInt8] = (0..<lines).flatMap { line -> [UInt8] in
          Array("# \(line) ".utf8) + [0xFC, 0xFC]
            + Array(" \(name) c d e f g h i j k l m n /a\n".utf8)
        }
        return (name: Array(name.utf8), bytes: text)
      }
      let library = Array("newmtl a\nmap_Kd \(word).png\n".utf8)
      return texts + [(Array("a.mtl".utf8), library), (bytes + Array(".png".utf8), [1])]
    }
    try expectProportionalTime(upTo: 9000) {
      let last = try names(files($0)).last
      #expect(last == "\(word).png")
    }
  }

  @Test func `an archive that was written anew has other names`() throws {
    let folder = try TemporaryFolder()
    for (word, bytes) in [Self.words[2], Self.words[0], Self.words[5]] {
      let zip = Self.zip([(bytes + Array(".obj".utf8), [UInt8](repeating: 1, count: bytes.count))])
      let path = try folder.write("a.zip", zip)
      for _ in 0..<2 { #expect(try ArchiveReader(path).next()?.name == "\(word).obj") }
    }
  }

  @Test func `names in Unicode stay as they are, with and without the mark`() throws {
    for isUTF8 in [true, false] {
      #expect(try names([(Array("Küche.obj".utf8), [1])], isUTF8: isUTF8) == ["Küche.obj"])
    }
  }

  @Test func `no code page makes a name lead out of the folder`() throws {
    // In Japanese, 表 ends with the byte of a backslash; two dots and a slash are the same in all.
    let folder = try TemporaryFolder()
    let bytes = Self.zip([([0x2E, 0x2E, 0x2F, 0x95, 0x94, 0x2E, 0x6F, 0x62, 0x6A], [1])])
    let reader = try ArchiveReader(folder.write("a.zip", bytes))
    #expect(try reader.next()?.refusal == "its name leads out of the folder")
  }
}
