import MeshPipeline

/// A scene of points as a LAS file.
struct LASBody {
  private let clouds: [Cloud]
  private let version: LASVersion
  private let format: LASPointFormat
  private let grid: LASGrid
  private let reference: LASOutputReference
  private let survey: Survey
  private let extra: PLYCustomRows
  private let classTable: [UInt8]
  private let provenance: [UInt8]

  /// A point cloud, with what its records take.
  private struct Cloud {
    var points: PointCloud
    /// The codes of the classes.
    var codes: [UInt8]?
    /// The values of the fields of the format; nil for their neutral ones.
    var fields: [CustomAttribute.Values?]
    var extra: [PLYCustomValues]
  }

  /// - Parameter scene: Point clouds alone, Z up, in metres.
  init(_ scene: Scene, options: LAS.Options, in context: WritingContext) throws {
    version = options.version
    provenance = Self.record(of: context.provenance)
    survey = scene.survey ?? Survey()
    reference = LASOutputReference(scene, options)
    grid = LASGrid(scene, reference.unit, options, in: context)
    let isExtended = version == .v14 && !(reference.needsOldFormat && Self.fitsOldFormat(scene))
    reference.warn(isExtended: isExtended, in: context)
    let lists = scene.pointClouds.map { cloud in
      cloud.attributes.filter { $0.name != Survey.neverClassified || $0.width != 1 }
    }.withIntensities(in: context).map { $0.scanAngles(isWide: isExtended) }
    func has(_ name: String) -> Bool { lists.contains { $0[name]?.width == 1 } }
    let hasColors = scene.features.contains(.colors)
    let number =
      isExtended
      ? (has("nir") ? 8 : hasColors ? 7 : 6)
      : (hasColors ? 2 : 0) + (has("gps_time") ? 1 : 0)
    guard let format = LASPointFormat(number) else { preconditionFailure("0 to 10 exist") }
    self.format = format

    // What the format has no field for, as extra bytes.
    let names = Set(format.fields.map(\.name))
    let others = zip(scene.pointClouds, lists).map { cloud, list in
      cloud.ownAttributes + list.filter { !names.contains($0.name) || $0.width != 1 }
    }
    let rows = PLYCustomRows(others, taken: ["x", "y", "z", "classification"])
    extra = rows
    guard rows.properties.count <= Self.mostExtra else {
      throw UnwritableScene.tooLarge(
        format: LAS.name, limit: "\(Self.mostExtra) custom attributes of one number")
    }
    let classes = Self.codes(of: scene, limit: format.classification.mask, in: context)
    classTable = classes.table
    clouds = scene.pointClouds.indices.map { index in
      Cloud(
        points: scene.pointClouds[index], codes: classes.codes[index],
        fields: format.fields.map { field in
          lists[index][field.name].flatMap { $0.width == 1 ? $0.values : nil }
        },
        extra: rows.values(of: others[index]))
    }
  }

  /// Descriptions of 192 bytes in a record whose length has 16 bits.
  private static let mostExtra = 341

  /// Whether the points lose nothing in the formats 0 to 3, which are smaller in some fields.
  private static func fitsOldFormat(_ scene: Scene) -> Bool {
    let used = scene.pointClouds.compactMap { $0.classes?.presentNames }.joined()
    let codes = ClassCodes.codes(of: Set(used).sorted(), limit: 255, scene.survey)
    guard codes.allSatisfy({ $0.map { $0 < 32 } ?? false }) else { return false }
    return scene.pointClouds.allSatisfy { cloud in
      ["overlap", "scanner_channel", "nir", "scan_angle"].allSatisfy { cloud.attributes[$0] == nil }
        && ["return_number", "number_of_returns"].allSatisfy { name in
          cloud.attributes[name]?.values.doubles.allSatisfy { $0 < 8 } ?? true
        }
    }
  }

