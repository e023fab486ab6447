import MeshPipeline

/// Values of the elements of a shape.
struct USDPrimvar<Value> {
  var values: [Value]
  /// Elements of `values`, if they are shared.
  var indices: [Int32]?
  /// What an element belongs to: `constant`, `uniform` (a polygon), `vertex`, `varying` or `faceVarying` (a corner).
  var interpolation: String

  private var count: Int { indices?.count ?? values.count }

  /// Whether there is a value for each element of a shape.
  func isConsistent(with counts: USDPrimvars.Counts) -> Bool {
    let needed: Int
    switch interpolation {
    case "constant": needed = 1
    case "uniform": needed = counts.polygons
    case "faceVarying": needed = counts.corners
    default: needed = counts.vertices
    }
    guard count >= needed, !values.isEmpty else { return false }
    return indices?.allSatisfy { $0 >= 0 && $0 < values.count } ?? true
  }

  /// The place in ``values`` of what belongs to a corner of a polygon.
  func index(vertex: Int, corner: Int, polygon: Int) -> Int {
    let element: Int
    switch interpolation {
    case "constant": element = 0
    case "uniform": element = polygon
    case "faceVarying": element = corner
    default: element = vertex
    }
    return indices.map { Int($0[element]) } ?? element
  }

  var isOfVertices: Bool { interpolation == "vertex" || interpolation == "varying" }
}

/// The attributes of a shape that have a value for each element.
struct USDPrimvars {
  struct Counts {
    var polygons: Int
    var vertices: Int
    var corners: Int
  }

  let stage: USDStage
  let prim: USDObject

  init(_ stage: USDStage, _ prim: USDObject) {
    self.stage = stage
    self.prim = prim
  }

  /// The values of an attribute in `primvars:`; nil if it is missing or of another type.
  func primvar<Value>(
    _ name: String, _ values: (USDContent) -> [Value]?
  ) throws -> USDPrimvar<Value>? {
    try attribute("primvars:\(name)", usually: "constant", values)
  }

  /// The value of an attribute in `primvars:` that belongs to the whole prim, and to those below it.
  func constant<Value>(
    _ name: String, _ values: (USDContent) -> [Value]?
  ) throws -> Value? {
    guard let property = stage.property("primvars:\(name)", of: prim),
      try stage.text("interpolation", of: property) ?? "constant" == "constant"
    else { return nil }
    return try primvar(name, values).flatMap { found in
      found.isConsistent(with: Counts(polygons: 1, vertices: 1, corners: 1))
        ? found.values[found.index(vertex: 0, corner: 0, polygon: 0)] : nil
    }
  }

  /// The positions of points, relative to a place near them if they are far from zero in double precision.
  func points() throws -> (positions: [Vector3], origin: SIMD3<Double>)? {
    guard let content = try stage.value("points", of: prim) else { return nil }
    guard case .doubles(let numbers, 3) = content else {
      return Self.triples(content).map { ($0, .zero) }
    }
    let count = numbers.count / 3
    let origin = SIMD3(
      (0..<3).map { axis in
        DistantOrigin.coordinate(of: (0..<count).lazy.map { numbers[3 * $0 + axis] })
      })
    let positions = (0..<count).map { point in
      let position = SIMD3(numbers[3 * point], numbers[3 * point + 1], numbers[3 * point + 2])
      return Vector3(SIMD3<Float>(position - origin))
    }
    return (positions, origin)
  }

  /// Normals, whose primvar comes before the attribute.
  func normals() throws -> USDPrimvar<Vector3>? {
    try attribute("primvars:normals", usually: "constant", Self.triples)
      ?? attribute("normals", usually: "vertex", Self.triples)
  }

  private func attribute<Value>(
    _ name: String, usually: String, _ values: (USDContent) -> [Value]?
  ) throws -> USDPrimvar<Value>? {
    guard let property = stage.property(name, of: prim),
      let content = try stage.value(of: property), let found = values(content)
    else { return nil }
    var result = USDPrimvar(
      values: found, interpolation: try stage.text("interpolation", of: property) ?? usually)
    if case .integers(let indices) = try stage.value("\(name):indices", of: prim) {
      result.indices = indices
    }
    return result
  }

  /// The vectors of an attribute that is not a primvar.
  func triples(_ name: String) throws -> [Vector3]? {
    try stage.value(name, of: prim).flatMap { Self.triples($0) }
  }

  // MARK: Types

  static func triples(_ content: USDContent) -> [Vector3]? {
    switch content {
    case .floats(let numbers, 3):
      return (0..<numbers.count / 3).map { index in
        let start = 3 * index
        return Vector3(numbers[start], numbers[start + 1], numbers[start + 2])
      }
    case .doubles(let numbers, 3):
      return (0..<numbers.count / 3).map { index in
        let start = 3 * index
        let (x, y, z) = (numbers[start], numbers[start + 1], numbers[start + 2])
        return Vector3(Float(x), Float(y), Float(z))
      }
    default: return nil
    }
  }

  static func pairs(_ content: USDContent) -> [Vector2]? {
    switch content {
    case .floats(let numbers, 2):
      return (0..<numbers.count / 2).map { Vector2(numbers[2 * $0], numbers[2 * $0 + 1]) }
    case .doubles(let numbers, 2):
      return (0..<numbers.count / 2).map { index in
        let (x, y) = (numbers[2 * index], numbers[2 * index + 1])
        return Vector2(Float(x), Float(y))
      }
    default: return nil
    }
  }

  static func singles(_ content: USDContent) -> [Float]? {
    switch content {
    case .floats(let numbers, 1): numbers
    case .doubles(let numbers, 1): numbers.map { Float($0) }
    default: nil
    }
  }

  static func quadruples(_ content: USDContent) -> [SIMD4<Float>]? {
    switch content {
    case .floats(let numbers, 4):
      return (0..<numbers.count / 4).map { index in
        let start = 4 * index
        return SIMD4(
          numbers[start], numbers[start + 1], numbers[start + 2], numbers[start + 3])
      }
    case .doubles(let numbers, 4):
      return quadruples(.floats(numbers.map { Float($0) }, width: 4))
    default: return nil
    }
  }

  static func texts(_ content: USDContent) -> [String]? {
    if case .texts(let texts) = content { return texts }
    return nil
  }

  /// sRGB colours of linear light, and opacities.
  static func colors(_ light: [Vector3]?, _ opacities: [Float]?) -> [Color]? {
    guard let light else { return nil }
    let table = SRGBTable.shared
    return light.enumerated().map { index, light in
      Color(
        red: table.code(light.x), green: table.code(light.y), blue: table.code(light.z),
        alpha: opacities.map { Color.byte($0[index] * 255) } ?? 255)
    }
  }
}
