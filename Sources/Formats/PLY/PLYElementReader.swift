import MeshPipeline

/// The contents of an element of a PLY file.
struct PLYContents {
  var plan: PLYPlan
  var table: PLYTable
  var corners: [UInt32] = []
  var textureCoordinates: [Vector2] = []
  var polygons: [FacePolygon] = []

  init(_ plan: PLYPlan, table: PLYTable) {
    self.plan = plan
    self.table = table
  }

  /// - Parameters:
  ///   - records: All records of the element.
  ///   - count: The number of records.
  init(_ plan: PLYPlan, _ records: PLYBlock, count: Int) {
    let rowCount = plan.hasIndices ? records.corners.count / 3 : count
    self.init(
      plan,
      table: PLYTable(
        rows: records.rows, width: plan.width, customRows: records.customRows, count: rowCount))
    corners = records.corners
    textureCoordinates = records.textureCoordinates
    polygons = records.polygons
  }
}

/// Reads the elements of a PLY file.
struct PLYElementReader {
  let file: MappedFile
  let header: PLYHeader
  let context: ReadingContext

  private static let wanted: Set<String> = ["vertex", "face", "tristrips"]

  /// The contents of the elements needed for a mesh, by name.
  func read() throws -> [String: PLYContents] {
    try checkPromises()
    do throws(PLYFault) {
      return header.encoding == .text ? try readText() : try readBinary()
    } catch {
      throw readingError(error)
    }
  }

  private func readingError(_ fault: PLYFault) -> ReadingError {
    guard header.encoding == .text else {
      return .byte(path: file.path, offset: fault.offset, fault.message)
    }
    let line = file.withBytes { TextBlocks.lineBreaks($0, before: fault.offset) } + 1
    return .line(path: file.path, line: line, fault.message)
  }

  private var vertexCount: Int {
    header.elements.first { $0.name == "vertex" }?.count ?? 0
  }

  private func plan(_ element: PLYHeader.Element) -> PLYPlan {
    PLYPlan(element, isWanted: Self.wanted.contains(element.name), origin: header.origin)
  }

  /// An element's records in messages.
  private func words(_ element: PLYHeader.Element) -> String {
    element.name == "vertex" ? header.vertexWord : element.name
  }

  /// Compares the counts in the header with the size of the file before allocating memory.
  private func checkPromises() throws(ReadingError) {
    guard header.claimsCounts else { return }
    // The last number of a text needs no separator.
    var room = file.count - header.bodyOffset + (header.encoding == .text ? 1 : 0)
    for element in header.elements {
      let size = element.smallestSize(header.encoding)
      let (bytes, isTooLarge) = element.count.multipliedReportingOverflow(by: size)
      guard !isTooLarge, bytes <= room, element.count < Int(UInt32.max) || size == 0 else {
        throw .line(
          path: file.path, line: element.line,
          "the header claims \(element.count) of '\(words(element))', but the file is too short")
      }
      room -= bytes
    }
  }

  private func checkCancellation(_ offset: Int) throws(PLYFault) {
    // The caller turns this into Cancelled.
    if context.stage.isCancelled { throw PLYFault(offset: offset, message: "cancelled") }
  }

  // MARK: Binary

