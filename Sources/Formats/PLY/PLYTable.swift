import MeshPipeline

/// The required numbers of all records of an element.
struct PLYTable: Sendable {
  private let storage: Storage
  let count: Int

  private enum Storage {
    /// Read into memory, `width` numbers per record.
    case rows([Float], width: Int, custom: [Double])
    /// Left in a binary file with records of one size.
    case file(MappedFile, PLYLayout, isBigEndian: Bool)
  }

  init(rows: [Float], width: Int, customRows: [Double], count: Int) {
    storage = .rows(rows, width: width, custom: customRows)
    self.count = count
  }

  init(_ file: MappedFile, _ layout: PLYLayout, count: Int, isBigEndian: Bool) {
    storage = .file(file, layout, isBigEndian: isBigEndian)
    self.count = count
  }

  /// Makes an array with one value per record from some of its columns, on all cores.
  @inline(__always)
  func map<Value: BitwiseCopyable & Sendable>(
    _ columns: SIMD4<Int>, _ make: @Sendable (SIMD4<Float>) -> Value
  ) -> [Value] {
    switch storage {
    case .rows(let rows, let width, _):
      return Parallel.array(count: count) { range, output in
        for record in range {
          var value = SIMD4<Float>.zero
          for part in 0..<4 where columns[part] >= 0 {
            value[part] = rows[record * width + columns[part]]
          }
          output.append(make(value))
        }
      }
    case .file(let file, let layout, let isBigEndian):
      return Parallel.array(count: count) { range, output in
        file.withBytes { bytes in
          for record in range {
            let start = layout.base + record * layout.stride
            var value = SIMD4<Float>.zero
            for part in 0..<4 where columns[part] >= 0 {
              let place = layout.places[columns[part]]
              value[part] = Float(
                bytes.number(at: start + place.offset, place.type, isBigEndian: isBigEndian)
                  - place.shift)
            }
            output.append(make(value))
          }
        }
      }
    }
  }

  /// The number of records with custom columns.
  private func customCount(width: Int) -> Int {
    if case .rows(_, _, let rows) = storage { return rows.count / max(width, 1) }
    return count
  }

  /// The values of some consecutive custom columns of one type, record by record.
  func custom(_ columns: Range<Int>, of width: Int, _ type: NumberType) -> CustomAttribute.Values {
    switch type {
    case .int8: .int8(custom(columns, of: width))
    case .uint8: .uint8(custom(columns, of: width))
    case .int16: .int16(custom(columns, of: width))
    case .uint16: .uint16(custom(columns, of: width))
    case .int32: .int32(custom(columns, of: width))
    case .uint32: .uint32(custom(columns, of: width))
    case .uint64: .uint64(words(columns, of: width))
    case .float32: .float32(custom(columns, of: width) { Float($0) })
    case .float64: .float64(custom(columns, of: width) { $0 })
    }
  }

  /// Integers; what a text has beyond the range of their type becomes its nearest value.
  private func custom<Value: FixedWidthInteger & BitwiseCopyable & Sendable>(
    _ columns: Range<Int>, of width: Int
  ) -> [Value] {
    let (least, most) = (Double(Value.min), Double(Value.max))
    return custom(columns, of: width) { number in
      number.isNaN ? 0 : Value(min(max(number.rounded(), least), most))
    }
  }

  private func custom<Value: BitwiseCopyable & Sendable>(
    _ columns: Range<Int>, of width: Int, _ make: @Sendable (Double) -> Value
  ) -> [Value] {
    let count = customCount(width: width)
    switch storage {
    case .rows(_, _, let rows):
      return Parallel.array(count: count * columns.count) { index in
        make(
          rows[index / columns.count * width + columns.lowerBound + index % columns.count])
      }
    case .file(let file, let layout, let isBigEndian):
      return Parallel.array(count: count * columns.count) { range, output in
        file.withBytes { bytes in
          for index in range {
            let start = layout.base + index / columns.count * layout.stride
            let (offset, type) = layout.customPlaces[columns.lowerBound + index % columns.count]
            output.append(
              make(bytes.number(at: start + offset, type, isBigEndian: isBigEndian)))
          }
        }
      }
    }
  }

