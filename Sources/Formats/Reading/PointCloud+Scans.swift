import MeshPipeline

extension [PointCloud] {
  /// The scans of a file as one cloud, with the number of each point's scan as the attribute `scan` if there are several.
  ///
  /// Points of scans without colours are white where others have some. Normals, confidences and classes need those of all.
  var joinedScans: PointCloud {
    guard count > 1 else { return first ?? PointCloud() }
    var joined = PointCloud(name: self[0].name)
    var names = ClassNameTable()
    let hasColors = contains { $0.colors != nil }
    if hasColors { joined.colors = [] }
    if contains(where: { $0.wideColors != nil }) { joined.wideColors = [] }
    if allSatisfy({ $0.normals != nil }) { joined.normals = [] }
    if allSatisfy({ $0.confidences != nil }) { joined.confidences = [] }
    var labels: [UInt16]? = allSatisfy { $0.classes != nil } ? [] : nil
    var scans: [UInt32] = []
    for (number, cloud) in enumerated() {
      let size = cloud.positions.count
      joined.attributes.append(cloud.attributes, to: joined.positions.count, count: size)
      joined.positions += cloud.positions
      joined.colors?.append(
        contentsOf: cloud.colors ?? [Color](repeating: .white, count: size))
      joined.wideColors?.append(contentsOf: (0..<size).map { cloud.wideColor(ofPoint: $0) })
      joined.normals?.append(contentsOf: cloud.normals ?? [])
      joined.confidences?.append(contentsOf: cloud.confidences ?? [])
      if let classes = cloud.classes {
        let common = classes.names.map { names.label(of: $0) }
        labels?.append(contentsOf: classes.labels.map { common[Int($0)] })
      }
      scans += repeatElement(UInt32(truncatingIfNeeded: number), count: size)
    }
    if let column = first?.classes?.column, labels != nil {
      // Numbers that nothing has named yet stay what they are.
      let numbers = flatMap { $0.classes?.labels ?? [] }
      joined.classes = FaceClasses(
        numbers: numbers, under: column, ofFaces: false, codes: first?.classes?.codeScheme)
    } else {
      joined.classes = labels.map { FaceClasses(labels: $0, names: names.names) }
    }
    joined.attributes["scan"] = CustomAttribute(
      "scan",
      values: count <= Int(UInt16.max) ? .uint16(scans.map { UInt16($0) }) : .uint32(scans))
    return joined
  }
}