  /// The codes of each cloud's points, and a table of the names that differ from those of the codes.
  private static func codes(
    of scene: Scene, limit: Int, in context: WritingContext
  ) -> (codes: [[UInt8]?], table: [UInt8]) {
    let none = scene.survey?.unclassifiedCode
    guard let classes = ClassTable(of: scene) else {
      // Without any class nothing says that the points were never classified, but what was read.
      return (
        scene.pointClouds.map { cloud in
          cloud.neverClassified.map { $0.map { $0 == 0 ? 1 : 0 } }
            ?? none.flatMap { $0 == 0 ? nil : [UInt8](repeating: $0, count: cloud.positions.count) }
        }, []
      )
    }
    let labels = scene.pointClouds.indices.map { classes.labels(ofCloud: $0, in: scene) }
    var isUsed = [Bool](repeating: false, count: classes.names.count)
    for label in labels.joined() { isUsed[Int(label)] = true }
    let used = classes.names.indices.filter { isUsed[$0] }
    let names = used.map { classes.names[$0] }
    let found = ClassCodes.codes(of: names, limit: min(limit, 255), scene.survey)
    var codeOfLabel = [UInt8](repeating: none ?? 1, count: classes.names.count)
    var table: [UInt8] = []
    var lost: [String] = []
    for (index, label) in used.enumerated() {
      guard let code = found[index] else {
        lost.append(names[index])
        continue
      }
      codeOfLabel[label] = UInt8(code)
      if ClassCodes.name(of: code) != names[index] {
        // Hyphens are spaces: some readers keep letters, digits and spaces only.
        let text = names[index].map { $0 == "-" ? " " : $0 }
        table += [UInt8(code)] + Self.bytes(String(text), count: 15)
      }
    }
    if !lost.isEmpty {
      context.stage.warn(
        "\(LAS.name) 1.2 and 1.3 have no codes for some classes, which are lost: "
          + "\(lost.joined(separator: ", ")); version 1.4 has")
    }
    let codes = scene.pointClouds.enumerated().map { index, cloud in
      classes.numbers(ofCloud: index, in: scene, by: codeOfLabel, cloud.neverClassified)
    }
    return (codes, table)
  }

  /// A text in a number of bytes, filled with zeros.
  private static func bytes(_ text: String, count: Int) -> [UInt8] {
    var text = text
    while text.utf8.count > count { text.removeLast() }
    return Array(text.utf8) + [UInt8](repeating: 0, count: count - text.utf8.count)
  }

  // MARK: Header

  private var recordLength: Int {
    format.size + extra.properties.reduce(0) { $0 + $1.type.size }
  }

  /// The header and the variable length records.
  var head: [UInt8] {
    let count = clouds.reduce(0) { $0 + $1.points.positions.count }
    let records =
      [
        record(user: "LASF_Spec", id: 0, title: "classes", body: classTable),
        record(user: "LASF_Spec", id: 4, title: "extra bytes", body: extraDescriptions),
        record(user: "meshpipe", id: 1, title: "provenance", body: provenance),
      ].filter { !$0.isEmpty }
      + reference.records(of: version).map {
        record(user: $0.user, id: $0.id, title: $0.title, body: $0.body)
      }
    let pointOffset = version.headerSize + records.joined().count
    let returns = returnCounts
    let legacyCount = format.isExtended ? 0 : count

    var head = ByteBuffer()
    head.append("LASF")
    head.append(survey.sourceID)
    // Point formats from 6 on need coordinate reference systems as well-known text, if there are any.
    let hasText = format.isExtended || version == .v14 && reference.isText
    head.append(UInt16(hasText ? 16 : 0) | (survey.hasStandardTime == true ? 1 : 0))
    head.append([UInt8](repeating: 0, count: 16))
    head.append(byte: 1)
    head.append(byte: version.minor)
    head.append(Self.bytes(survey.systemName.isEmpty ? "OTHER" : survey.systemName, count: 32))
    head.append(Self.bytes("meshpipe", count: 32))
    // No date: the same scene gives the same bytes.
    head.append(UInt32(0))
    head.append(UInt16(version.headerSize))
    head.append(UInt32(pointOffset))
    head.append(UInt32(records.count))
    head.append(byte: UInt8(format.number))
    head.append(UInt16(recordLength))
    head.append(UInt32(truncatingIfNeeded: legacyCount))
    for index in 0..<5 { head.append(UInt32(format.isExtended ? 0 : returns[index])) }
    for axis in 0..<3 { head.append(grid.step[axis]) }
    for axis in 0..<3 { head.append(grid.offset[axis]) }
    let (low, high) = bounds
    for axis in 0..<3 {
      head.append(high[axis])
      head.append(low[axis])
    }
    if version != .v12 { head.append(UInt64(0)) }
    if version == .v14 {
      head.append(UInt64(0))
      head.append(UInt32(0))
      head.append(UInt64(count))
      for index in 0..<15 { head.append(UInt64(returns[index])) }
    }
    for record in records { head.append(record) }
    return head.bytes
  }

