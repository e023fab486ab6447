import MeshPipeline

extension PLYHeader {
  /// The vertices that are looked at.
  private static let sampleCount = 1024
  /// Of the lines of vertices; in what has no lines, no end is searched for.
  private static let longestLine = 1 << 12

  /// Finds the ``origin`` by some of the positions, if they are in double precision and far from zero.
  ///
  /// - Parameter file: The file with the body, which may be damaged: that is found later.
  mutating func findOrigin(in file: MappedFile) {
    origin = file.withBytes { encoding == .text ? textOrigin($0) : binaryOrigin($0) }
  }

  /// The axes in double precision; single precision has lost what an origin would keep.
  private static func axis(of property: Property) -> Int? {
    guard property.type == .float64, property.countType == nil else { return nil }
    return PLYRole(propertyName: property.name)?.axis
  }

  private func binaryOrigin(_ bytes: Span<UInt8>) -> SIMD3<Double> {
    var offset = bodyOffset
    for element in elements where !element.hasLists {
      let size = element.smallestSize(encoding)
      guard element.name != "vertex" else {
        let count = min(element.count, (bytes.count - offset) / max(1, size))
        return origin(of: element, bytes, offset, count: count)
      }
      let (length, isTooLong) = element.count.multipliedReportingOverflow(by: size)
      guard !isTooLong, length <= bytes.count - offset else { break }
      offset += length
    }
    return .zero
  }

  private func origin(
    of vertices: Element, _ bytes: Span<UInt8>, _ start: Int, count: Int
  ) -> SIMD3<Double> {
    var origin = SIMD3<Double>.zero
    var offset = start
    let size = vertices.smallestSize(encoding)
    for property in vertices.properties {
      if let axis = Self.axis(of: property) {
        let step = max(1, count / Self.sampleCount)
        var values: [Double] = []
        for vertex in stride(from: 0, to: count, by: step) {
          values.append(
            bytes.number(
              at: offset + vertex * size, .float64, isBigEndian: encoding == .bigEndian))
        }
        origin[axis] = DistantOrigin.coordinate(of: values, skipsZeros: true)
      }
      offset += property.type.size
    }
    return origin
  }

  private func textOrigin(_ bytes: Span<UInt8>) -> SIMD3<Double> {
    let filled = elements.filter { !$0.properties.isEmpty && $0.count > 0 }
    guard let vertices = filled.first, vertices.name == "vertex", !vertices.hasLists,
      vertices.properties.contains(where: { Self.axis(of: $0) != nil })
    else { return .zero }
    // Lines of vertices are mostly the longer ones; half of their share of the bytes has no others.
    let share =
      Double(vertices.count) / (2 * filled.reduce(0) { $0 + Double($1.count) })
    let end =
      filled.count == 1
      ? bytes.count : bodyOffset + Int(share * Double(bytes.count - bodyOffset))
    var values = [[Double]](repeating: [], count: 3)
    for sample in 0..<Self.sampleCount {
      var start = bodyOffset + sample * max(0, end - bodyOffset) / Self.sampleCount
      let limit = min(end, start + Self.longestLine)
      while sample > 0, start < limit, bytes[start - 1] != 0x0A, bytes[start - 1] != 0x0D {
        start += 1
      }
      guard start < limit else { continue }
      var source = PLYTextSource(start..<bytes.count)
      source.skipBlankLines(bytes)
      for property in vertices.properties {
        // A damaged line is found when all are read.
        guard let value = try? source.double(bytes, .float64) else { break }
        if let axis = Self.axis(of: property) { values[axis].append(value) }
      }
    }
    return SIMD3(values.map { DistantOrigin.coordinate(of: $0, skipsZeros: true) })
  }
}
