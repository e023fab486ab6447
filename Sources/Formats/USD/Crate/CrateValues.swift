import MeshPipeline
import NativeLibraries

/// The values of a crate, decoded when they are asked for.
struct CrateValues: USDStoredContents {
  let bytes: USDBytes
  let version: CrateVersion
  let tokens: [String]
  /// Tokens by index of the string.
  let strings: [UInt32]
  /// Nodes of the tree by index of the path, negative for those without meaning.
  let paths: [Int]
  let tree: USDTree

  private var decoding: CrateDecoding { CrateDecoding(bytes: bytes) }

  func content(ofField reference: UInt64) throws -> USDContent {
    let reference = CrateReference(bits: reference)
    guard let type = CrateType(rawValue: reference.bits >> 48 & 0xFF) else { return .nothing }
    if reference.isArray { return try array(type, reference) }
    if reference.isInlined { return try inlined(type, reference) }
    return try single(type, reference.offset)
  }

  // MARK: Texts

  func token(_ index: UInt32, _ offset: Int) throws -> String {
    guard index < tokens.count else {
      throw bytes.fault(offset, "name \(index) does not exist; there are \(tokens.count)")
    }
    return tokens[Int(index)]
  }

  func string(_ index: UInt32, _ offset: Int) throws -> String {
    guard index < strings.count else {
      throw bytes.fault(offset, "text \(index) does not exist; there are \(strings.count)")
    }
    return try token(strings[Int(index)], offset)
  }

  func path(_ index: UInt32, _ offset: Int) throws -> USDPath? {
    guard index < paths.count else {
      throw bytes.fault(offset, "path \(index) does not exist; there are \(paths.count)")
    }
    return paths[Int(index)] > 0 ? tree.path(of: paths[Int(index)]) : nil
  }

  // MARK: Single values

  /// A value in the reference itself.
  private func inlined(_ type: CrateType, _ reference: CrateReference) throws -> USDContent {
    let payload = UInt32(truncatingIfNeeded: reference.bits)
    func signed(_ index: Int) -> Double { Double(Int8(truncatingIfNeeded: payload >> (8 * index))) }
    switch type {
    case .bool, .uchar: return .numbers([Double(payload & 0xFF)])
    case .int, .int64: return .numbers([Double(Int32(bitPattern: payload))])
    case .uint, .uint64: return .numbers([Double(payload)])
    case .half: return .numbers([Double(Self.float(ofHalf: UInt16(truncatingIfNeeded: payload)))])
    case .float, .double, .timeCode: return .numbers([Double(Float(bitPattern: payload))])
    case .token: return .text(try token(payload, 0))
    case .string: return .text(try string(payload, 0))
    case .asset: return .asset(try token(payload, 0))
    case .specifier: return .text(["def", "over", "class"][Int(min(payload, 2))])
    case .variability: return .nothing
    case .vec2h:
      return .numbers(
        [payload, payload >> 16].map {
          Double(Self.float(ofHalf: UInt16(truncatingIfNeeded: $0)))
        })
    case .vec2d, .vec2f, .vec2i: return .numbers((0..<2).map(signed))
    case .vec3d, .vec3f, .vec3h, .vec3i: return .numbers((0..<3).map(signed))
    case .vec4d, .vec4f, .vec4h, .vec4i: return .numbers((0..<4).map(signed))
    case .matrix2d, .matrix3d, .matrix4d:
      // The diagonal, all else is zero.
      let side = type == .matrix2d ? 2 : type == .matrix3d ? 3 : 4
      return .numbers((0..<side * side).map { $0 % (side + 1) == 0 ? signed($0 / (side + 1)) : 0 })
    default: return .nothing
    }
  }

  private func single(_ type: CrateType, _ offset: Int) throws -> USDContent {
    if let form = type.form {
      return .numbers(try numbers(form.number, offset, form.width))
    }
    switch type {
    case .tokenVector: return .texts(try tokenList(offset).items)
    case .stringVector:
      let count = try bytes.size(at: offset)
      return .texts(try bytes.integers(at: offset + 8, count).map { try string($0, offset) })
    case .pathVector:
      return .paths(try pathList(offset).paths)
    case .doubleVector:
      let count = try bytes.size(at: offset)
      return .doubles(try numbers(.double, offset + 8, count), width: 1)
    case .tokenListOp: return .texts(try list(offset) { try tokenList($0) })
    case .stringListOp:
      return .texts(
        try list(offset) { try items($0, of: 4) { try string(bytes.integer(at: $0), $0) } })
    case .pathListOp:
      return .paths(
        try list(offset) { try items($0, of: 4) { try path(bytes.integer(at: $0), $0) } }
          .compactMap { $0 })
    case .referenceListOp:
      return .references(try list(offset) { try referenceList($0) { try self.reference(&$0) } })
    case .payloadListOp:
      return .references(try list(offset) { try referenceList($0) { try payload(&$0) } })
    case .int64ListOp: return .edits(try edits(offset))
    case .payload:
      var place = offset
      return .references([try payload(&place)])
    case .selections: return .selections(try selections(offset))
    case .timeSamples: return try firstSample(offset)
    default: return .nothing
    }
  }

