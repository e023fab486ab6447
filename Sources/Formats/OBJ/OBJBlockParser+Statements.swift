import MeshPipeline

extension OBJBlockParser {
  /// Parses a statement other than typical vertices and faces.
  mutating func parseOther(_ bytes: Span<UInt8>) throws(LineFault) {
    let start = position
    repeat { position += 1 } while position < end && bytes[position] > 0x20
    let wordEnd = position
    let word = text(bytes, start..<wordEnd)
    switch word {
    case "g": event(.group, bytes)
    case "o": event(.object, bytes)
    case "usemtl": event(.material, bytes)
    case "mtllib": event(.library, bytes)
    case "fo": try parseFace(bytes)
    case "f", "v", "vn", "vt": parseBare(word)
    case "p": try parsePoints(bytes)
    case "l":
      block.remarks.lines += 1
      skipStatement(bytes)
    case _ where Self.ignored.contains(word): skipStatement(bytes)
    // An unknown word is an extension; one or two letters, or no word at all, are a damaged
    // statement that would shift every index after it.
    case _ where Self.foreign.contains(word),
      _ where word.count > 2 && word.allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "_") }):
      if block.remarks.unknown == 0 {
        block.remarks.firstUnknown = word
        block.remarks.firstUnknownLine = line
      }
      block.remarks.unknown += 1
      skipStatement(bytes)
    default:
      position = start
      throw fault("unknown statement \(quoted(bytes, start..<wordEnd))")
    }
  }

  /// Statements that are irrelevant for a scan: smoothing, free-form curves, display.
  private static let ignored: Set<String> = [
    "s", "mg", "vp", "deg", "bmat", "step", "cstype", "curv", "curv2", "surf", "parm", "trim",
    "hole",
    "scrv", "sp", "end", "con", "bevel", "c_interp", "d_interp", "lod", "maplib", "usemap",
    "shadow_obj", "trace_obj", "ctech", "stech", "call", "csh", "bsp", "bzp", "cdc", "cdp", "res",
  ]

  /// Short statements of single programs: OpenSubdiv's tags, tinyobjloader's bone weights.
  private static let foreign: Set<String> = ["t", "vw"]

  private mutating func parsePoints(_ bytes: Span<UInt8>) throws(LineFault) {
    skipSpaces(bytes)
    while !isAtLineEnd(bytes) {
      var corner = try parseCorner(bytes)
      if corner.relative & 1 != 0 { block.points.relative.append(block.points.values.count) }
      corner.relative = 0
      block.points.values.append(corner.vertex)
      if let limits {
        let isRelative = block.points.relative.last == block.points.values.count - 1
        let value =
          isRelative ? limits.before.x + OBJIndices.offset(corner.vertex) : Int(corner.vertex)
        guard value >= 0, value < limits.total.x else {
          throw fault("the point is vertex \(value + 1), but there are \(limits.total.x) vertices")
        }
      }
      skipSpaces(bytes)
    }
  }

  private mutating func event(_ kind: OBJBlock.Event.Kind, _ bytes: Span<UInt8>) {
    skipSpaces(bytes)
    let start = position
    skipStatement(bytes)
    var nameEnd = position
    while nameEnd > start, bytes[nameEnd - 1] <= 0x20 { nameEnd -= 1 }
    block.events.append(
      OBJBlock.Event(kind: kind, firstFace: block.faceCount, name: start..<nameEnd))
  }
}
