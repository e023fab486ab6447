import MeshPipeline
import POSIX

/// The numbers by which parts of a DXF file name each other.
struct DXFHandles {
  /// What every file has.
  static let modelSpace = "A"
  static let paperSpace = "B"
  static let modelLayout = "C"
  static let paperLayout = "D"
  static let plotStyle = "E"
  static let textStyle = "F"

  private var last = 0x1F

  /// A number that nothing else has.
  mutating func make() -> String {
    last += 1
    return String(last, radix: 16, uppercase: true)
  }
}

/// The lines of a DXF file: pairs of a group code and a value.
struct DXFText {
  private(set) var text = ""

  mutating func add(_ code: Int, _ value: String) { text += "\(code)\n\(value)\n" }

  mutating func add(_ code: Int, _ value: Int) { add(code, String(value)) }

  /// A number to the micrometre; in metres, or as it is.
  mutating func add(_ code: Int, _ value: Double) { add(code, Self.number(value)) }

  /// A point in the plane of the drawing, from its first code.
  mutating func add(_ code: Int, _ point: SIMD2<Double>, isFlat: Bool = false) {
    add(code, point.x)
    add(code + 10, point.y)
    if !isFlat { add(code + 20, 0.0) }
  }

  mutating func append(_ other: DXFText) { text += other.text }

  static func number(_ value: Double) -> String {
    let text = NumberText.trimmed(value, digits: 6)
    return text.contains(".") ? text : text + ".0"
  }

  /// A text with the letters of Windows-1252 that are those of Latin-1 as they are, and others as AutoCAD writes them.
  static func encoded(_ string: String) -> String {
    var result = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "%": result += result.hasSuffix("%") ? "\\U+0025" : "%"
      case "^": result += "\\U+005E"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += " "
      case _ where scalar.isASCII || (0xA0...0xFF).contains(scalar.value):
        result.unicodeScalars.append(scalar)
      default:
        for unit in String(scalar).utf16 {
          result += "\\U+" + String(unit, digits: 4, radix: 16, uppercase: true)
        }
      }
    }
    return result
  }

  /// The text in the code page that the header names.
  var bytes: [UInt8] {
    text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
  }
}
