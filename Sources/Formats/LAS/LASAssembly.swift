import MeshPipeline

/// Makes a point cloud from the records of a LAS file.
struct LASAssembly {
  let file: MappedFile
  let header: LASHeader
  let context: ReadingContext

  func scene() throws -> Scene {
    let name = FileSystem.title(of: file.path)
    let survey = LASSurvey(file, header)
    let origin = survey.origin(header)
    try context.stage.progress(0.1)
    var points = PointCloud(name: name, positions: positions(origin))
    try context.stage.progress(0.4)
    (points.colors, points.wideColors) = colors(survey)
    points.classes = classes(survey)
    try context.stage.progress(0.6)
    for field in header.pointFormat.fields {
      try context.stage.checkCancellation()
      // Fields in which no point has a value of its own are left out.
      if let constant = survey.constant(of: field), constant == 0 || constant == field.neutral {
        continue
      }
      points.attributes.append(CustomAttribute(field.name, values: values(of: field)))
    }
    for field in header.extraFields.prefix(CustomAttribute.mostOfElement)
    where points.attributes[field.name] == nil {
      try context.stage.checkCancellation()
      points.attributes.append(field.attribute(file, header))
    }
    points.attributes = points.attributes.joiningNumberedColumns
    points.takeOwnAttributes()
    var scene = Scene(name: name, pointClouds: [points], coordinateSystem: .blender)
    scene.takeOrigin(origin, of: file.path, in: context)
    return scene
  }

  /// Makes an array with one value for each point, on all cores.
  private func map<Value: BitwiseCopyable & Sendable>(
    _ make: @Sendable (Span<UInt8>, Int) -> Value
  ) -> [Value] {
    let (base, stride) = (header.pointOffset, header.recordLength)
    return Parallel.array(count: header.pointCount) { range, output in
      file.withBytes { bytes in
        for point in range { output.append(make(bytes, base + point * stride)) }
      }
      file.release(base + range.lowerBound * stride..<base + range.upperBound * stride)
    }
  }

  // MARK: Coordinates

  private func positions(_ origin: SIMD3<Double>) -> [Vector3] {
    let (scale, shift) = (header.scale, header.offset - origin)
    return map { bytes, start in
      Vector3(
        SIMD3<Float>(
          SIMD3(
            Double(bytes.word(at: start) as Int32), Double(bytes.word(at: start + 4) as Int32),
            Double(bytes.word(at: start + 8) as Int32)) * scale + shift))
    }
  }

  // MARK: Attributes

  /// Colours of 16 bits, or of 8 in files of careless programs; nil if all are black.
  ///
  /// Those of 16 bits come with the exact ones, unless 8 bits say the same.
  private func colors(_ survey: LASSurvey) -> ([Color]?, [WideColor]?) {
    guard let offset = header.pointFormat.colorOffset else { return (nil, nil) }
    let ones = (0..<6).map { survey.ones[offset + $0] }
    guard ones.contains(where: { $0 != 0 }) else { return (nil, nil) }
    let wide = map { bytes, start in
      WideColor(
        red: bytes.word(at: start + offset), green: bytes.word(at: start + offset + 2),
        blue: bytes.word(at: start + offset + 4))
    }
    func narrowed(_ make: @Sendable (WideColor) -> Color) -> [Color] {
      Parallel.array(count: wide.count) { make(wide[$0]) }
    }
    guard ones[1] | ones[3] | ones[5] != 0 else {
      let narrow = narrowed { color in
        Color(
          red: UInt8(truncatingIfNeeded: color.red), green: UInt8(truncatingIfNeeded: color.green),
          blue: UInt8(truncatingIfNeeded: color.blue))
      }
      return (narrow, nil)
    }
    let narrow = narrowed { $0.narrow }
    return (narrow, wide.indices.contains { WideColor(narrow[$0]) != wide[$0] } ? wide : nil)
  }

  /// Nil if no point has a class.
  private func classes(_ survey: LASSurvey) -> FaceClasses? {
    let field = header.pointFormat.classification
    var table = ClassNameTable()
    let labels: [UInt16] = (0..<256).map { code in
      guard survey.hasCode(code, in: field) else { return 0 }
      return table.label(of: header.classNames[code] ?? LASClassCodes.name(of: code))
    }
    guard labels.contains(where: { $0 != 0 }) else { return nil }
    let (offset, mask) = (field.offset, UInt8(truncatingIfNeeded: field.mask))
    return FaceClasses(
      labels: map { bytes, start in labels[Int(bytes[start + offset] & mask)] },
      names: table.names)
  }

  private func values(of field: LASField) -> CustomAttribute.Values {
    if let bits = field.bits {
      let (shift, mask) = (UInt8(bits.first), UInt8(truncatingIfNeeded: field.mask))
      return .uint8(map { bytes, start in bytes[start + field.offset] >> shift & mask })
    }
    let layout = PLYLayout(
      base: header.pointOffset, stride: header.recordLength,
      customPlaces: [(field.offset, field.type)])
    return PLYTable(file, layout, count: header.pointCount, isBigEndian: false)
      .custom(0..<1, of: 1, field.type)
  }
}

extension PointCloud {
  /// Takes normals and confidences from extra bytes with such names, as meshpipe and CloudCompare
  /// write them.
  fileprivate mutating func takeOwnAttributes() {
    func attribute(_ names: String...) -> CustomAttribute? {
      attributes.first { names.contains($0.name.lowercased()) && $0.width == 1 }
    }
    if let x = attribute("nx", "normalx"), let y = attribute("ny", "normaly"),
      let z = attribute("nz", "normalz")
    {
      normals = Parallel.array(count: x.count) { index in
        Vector3(
          Float(x.values.double(at: index)), Float(y.values.double(at: index)),
          Float(z.values.double(at: index))
        ).normalized
      }
      attributes.removeAll { [x.name, y.name, z.name].contains($0.name) }
    }
    if let confidence = attribute("confidence") {
      confidences = Parallel.array(count: confidence.count) {
        Float(confidence.values.double(at: $0))
      }
      attributes.removeAll { $0.name == confidence.name }
    }
  }
}
