/// A tar made by hand, with anything in it that a header can say.
package struct Tar {
  private var bytes: [UInt8] = []

  package init() {}

  /// Adds an entry.
  ///
  /// - Parameter type: `0` a file, `5` a folder, `2` a symbolic and `1` a hard link, `3` a device, `6` a
  ///   FIFO.
  package mutating func add(
    _ name: String, _ contents: [UInt8] = [], type: Character = "0", link: String = ""
  ) {
    var header = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    let size = String(contents.count, radix: 8)
    put(name, at: 0)
    put("0000644", at: 100)
    put("0000000", at: 108)
    put("0000000", at: 116)
    put(String(repeating: "0", count: 11 - size.count) + size, at: 124)
    put("00000000000", at: 136)
    put("        ", at: 148)
    put(String(type), at: 156)
    put(link, at: 157)
    put("ustar\u{0}00", at: 257)
    let sum = String(header.reduce(0) { $0 + Int($1) }, radix: 8)
    put(String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ", at: 148)
    bytes += header + contents
    bytes += [UInt8](repeating: 0, count: (512 - contents.count % 512) % 512)
  }

  /// The bytes of the whole file.
  package var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