  private func readBinary() throws(PLYFault) -> [String: PLYContents] {
    var result: [String: PLYContents] = [:]
    var offset = header.bodyOffset
    for element in header.elements where !element.properties.isEmpty && element.count > 0 {
      let contents = try readBinary(element, &offset)
      if Self.wanted.contains(element.name) { result[element.name] = contents }
    }
    if file.count - offset > 2 {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)): "
          + "bytes after the last element are ignored (\(file.count - offset))")
    }
    return result
  }

  private func readBinary(
    _ element: PLYHeader.Element, _ offset: inout Int
  ) throws(PLYFault) -> PLYContents {
    let plan = plan(element)
    let isBigEndian = header.encoding == .bigEndian
    let base = offset
    let layout = file.withBytes { PLYLayout(plan, $0, base: base, isBigEndian: isBigEndian) }
    guard let layout, layout.holds(for: element.count, in: file, isBigEndian: isBigEndian) else {
      guard element.hasLists else {
        throw PLYFault(offset: file.count, message: "the file ends in element '\(words(element))'")
      }
      return try walk(element, plan, &offset)
    }
    if plan.isStrips || plan.hasIndices && layout.indices?.length != 3 {
      return try walk(element, plan, &offset)
    }
    offset += layout.stride * element.count
    var contents = PLYContents(
      plan, table: PLYTable(file, layout, count: element.count, isBigEndian: isBigEndian))
    if plan.hasIndices {
      contents.corners = try triangles(layout, element.count, isBigEndian)
      contents.textureCoordinates = try textureCoordinates(layout, element.count, isBigEndian)
    }
    return contents
  }

  /// Reads consecutive records of different sizes.
  private func walk(
    _ element: PLYHeader.Element, _ plan: PLYPlan, _ offset: inout Int
  ) throws(PLYFault) -> PLYContents {
    var block = PLYBlock()
    var source = PLYBinarySource(
      offset..<file.count, isBigEndian: header.encoding == .bigEndian)
    try file.withBytes { bytes throws(PLYFault) in
      for record in 0..<element.count {
        if record % 0x1_0000 == 0 { try checkCancellation(source.position) }
        try block.read(&source, bytes, plan, vertexCount: vertexCount)
      }
    }
    offset = source.position
    return PLYContents(plan, block, count: element.count)
  }

  /// The indices of triangular faces, directly from the file.
  private func triangles(
    _ layout: PLYLayout, _ count: Int, _ isBigEndian: Bool
  ) throws(PLYFault) -> [UInt32] {
    guard let indices = layout.indices else { return [] }
    let isWord = indices.type == .int32 || indices.type == .uint32
    let size = indices.type.size
    let corners: [UInt32] = Parallel.array(count: 3 * count, chunkSize: 3 << 14) { range, output in
      file.withBytes { bytes in
        for face in range.lowerBound / 3..<range.upperBound / 3 {
          let start = layout.base + face * layout.stride + indices.offset
          for corner in 0..<3 {
            if isWord {
              output.append(bytes.word(at: start + 4 * corner, isBigEndian))
            } else {
              let value = bytes.number(
                at: start + size * corner, indices.type, isBigEndian: isBigEndian)
              output.append(UInt32(exactly: value) ?? .max)
            }
          }
        }
      }
    }
    var largest: UInt32 = 0
    for corner in corners { largest = max(largest, corner) }
    if largest >= vertexCount, let bad = corners.firstIndex(where: { $0 >= vertexCount }) {
      let offset = layout.base + bad / 3 * layout.stride + indices.offset + bad % 3 * size
      let value = file.withBytes { $0.number(at: offset, indices.type, isBigEndian: isBigEndian) }
      throw PLYFault(
        offset: offset,
        message: "face \(bad / 3) refers to vertex \(JSONValue.text(of: value)), "
          + "but there are \(vertexCount)")
    }
    return corners
  }

  private func textureCoordinates(
    _ layout: PLYLayout, _ count: Int, _ isBigEndian: Bool
  ) throws(PLYFault) -> [Vector2] {
    guard let texture = layout.texture, texture.length > 0 else { return [] }
    guard texture.length == 6 else {
      throw PLYFault(
        offset: layout.base,
        message: "\(texture.length) texture coordinates for a face of 3 corners")
    }
    let size = texture.type.size
    return Parallel.array(count: 3 * count, chunkSize: 3 << 14) { range, output in
      file.withBytes { bytes in
        for corner in range {
          let start =
            layout.base + corner / 3 * layout.stride + texture.offset + corner % 3 * 2 * size
          output.append(
            Vector2(
              Float(bytes.number(at: start, texture.type, isBigEndian: isBigEndian)),
              Float(bytes.number(at: start + size, texture.type, isBigEndian: isBigEndian))))
        }
      }
    }
  }

  // MARK: Text

  /// The position of a block of lines among the records of the file.
  private struct TextBlock {
    var range: Range<Int>
    var firstRecord = 0
    var recordCount = 0
  }

  private func readText() throws(PLYFault) -> [String: PLYContents] {
    let elements = header.elements.filter { !$0.properties.isEmpty && $0.count > 0 }
    let plans = elements.map { plan($0) }
    var firstRecords = [0]
    for element in elements {
      firstRecords.append(firstRecords[firstRecords.count - 1] + element.count)
    }
    let promised = firstRecords[elements.count]
    let blocks = textBlocks()
    // A header may claim many empty lists; three indices take eight bytes.
    var records = zip(plans, elements).map { plan, element in
      PLYBlock(roomFor: min(element.count, file.count / 8), plan)
    }
    try Parallel.inOrder(count: blocks.count, in: { TextPiece(count: plans.count) }) {
      [firstRecords] index, piece in
      readText(blocks[index], of: elements, plans: plans, firstRecords: firstRecords, into: &piece)
    } take: { piece throws(PLYFault) in
      try checkCancellation(header.bodyOffset)
      if let fault = piece.fault { throw fault }
      for index in plans.indices { records[index].append(piece.blocks[index]) }
    }
    let found = blocks.reduce(0) { $0 + $1.recordCount }
    guard found >= promised else {
      let index = firstRecords.lastIndex { $0 <= found } ?? 0
      let element = elements[min(index, elements.count - 1)]
      throw PLYFault(
        offset: file.count,
        message: "the file ends before '\(words(element))' \(found - firstRecords[index] + 1) "
          + "of \(element.count)")
    }
    if found > promised {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)): "
          + "lines after the last element are ignored (\(found - promised))")
    }
    var result: [String: PLYContents] = [:]
    for (index, element) in elements.enumerated() where Self.wanted.contains(element.name) {
      result[element.name] = PLYContents(plans[index], records[index], count: element.count)
    }
    return result
  }

  /// Splits the body into blocks and counts their records, which are the non-empty lines.
  private func textBlocks() -> [TextBlock] {
    let ranges = file.withBytes {
      TextBlocks.ranges(
        $0, of: header.bodyOffset..<(header.bodyEnd ?? $0.count), joinsLines: false)
    }
    let counts = Parallel.map(count: ranges.count) { index in
      file.withBytes { TextBlocks.countLines($0, ranges[index]) }
    }
    var blocks: [TextBlock] = []
    var before = 0
    for (range, count) in zip(ranges, counts) {
      blocks.append(TextBlock(range: range, firstRecord: before, recordCount: count))
      before += count
    }
    return blocks
  }

  /// The contents of one block of lines.
  private struct TextPiece {
    /// One per element, most of them empty.
    var blocks: [PLYBlock]
    var fault: PLYFault?

    init(count: Int) { blocks = Array(repeating: PLYBlock(), count: count) }
  }

  private func readText(
    _ block: TextBlock, of elements: [PLYHeader.Element], plans: [PLYPlan],
    firstRecords: [Int], into piece: inout TextPiece
  ) {
    let end = min(block.firstRecord + block.recordCount, firstRecords[elements.count])
    for index in elements.indices { piece.blocks[index].removeAll() }
    func read(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(PLYFault) {
      var source = PLYTextSource(range)
      source.skipBlankLines(bytes)
      for index in elements.indices {
        let first = max(block.firstRecord, firstRecords[index])
        let last = min(end, firstRecords[index + 1])
        guard first < last, !context.stage.isCancelled else { continue }
        try piece.blocks[index].read(
          last - first, from: &source, bytes, plan: plans[index], vertexCount: vertexCount)
      }
    }
    file.withBytes { bytes in
      do throws(PLYFault) {
        guard let delimiter = header.delimiter else { return try read(bytes, block.range) }
        // Delimiters become spaces, in a copy, but none at the start of a line, where a number is
        // missing.
        var text = [UInt8](copying: bytes.extracting(block.range))
        for index in text.indices where text[index] == delimiter {
          if index > 0, text[index - 1] != 0x0A, text[index - 1] != 0x0D { text[index] = 0x20 }
        }
        do throws(PLYFault) {
          try read(text.span, text.indices)
        } catch {
          throw PLYFault(offset: block.range.lowerBound + error.offset, message: error.message)
        }
      } catch {
        piece.fault = error
      }
    }
    file.release(block.range)
  }
}
