import MeshPipeline

/// The materials of an MTL file, as written.
struct MaterialLibrary {
  /// One `newmtl` with the supported statements.
  struct Entry {
    var name: String
    var diffuse: SIMD3<Float>?
    var specular: SIMD3<Float>?
    var emissive = SIMD3<Float>.zero
    /// `d`: 1 is opaque.
    var opacity: Float?
    /// `Tr`: 0 is opaque by the specification.
    var transparency: Float?
    /// `Ns`: 0 to 1000.
    var shininess: Float?
    var roughness: Float?
    var metallic: Float?
    var illumination: Int?
    var colorMap: Map?
    var normalMap: Map?
    var opacityMap: Map?
    var roughnessMap: Map?
    var metallicMap: Map?
    var emissiveMap: Map?
  }

  /// A texture with its options.
  struct Map {
    var fileName: String
    var scale = SIMD2<Float>(1, 1)
    var offset = SIMD2<Float>(0, 0)

    /// Whether it changes texture coordinates as another one does.
    func isPlaced(as other: Map) -> Bool { scale == other.scale && offset == other.offset }
  }

  private(set) var entries: [Entry] = []
  /// Invalid lines, counted from 1.
  private(set) var faultyLines: [Int] = []

  /// Parses a library.
  ///
  /// Invalid lines are skipped and recorded: faulty materials shouldn't make a scan unreadable.
  init(_ bytes: Span<UInt8>) {
    var position = 0
    var line = 1
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] != 0x0A, bytes[position] != 0x0D {
        position += 1
      }
      // No valid line is longer, and an image renamed to .mtl may have lines of megabytes.
      if position - start < 4096, !parse(Self.words(fileName(bytes, start..<position))) {
        faultyLines.append(line)
      }
      if position + 1 < bytes.count, bytes[position] == 0x0D, bytes[position + 1] == 0x0A {
        position += 1
      }
      position += 1
      line += 1
    }
  }

  /// The words of a line with their positions, so that names keep their spaces.
  private static func words(_ line: String) -> [Substring] {
    line.split { $0 == " " || $0 == "\t" }
  }

  private mutating func parse(_ words: [Substring]) -> Bool {
    guard let keyword = words.first?.lowercased(), !keyword.hasPrefix("#") else { return true }
    if keyword == "newmtl" {
      // Repaired in the same way as in the OBJ file that refers to it.
      entries.append(
        Entry(name: String(decoding: Self.rest(words, from: 1).systemBytes, as: UTF8.self)))
      return true
    }
    guard !entries.isEmpty else { return true }
    // Not a method of the library: that would copy all entries for each line.
    return Self.parse(keyword, words, into: &entries[entries.count - 1])
  }

  private static func parse(
    _ keyword: String, _ words: [Substring], into entry: inout Entry
  ) -> Bool {
    switch keyword {
    case "kd": return assignColor(words, to: &entry.diffuse)
    case "ks": return assignColor(words, to: &entry.specular)
    case "ke":
      var color: SIMD3<Float>?
      defer { entry.emissive = color ?? entry.emissive }
      return assignColor(words, to: &color)
    case "d": return assignNumber(words.last, to: &entry.opacity)
    case "tr": return assignNumber(words.last, to: &entry.transparency)
    case "ns": return assignNumber(words.last, to: &entry.shininess)
    case "pr": return assignNumber(words.last, to: &entry.roughness)
    case "pm": return assignNumber(words.last, to: &entry.metallic)
    case "illum":
      entry.illumination = words.last.flatMap { Int($0) }
      return entry.illumination != nil
    case "map_kd", "map_basecolor": entry.colorMap = map(words) ?? entry.colorMap
    case "norm", "map_kn": entry.normalMap = map(words) ?? entry.normalMap
    case "map_bump", "bump": entry.normalMap = entry.normalMap ?? map(words)
    case "map_d": entry.opacityMap = map(words)
    case "map_pr": entry.roughnessMap = map(words)
    case "map_pm": entry.metallicMap = map(words)
    case "map_ke": entry.emissiveMap = map(words)
    default: break
    }
    return true
  }

  /// Reads one or three numbers; spectral curves and CIE colours are ignored.
  private static func assignColor(_ words: [Substring], to color: inout SIMD3<Float>?) -> Bool {
    if words.count > 1, words[1] == "spectral" || words[1] == "xyz" { return true }
    let numbers = words.dropFirst().prefix(3).compactMap { Float($0) }.filter(\.isFinite)
    switch numbers.count {
    case 3: color = SIMD3(numbers[0], numbers[1], numbers[2])
    case 1: color = SIMD3(repeating: numbers[0])
    default: return false
    }
    return true
  }

  private static func assignNumber(_ word: Substring?, to number: inout Float?) -> Bool {
    guard let word, let value = Float(word), value.isFinite else { return false }
    number = value
    return true
  }

  /// The text from a word to the end of the line, including spaces.
  private static func rest(_ words: [Substring], from index: Int) -> String {
    guard index < words.count, let last = words.last else { return "" }
    let line = words[index].base
    return String(line[words[index].startIndex..<last.endIndex])
  }

  /// A texture's options and its name, which may contain spaces.
  private static func map(_ words: [Substring]) -> Map? {
    var map = Map(fileName: "")
    var index = 1
    while index < words.count, let count = optionArguments[words[index]] {
      let option = words[index]
      index += 1
      if option == "-s" || option == "-o" || option == "-t" {
        // One to three numbers: they end at the first word that is not a number.
        var numbers: [Float] = []
        while numbers.count < 3, index < words.count - 1, let number = Float(words[index]) {
          numbers.append(number)
          index += 1
        }
        if option == "-s", let u = numbers.first {
          map.scale = SIMD2(u, numbers.count > 1 ? numbers[1] : u)
        } else if option == "-o", let u = numbers.first {
          map.offset = SIMD2(u, numbers.count > 1 ? numbers[1] : 0)
        }
      } else {
        index += count
      }
    }
    map.fileName = rest(words, from: index)
    return map.fileName.isEmpty ? nil : map
  }

  /// The texture options with their numbers of arguments.
  private static let optionArguments: [Substring: Int] = [
    "-blendu": 1, "-blendv": 1, "-bm": 1, "-boost": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1,
    "-mm": 2, "-o": 3, "-s": 3, "-t": 3, "-texres": 1, "-type": 1, "-colorspace": 1,
  ]
}