  /// Integers of 64 bits.
  private func words(_ columns: Range<Int>, of width: Int) -> [UInt64] {
    switch storage {
    case .rows: return custom(columns, of: width) { $0.bitPattern }
    case .file(let file, let layout, let isBigEndian):
      return Parallel.array(count: count * columns.count) { range, output in
        file.withBytes { bytes in
          for index in range {
            let column = columns.lowerBound + index % columns.count
            let start = layout.base + index / columns.count * layout.stride
            output.append(bytes.word(at: start + layout.customPlaces[column].offset, isBigEndian))
          }
        }
      }
    }
  }

  /// Positions, with a fast path for three consecutive floats, as scanners write them.
  func points(_ columns: SIMD3<Int>) -> [Vector3] {
    if case .file(let file, let layout, false) = storage {
      let places = [columns.x, columns.y, columns.z].map { layout.places[$0] }
      let first = places[0].offset
      if places.enumerated().allSatisfy({
        $0.element.type == .float32 && $0.element.offset == first + 4 * $0.offset
          && $0.element.shift == 0
      }) {
        return Parallel.array(count: count) { range, output in
          file.withBytes { bytes in
            for record in range {
              let start = layout.base + record * layout.stride + first
              output.append(
                Vector3(
                  Float(bitPattern: bytes.word(at: start)),
                  Float(bitPattern: bytes.word(at: start + 4)),
                  Float(bitPattern: bytes.word(at: start + 8))))
            }
          }
        }
      }
    }
    return map(SIMD4(columns.x, columns.y, columns.z, -1)) { Vector3($0.x, $0.y, $0.z) }
  }
}

/// The layout of the required numbers in binary records of one size.
struct PLYLayout: Sendable {
  /// The offset of the first record.
  var base: Int
  /// The size of a record.
  var stride: Int
  /// Offset and type of each column in a record, and what is subtracted from its numbers.
  var places: [(offset: Int, type: NumberType, shift: Double)]
  /// The same for the columns of custom attributes.
  var customPlaces: [(offset: Int, type: NumberType)] = []
  /// Offset and type of the first vertex index in a record, and their number.
  var indices: (offset: Int, type: NumberType, length: Int)?
  /// Offset and type of the first texture coordinate in a record, and their number.
  var texture: (offset: Int, type: NumberType, length: Int)?
  /// The lengths of lists that this size implies: offset, type and length.
  var listLengths: [(offset: Int, type: NumberType, length: Int)] = []

  /// The layout of records of another format, with columns of custom attributes alone.
  init(base: Int, stride: Int, customPlaces: [(offset: Int, type: NumberType)]) {
    self.base = base
    self.stride = stride
    self.customPlaces = customPlaces
    places = []
  }

  /// The layout of records whose lists all have the lengths of the first one.
  ///
  /// - Parameter base: The first record; at least its fixed part is inside the file.
  /// - Returns: Nil if the first record does not fit into the file.
  init?(_ plan: PLYPlan, _ bytes: Span<UInt8>, base: Int, isBigEndian: Bool) {
    self.base = base
    places = Array(repeating: (0, .int8, 0), count: plan.width)
    var offset = 0
    for field in plan.fields {
      var length = 1
      if let countType = field.countType {
        guard base + offset + countType.size <= bytes.count else { return nil }
        let value = bytes.number(at: base + offset, countType, isBigEndian: isBigEndian)
        guard value >= 0, value <= Double(bytes.count) else { return nil }
        length = Int(value)
        listLengths.append((offset, countType, length))
        offset += countType.size
      }
      switch field.purpose {
      case .skip: break
      case .column: places[field.column] = (offset, field.type, field.shift)
      case .custom: customPlaces.append((offset, field.type))
      case .indices: indices = (offset, field.type, length)
      case .texture: texture = (offset, field.type, length)
      }
      guard field.type.size * length <= bytes.count else { return nil }
      offset += field.type.size * length
    }
    stride = offset
  }

  /// Whether `count` records really have this layout.
  func holds(for count: Int, in file: MappedFile, isBigEndian: Bool) -> Bool {
    guard stride > 0, count <= (file.count - base) / stride else { return false }
    let chunk = 1 << 16
    let verdicts = Parallel.map(count: (count + chunk - 1) / chunk) { index in
      file.withBytes { bytes in
        for record in index * chunk..<min(count, (index + 1) * chunk) {
          for list in listLengths {
            let at = base + record * stride + list.offset
            let length = bytes.number(at: at, list.type, isBigEndian: isBigEndian)
            if length != Double(list.length) { return false }
          }
        }
        return true
      }
    }
    return !verdicts.contains(false)
  }
}
