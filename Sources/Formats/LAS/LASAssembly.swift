import MeshPipeline

/// Makes a point cloud from the records of a LAS file.
struct LASAssembly {
  let file: MappedFile
  let header: LASHeader
  let context: ReadingContext

  func scene() throws -> Scene {
    let name = FileSystem.title(of: file.path)
    let origin = self.origin
    try context.stage.progress(0.1)
    var points = PointCloud(name: name, positions: positions(origin))
    try context.stage.progress(0.4)
    points.colors = colors
    points.classes = classes
    try context.stage.progress(0.6)
    for field in header.pointFormat.fields {
      try context.stage.checkCancellation()
      if let attribute = attribute(of: field) { points.attributes.append(attribute) }
    }
    for field in header.extraFields.prefix(CustomAttribute.mostOfElement)
    where points.attributes[field.name] == nil {
      try context.stage.checkCancellation()
      points.attributes.append(field.attribute(file, header))
    }
    points.attributes = points.attributes.joiningNumberedColumns
    points.takeOwnAttributes()
    DistantOrigin.warn(origin, of: file.path, in: context)
    return Scene(name: name, pointClouds: [points], coordinateSystem: .blender)
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

  /// The origin to subtract, by the bounds of the points: those of the header may be wrong.
  private var origin: SIMD3<Double> {
    let chunk = 1 << 16
    let count = header.pointCount
    let bounds = Parallel.map(count: (count + chunk - 1) / chunk) { index in
      file.withBytes { bytes in
        var (least, most) = (SIMD3<Int32>(repeating: .max), SIMD3<Int32>(repeating: .min))
        for point in index * chunk..<min(count, (index + 1) * chunk) {
          let start = header.pointOffset + point * header.recordLength
          let place = SIMD3<Int32>(
            bytes.word(at: start), bytes.word(at: start + 4), bytes.word(at: start + 8))
          least = pointwiseMin(least, place)
          most = pointwiseMax(most, place)
        }
        return (least, most)
      }
    }
    var origin = SIMD3<Double>.zero
    for axis in 0..<3 {
      let ends = bounds.flatMap { [Double($0.0[axis]), Double($0.1[axis])] }.map {
        $0 * header.scale[axis] + header.offset[axis]
      }
      origin[axis] = DistantOrigin.coordinate(of: ends)
    }
    return origin
  }

  // MARK: Attributes

  /// Colours of 16 bits, or of 8 in files of careless programs; nil if all are black.
  private var colors: [Color]? {
    guard let offset = header.pointFormat.colorOffset else { return nil }
    let words: [SIMD3<UInt16>] = map { bytes, start in
      SIMD3(
        bytes.word(at: start + offset), bytes.word(at: start + offset + 2),
        bytes.word(at: start + offset + 4))
    }
    let most = words.reduce(SIMD3<UInt16>.zero) { pointwiseMax($0, $1) }.max()
    guard most > 0 else { return nil }
    return Parallel.array(count: words.count) { index in
      let word = words[index]
      let color =
        most > 255
        ? (SIMD3<UInt32>(truncatingIfNeeded: word) &+ 128) / 257
        : SIMD3<UInt32>(truncatingIfNeeded: word)
      return Color(red: UInt8(color.x), green: UInt8(color.y), blue: UInt8(color.z))
    }
  }

  /// Nil if no point has a class.
  private var classes: FaceClasses? {
    let codes = values(of: header.pointFormat.classification)
    guard codes.contains(where: { $0 > 1 || header.classNames[Int($0)] != nil }) else {
      return nil
    }
    var table = ClassNameTable()
    var labels = [UInt16?](repeating: nil, count: 256)
    for code in Set(codes).sorted() {
      let name = header.classNames[Int(code)] ?? LASClassCodes.name(of: Int(code))
      labels[Int(code)] = table.label(of: name)
    }
    return FaceClasses(labels: codes.map { labels[Int($0)] ?? 0 }, names: table.names)
  }

  private func values(of field: LASField) -> [UInt8] {
    let (first, mask) = (field.bits?.first ?? 0, UInt8(truncatingIfNeeded: field.mask))
    return map { bytes, start in bytes[start + field.offset] >> UInt8(first) & mask }
  }

  /// The values of a field; nil if all are those of points that don't have one.
  private func attribute(of field: LASField) -> CustomAttribute? {
    let values: CustomAttribute.Values
    if field.bits != nil {
      values = .uint8(self.values(of: field))
    } else {
      let layout = PLYLayout(
        base: header.pointOffset, stride: header.recordLength,
        customPlaces: [(field.offset, field.type)])
      values = PLYTable(file, layout, count: header.pointCount, isBigEndian: false)
        .custom(0..<1, of: 1, field.type)
      file.release(header.pointOffset..<file.count)
    }
    let first = values.double(at: 0)
    guard first == field.neutral || first == 0 else {
      return CustomAttribute(field.name, values: values)
    }
    let isTrivial = (0..<values.count).allSatisfy { values.double(at: $0) == first }
    return isTrivial ? nil : CustomAttribute(field.name, values: values)
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
