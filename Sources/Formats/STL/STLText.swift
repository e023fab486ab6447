import MeshPipeline

/// Reads the text form of STL.
struct STLText {
  private let file: MappedFile
  private let context: ReadingContext

  init(_ file: MappedFile, in context: ReadingContext) {
    self.file = file
    self.context = context
  }

  /// Parses blocks of lines on all cores and joins them.
  func triangles() throws -> STL.Triangles {
    let ranges = file.withBytes { TextBlocks.ranges($0, of: 0..<$0.count, joinsLines: false) }
    let blocks = Parallel.map(count: ranges.count) { index in
      var block = STLBlock(ranges[index])
      if !context.stage.isCancelled { file.withBytes { block.parse($0) } }
      file.release(ranges[index])
      return block
    }
    try context.stage.checkCancellation()
    var result = STL.Triangles(corners: [])
    var linesBefore = 0
    var open = 0
    var cornersBefore = 0
    func fault(_ line: Int, _ message: String) -> ReadingError {
      .line(path: file.path, line: linesBefore + line + 1, message)
    }
    for block in blocks {
      // A facet may begin in one block and end in the next.
      if let line = block.firstLoopEndLine {
        let count = open + block.cornersBeforeLoopEnd
        guard count == 3 else { throw fault(line, "a facet has \(count) corners instead of 3") }
        open = block.cornersBehindLoopEnd
      } else {
        open += block.corners.count
      }
      if let found = block.fault { throw fault(found.line, found.message) }
      for solid in block.solids {
        result.solids.append(((cornersBefore + solid.corner) / 3, solid.name))
      }
      cornersBefore += block.corners.count
      linesBefore += block.lineCount
    }
    guard open == 0 else { throw fault(0, "the file ends inside a facet") }
    result.corners = Parallel.joined(blocks.map(\.corners))
    return result
  }
}

/// The corners in one block of lines.
private struct STLBlock: Sendable {
  private(set) var corners: [Vector3] = []
  private(set) var solids: [(corner: Int, name: String)] = []
  private(set) var cornersBeforeLoopEnd = 0
  private(set) var firstLoopEndLine: Int?
  private(set) var lineCount = 0
  private(set) var fault: LineFault?
  private var cornersAtLoopEnd = 0
  private var position: Int
  private let end: Int

  var cornersBehindLoopEnd: Int { corners.count - cornersAtLoopEnd }

  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
    corners.reserveCapacity(range.count / 90)
  }

  mutating func parse(_ bytes: Span<UInt8>) {
    do throws(LineFault) {
      while position < end {
        try parseLine(bytes)
        endLine(bytes)
      }
    } catch {
      fault = error
    }
  }

  private mutating func parseLine(_ bytes: Span<UInt8>) throws(LineFault) {
    skipSpaces(bytes)
    guard position < end else { return }
    let start = position
    while position < end, bytes[position] > 0x20 { position += 1 }
    let word = start..<position
    switch word.count {
    case 0: return
    case 6 where matches(bytes, start, "vertex"):
      let corner = Vector3(try float(bytes), try float(bytes), try float(bytes))
      corners.append(corner)
      skipSpaces(bytes)
      guard isAtLineEnd(bytes) else { throw fault("a vertex has more than three numbers") }
    case 5 where matches(bytes, start, "facet"), 5 where matches(bytes, start, "outer"),
      8 where matches(bytes, start, "endfacet"), 8 where matches(bytes, start, "endsolid"):
      skipLine(bytes)
    case 7 where matches(bytes, start, "endloop"):
      try endLoop()
      skipLine(bytes)
    case 5 where matches(bytes, start, "solid"):
      skipSpaces(bytes)
      let nameStart = position
      skipLine(bytes)
      var nameEnd = position
      while nameEnd > nameStart, bytes[nameEnd - 1] <= 0x20 { nameEnd -= 1 }
      solids.append((corners.count, text(bytes, nameStart..<min(nameEnd, nameStart + 4096))))
    default:
      throw fault("unknown word \(quoted(bytes, word)); is this an STL file?")
    }
  }

  private mutating func endLoop() throws(LineFault) {
    let count = corners.count - cornersAtLoopEnd
    if firstLoopEndLine == nil {
      firstLoopEndLine = lineCount
      cornersBeforeLoopEnd = corners.count
    } else if count != 3 {
      throw fault("a facet has \(count) corners instead of 3")
    }
    cornersAtLoopEnd = corners.count
  }

  private mutating func float(_ bytes: Span<UInt8>) throws(LineFault) -> Float {
    skipSpaces(bytes)
    guard let value = Decimal.float(bytes, &position, end: end) else {
      throw fault("expected a number")
    }
    return value
  }

  private func fault(_ message: String) -> LineFault {
    LineFault(line: lineCount, message: message)
  }

  /// Whether a lower-case word is at `start`, ignoring case.
  private func matches(_ bytes: Span<UInt8>, _ start: Int, _ word: StaticString) -> Bool {
    guard start + word.utf8CodeUnitCount <= end else { return false }
    return word.withUTF8Buffer { letters in
      for index in 0..<word.utf8CodeUnitCount {
        let letter = unsafe letters[index]
        if bytes[start + index] | 0x20 != letter { return false }
      }
      return true
    }
  }

  private mutating func skipSpaces(_ bytes: Span<UInt8>) {
    while position < end, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
  }

  private func isAtLineEnd(_ bytes: Span<UInt8>) -> Bool {
    position == end || bytes[position] == 0x0A || bytes[position] == 0x0D
  }

  private mutating func skipLine(_ bytes: Span<UInt8>) {
    while !isAtLineEnd(bytes) { position += 1 }
  }

  private mutating func endLine(_ bytes: Span<UInt8>) {
    guard position < end else { return }
    let isPair = bytes[position] == 0x0D && position + 1 < end && bytes[position + 1] == 0x0A
    // A line of control characters is skipped one by one.
    if bytes[position] == 0x0A || bytes[position] == 0x0D { lineCount += 1 }
    position += isPair ? 2 : 1
  }
}