extension Material {
  /// Converts an MTL material; textures are added by the caller.
  init(_ entry: MaterialLibrary.Entry) {
    let diffuse = entry.diffuse ?? SIMD3(repeating: 0.8)
    var opacity = entry.opacity ?? 1
    if entry.opacity == nil, let transparency = entry.transparency, transparency < 1 {
      // Old exporters wrote 1 for opaque; an invisible scan is never meant.
      opacity = 1 - transparency
    }
    let hasHighlight =
      entry.illumination.map { $0 >= 2 } ?? true && entry.specular.map { $0 != .zero } ?? false
    // As Blender interprets the exponent.
    let glossy = (min(max(entry.shininess ?? 0, 0), 1000) / 1000).squareRoot()
    self.init(
      name: entry.name,
      baseColor: SIMD4(Self.clamped(diffuse), min(max(opacity, 0), 1)),
      metallic: min(max(entry.metallic ?? 0, 0), 1),
      roughness: min(max(entry.roughness ?? (hasHighlight ? 1 - glossy : 1), 0), 1),
      // It may be more than white.
      emissive: entry.emissive.clamped(
        lowerBound: .zero, upperBound: SIMD3(repeating: Material.mostEmissive)))
  }

  private static func clamped(_ color: SIMD3<Float>) -> SIMD3<Float> {
    color.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1))
  }
}