  private func numbers(_ type: CrateNumber, _ offset: Int, _ count: Int) throws -> [Double] {
    switch type {
    case .uint8: try bytes.integers(at: offset, count, UInt8.self).map { Double($0) }
    case .int32: try bytes.integers(at: offset, count, Int32.self).map { Double($0) }
    case .uint32: try bytes.integers(at: offset, count, UInt32.self).map { Double($0) }
    case .int64: try bytes.integers(at: offset, count, Int64.self).map { Double($0) }
    case .uint64: try bytes.integers(at: offset, count, UInt64.self).map { Double($0) }
    case .half:
      try bytes.integers(at: offset, count, UInt16.self).map { Double(Self.float(ofHalf: $0)) }
    case .float:
      try bytes.integers(at: offset, count, UInt32.self).map { Double(Float(bitPattern: $0)) }
    case .double:
      try bytes.integers(at: offset, count, UInt64.self).map { Double(bitPattern: $0) }
    }
  }

  private func selections(_ offset: Int) throws -> [String: String] {
    let count = try bytes.size(at: offset)
    let pairs: [UInt32] = try bytes.integers(
      at: offset + 8, bytes.range(offset + 8, count, of: 8).count / 4)
    var result: [String: String] = [:]
    for index in 0..<count {
      result[try string(pairs[2 * index], offset)] = try string(pairs[2 * index + 1], offset)
    }
    return result
  }

  /// The first value of those at several times.
  private func firstSample(_ offset: Int) throws -> USDContent {
    // Offsets are relative to their own place, so that values may come first.
    func skip(_ index: Int) throws -> Int {
      let distance = Int(try bytes.integer(at: index, Int64.self))
      let (target, overflows) = index.addingReportingOverflow(distance)
      guard !overflows, target >= 0, target <= bytes.count else {
        throw bytes.fault(index, "refers to bytes beyond the end of the layer")
      }
      return target
    }
    let values = try skip(skip(offset) + 8)
    guard try bytes.size(at: values) > 0 else { return .nothing }
    let reference = CrateReference(bits: try bytes.integer(at: values + 8))
    // A sample is not itself animated.
    guard CrateType(rawValue: reference.bits >> 48 & 0xFF) != .timeSamples else { return .nothing }
    return try content(ofField: reference.bits)
  }

  // MARK: Lists

  private func items<Item>(
    _ offset: Int, of size: Int, _ read: (Int) throws -> Item
  ) throws -> (items: [Item], end: Int) {
    let part = try bytes.range(offset + 8, bytes.size(at: offset), of: size)
    return (
      try stride(from: part.lowerBound, to: part.upperBound, by: size).map(read), part.upperBound
    )
  }

  private func tokenList(_ offset: Int) throws -> (items: [String], end: Int) {
    try items(offset, of: 4) { try token(bytes.integer(at: $0), $0) }
  }

  private func pathList(_ offset: Int) throws -> (paths: [USDPath], end: Int) {
    let (paths, end) = try items(offset, of: 4) { try path(bytes.integer(at: $0), $0) }
    return (paths.compactMap { $0 }, end)
  }

  private func referenceList(
    _ offset: Int, _ read: (inout Int) throws -> USDReference
  ) throws -> (items: [USDReference], end: Int) {
    let count = try bytes.size(at: offset)
    _ = try bytes.range(offset + 8, count, of: 8)
    var place = offset + 8
    return (try (0..<count).map { _ in try read(&place) }, place)
  }

  /// The lists of an edit, by their bits in the byte that says which follow.
  private func lists<Item>(
    _ offset: Int, _ read: (Int) throws -> (items: [Item], end: Int)
  ) throws -> [(flag: UInt8, items: [Item])] {
    let flags: UInt8 = try bytes.integer(at: offset)
    var place = offset + 1
    // Explicit, added, prepended and appended ones; then those deleted and put in order.
    let order: [UInt8] = [1, 2, 5, 6, 3, 4]
    var result: [(flag: UInt8, items: [Item])] = []
    for flag in order where flags >> flag & 1 == 1 {
      let (items, end) = try read(place)
      result.append((flag, items))
      place = end
    }
    return result
  }

  /// The items that an edit of a list adds.
  private func list<Item>(
    _ offset: Int, _ read: (Int) throws -> (items: [Item], end: Int)
  ) throws -> [Item] {
    try lists(offset, read).filter { $0.flag != 3 && $0.flag != 4 }.flatMap { $0.items }
  }

  /// An edit of a list of numbers, which says what it deletes, too.
  private func edits(_ offset: Int) throws -> USDEdits {
    let isWhole = try bytes.integer(at: offset, UInt8.self) & 1 == 1
    var edits = USDEdits(whole: isWhole ? [] : nil)
    let lists = try lists(offset) { place in
      try items(place, of: 8) { try bytes.integer(at: $0, Int64.self) }
    }
    for (flag, items) in lists {
      switch flag {
      case 1: edits.whole = items
      case 3: edits.deleted += items
      case 4: break
      default: edits.added += items
      }
    }
    return edits
  }

  private func reference(_ index: inout Int) throws -> USDReference {
    let file = try string(bytes.integer(at: index), index)
    let prim = try path(bytes.integer(at: index + 4), index)
    // An offset and a scale of times, then a dictionary.
    index += 24
    let count = try bytes.size(at: index)
    index += 8
    _ = try bytes.range(index, count, of: 20)
    for _ in 0..<count {
      // A value is where its number of bytes ends.
      let distance = try bytes.size(at: index + 4)
      guard distance >= 8, distance <= bytes.count - index else {
        throw bytes.fault(index, "a dictionary is damaged")
      }
      index += 4 + distance + 8
    }
    return USDReference(file: file, prim: prim)
  }

  private func payload(_ index: inout Int) throws -> USDReference {
    let file = try string(bytes.integer(at: index), index)
    let prim = try path(bytes.integer(at: index + 4), index)
    index += version < CrateVersion(0, 8, 0) ? 8 : 24
    return USDReference(file: file, prim: prim)
  }
}