  private func record(
    user: String, id: UInt16, title: String, body: [UInt8]
  ) -> [UInt8] {
    guard !body.isEmpty else { return [] }
    var record = ByteBuffer()
    record.append(UInt16(0))
    record.append(Self.bytes(user, count: 16))
    record.append(id)
    record.append(UInt16(body.count))
    record.append(Self.bytes(title, count: 32))
    record.append(body)
    return record.bytes
  }

  /// The body of a record, whose length has 16 bits.
  private static func record(of provenance: Provenance?) -> [UInt8] {
    func bytes(_ provenance: Provenance?) -> [UInt8] {
      provenance.map { Array("\(Provenance.key) \($0.text)".utf8) } ?? []
    }
    let all = bytes(provenance)
    return UInt16(exactly: all.count) != nil ? all : bytes(provenance?.fitting(60_000))
  }

  private var extraDescriptions: [UInt8] {
    extra.properties.flatMap { property in
      [0, 0, LASExtraField.code(of: property.type), 0] + Self.bytes(property.name, count: 32)
        + [UInt8](repeating: 0, count: LASExtraField.size - 36)
    }
  }

  /// The bounds of the coordinates as they are written.
  private var bounds: (low: SIMD3<Double>, high: SIMD3<Double>) {
    var box = Box()
    for cloud in clouds { box.add(Box(cloud.points.positions)) }
    return (grid.number(Vector3(box.minimum)), grid.number(Vector3(box.maximum)))
  }

  /// The number of points by their return number, from 1 on.
  private var returnCounts: [Int] {
    var counts = [Int](repeating: 0, count: 16)
    guard let place = format.fields.firstIndex(where: { $0.name == "return_number" }) else {
      return counts
    }
    let field = format.fields[place]
    for cloud in clouds {
      guard let values = cloud.fields[place] else {
        counts[0] += cloud.points.positions.count
        continue
      }
      for point in 0..<values.count {
        let number = Int(field.word(values.double(at: point)))
        if number > 0 { counts[number - 1] += 1 }
      }
    }
    return counts
  }

  // MARK: Points

  func writePoints(to writer: FileWriter) throws {
    for cloud in clouds {
      let columns = columns(of: cloud)
      let template = template(of: cloud)
      try writer.write(count: cloud.points.positions.count, chunkSize: 1 << 12) { range, buffer in
        var block = LASBlock(template, points: range)
        block.put(cloud.points.positions, grid.steps)
        if let offset = format.colorOffset { block.put(cloud.points.wideColor, at: offset) }
        if let codes = cloud.codes { block.put(codes, as: format.classification) }
        for column in columns { block.put(column) }
        buffer.append(block.bytes)
      }
    }
  }

  /// What a cloud has of the fields of the format and of extra bytes.
  private func columns(of cloud: Cloud) -> [LASColumn] {
    var columns = zip(format.fields, cloud.fields).compactMap { field, values in
      values.map { LASColumn(field: field, values: $0, width: 1, part: 0) }
    }
    var offset = format.size
    for (property, own) in zip(extra.properties, cloud.extra) {
      if let values = own.values {
        columns.append(
          LASColumn(
            field: LASField(property.name, offset, property.type), values: values,
            width: own.width, part: own.part))
      }
      offset += property.type.size
    }
    return columns
  }

  /// A record with the neutral values of the fields that a cloud lacks.
  private func template(of cloud: Cloud) -> [UInt8] {
    var record = [UInt8](repeating: 0, count: recordLength)
    for (field, values) in zip(format.fields, cloud.fields) where values == nil {
      record[field.offset] |= UInt8(truncatingIfNeeded: field.bitsOfNeutral)
    }
    return record
  }
}
