import MeshPipeline

/// Makes a point cloud from the records of a LAS file.
struct LASAssembly {
  let file: MappedFile
  let header: LASHeader
  let context: ReadingContext

  func scene() throws -> Scene {
    let name = FileSystem.title(of: file.path)
    let survey = LASSurvey(file, header)
    let placement: LASPlacement
    do throws(LASPlacement.Refusal) {
      placement = try LASPlacement(
        header, bounds: survey.bounds(header), givenUnit: context.metersPerUnit)
    } catch {
      throw ReadingError.content(path: file.path, error.message)
    }
    try context.stage.progress(0.1)
    var points = PointCloud(name: name, positions: positions(placement))
    try context.stage.progress(0.4)
    (points.colors, points.wideColors) = colors(survey)
    let codes = LASCodes(header, survey)
    points.classes = classes(codes)
    if codes.hasBothUnclassified { points.attributes.append(neverClassified) }
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
    scene.survey = placement.survey
    scene.survey?.classCodes = codes.codeOfName
    scene.survey?.unclassifiedCode = codes.unclassified
    scene.survey?.hasStandardTime = header.hasStandardTime
    scene.survey?.sourceID = header.sourceID
    scene.survey?.systemName = header.systemName
    scene.interpretation = placement.interpretation
    for warning in placement.warnings {
      context.stage.warn("\(FileSystem.name(of: file.path)): \(warning)")
    }
    scene.takeOrigin(placement.origin)
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

  private func positions(_ placement: LASPlacement) -> [Vector3] {
    let origin = placement.origin
    switch placement.map {
    case .scaled(let unit):
      let (scale, shift) = (header.scale * unit, header.offset * unit - origin)
      return map { bytes, start in
        Vector3(SIMD3<Float>(Self.steps(bytes, start) * scale + shift))
      }
    case .projected:
      let (scale, shift) = (header.scale, header.offset)
      return map { bytes, start in
        Vector3(SIMD3<Float>(placement.place(Self.steps(bytes, start) * scale + shift) - origin))
      }
    }
  }

  private static func steps(_ bytes: Span<UInt8>, _ start: Int) -> SIMD3<Double> {
    SIMD3(
      Double(bytes.word(at: start) as Int32), Double(bytes.word(at: start + 4) as Int32),
      Double(bytes.word(at: start + 8) as Int32))
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
  private func classes(_ codes: LASCodes) -> FaceClasses? {
    let labels = codes.labels
    guard labels.contains(where: { $0 != 0 }) else { return nil }
    return FaceClasses(labels: mapCodes { labels[Int($0)] }, names: codes.names)
  }

  /// Tells points of code 0 from those of code 1, which have no class, either.
  private var neverClassified: CustomAttribute {
    CustomAttribute(Survey.neverClassified, values: .uint8(mapCodes { $0 == 0 ? 1 : 0 }))
  }

  /// Makes an array with one value for the code of each point's class.
  private func mapCodes<Value: BitwiseCopyable & Sendable>(
    _ make: @Sendable (UInt8) -> Value
  ) -> [Value] {
    let field = header.pointFormat.classification
    let (offset, mask) = (field.offset, UInt8(truncatingIfNeeded: field.mask))
    return map { bytes, start in make(bytes[start + offset] & mask) }
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
