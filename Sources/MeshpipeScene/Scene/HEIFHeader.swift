/// The boxes of a HEIC or AVIF file that describe its primary image (ISO/IEC 23008-12).
package struct HEIFHeader {
  /// Width and height before any rotation or crop by the file; nil if unknown.
  package private(set) var size: SIMD2<Int>?
  /// Whether all boxes end within the file.
  package private(set) var isWhole = true
  private let bytes: [UInt8]

  /// A box: its type, and the range of its content.
  private struct Box {
    var type: String
    var content: Range<Int>
  }

  /// - Parameters:
  ///   - head: The beginning of the file, with its `meta` box.
  ///   - fileLength: The length of the whole file.
  package init(_ head: [UInt8], fileLength: Int) {
    bytes = head
    let top = boxes(in: 0..<fileLength)
    // The pixels are in an 'mdat' at the end: a truncated file has lost them.
    isWhole =
      top.contains { $0.type == "meta" } && top.contains { $0.type == "mdat" }
      && !top.contains { $0.content.upperBound > fileLength }
    guard let meta = top.first(where: { $0.type == "meta" }) else { return }
    let inner = boxes(in: meta.content.dropFirst(4))
    size = primarySize(inner)
  }

  private func number(_ offset: Int, _ count: Int) -> Int? {
    guard offset >= 0, offset + count <= bytes.count else { return nil }
    return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// The consecutive boxes of a range, as far as their headers are in the bytes.
  private func boxes(in range: Range<Int>) -> [Box] {
    var boxes: [Box] = []
    var start = range.lowerBound
    // No image has more; a malicious file may claim any number of empty ones.
    while start + 8 <= range.upperBound, boxes.count < 100_000,
      let short = number(start, 4), start + 8 <= bytes.count
    {
      var (header, length) = (8, short)
      if short == 1 {
        guard let long = number(start + 8, 8) else { break }
        (header, length) = (16, long)
      } else if short == 0 {
        length = range.upperBound - start
      }
      guard length >= header, length < 1 << 48 else { break }
      boxes.append(
        Box(
          type: String(decoding: bytes[start + 4..<start + 8], as: UTF8.self),
          content: start + header..<start + length))
      start += length
    }
    return boxes
  }

  /// The spatial extents (`ispe`) among the properties of the primary item.
  private func primarySize(_ meta: [Box]) -> SIMD2<Int>? {
    guard let properties = meta.first(where: { $0.type == "iprp" }) else { return nil }
    let parts = boxes(in: properties.content)
    guard let container = parts.first(where: { $0.type == "ipco" }) else { return nil }
    let all = boxes(in: container.content)
    let sizes = all.map { box -> SIMD2<Int>? in
      guard box.type == "ispe", let width = number(box.content.lowerBound + 4, 4),
        let height = number(box.content.lowerBound + 8, 4)
      else { return nil }
      return SIMD2(width, height)
    }
    guard let primary = primaryItem(meta) else { return sizes.compactMap(\.self).first }
    for association in parts where association.type == "ipma" {
      for index in associated(with: primary, in: association.content)
      where sizes.indices.contains(index - 1) {
        if let size = sizes[index - 1] { return size }
      }
    }
    return nil
  }

  private func primaryItem(_ meta: [Box]) -> Int? {
    guard let box = meta.first(where: { $0.type == "pitm" }),
      let version = number(box.content.lowerBound, 1)
    else { return nil }
    return number(box.content.lowerBound + 4, version == 0 ? 2 : 4)
  }

  /// The properties of an item, counted from 1.
  private func associated(with item: Int, in range: Range<Int>) -> [Int] {
    guard let version = number(range.lowerBound, 1), let flags = number(range.lowerBound + 1, 3),
      let count = number(range.lowerBound + 4, 4)
    else { return [] }
    let (idLength, length) = (version < 1 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
    var offset = range.lowerBound + 8
    for _ in 0..<min(count, 1 << 16) where offset < range.upperBound {
      guard let id = number(offset, idLength), let properties = number(offset + idLength, 1) else {
        return []
      }
      offset += idLength + 1
      if id == item {
        // The highest bit says whether a reader must understand the property.
        return (0..<properties).compactMap { index in
          number(offset + index * length, length).map { $0 & (length == 2 ? 0x7FFF : 0x7F) }
        }
      }
      offset += properties * length
    }
    return []
  }
}
