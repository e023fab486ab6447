import MeshTestSupport

/// Writes a stage of random prims, as text: what composition, transforms and instancers can do, mixed.
struct USDRandomStage {
  private var random: SeededGenerator
  /// Prims that others can refer to.
  private var known: [String] = []
  /// Classes and prims beside the root.
  private var beside: [String] = []
  private var count = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The files of the stage by their names: `main.usda`, and what it refers to.
  mutating func files() -> [String: String] {
    let part =
      "#usda 1.0\n(defaultPrim = \"Part\")\ndef Xform \"Part\" {\n\(transform())\n\(mesh("m"))\n}\n"
    let groups = (0..<6).map { _ in group("/Root", depth: 0) }.joined(separator: "\n")
    let stage = """
      #usda 1.0
      (defaultPrim = "Root"
      metersPerUnit = 1
      upAxis = "Y")
      def Xform "Root" {
      \(groups)
      }
      \(beside.joined(separator: "\n"))
      """
    guard chance(3) else { return ["main.usda": stage, "part.usda": part] }
    let edits = """
      #usda 1.0
      (defaultPrim = "Root"
      metersPerUnit = 1
      upAxis = "Y"
      subLayers = [@weak.usda@])
      \(over())
      """
    return ["main.usda": edits, "weak.usda": stage, "part.usda": part]
  }

  // MARK: Chance

  private mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }

  private mutating func number(_ most: Double = 3) -> Double {
    (Double.random(in: -most...most, using: &random) * 1000).rounded() / 1000
  }

  private mutating func triple(_ most: Double = 3) -> String {
    "(\(number(most)), \(number(most)), \(number(most)))"
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private mutating func name() -> String {
    count += 1
    return "n\(count)"
  }

  // MARK: Prims

  private mutating func transform() -> String {
    var (lines, order): ([String], [String]) = ([], [])
    if chance(8) { order.append("!resetXformStack!") }
    for place in 0..<Int.random(in: 0...3, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        lines.append("double3 xformOp:translate:t\(place) = \(triple())")
        order.append("xformOp:translate:t\(place)")
      case 1:
        let scale = (0..<3).map { _ in pick(["0.5", "2", "-1", "1.5"]) }.joined(separator: ", ")
        lines.append("float3 xformOp:scale:s\(place) = (\(scale))")
        order.append("xformOp:scale:s\(place)")
      case 2:
        let axes = pick(["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
        lines.append("float3 xformOp:rotate\(axes):r\(place) = \(triple(180))")
        order.append("xformOp:rotate\(axes):r\(place)")
      case 3:
        let axis = pick(["X", "Y", "Z"])
        lines.append("float xformOp:rotate\(axis):r\(place) = \(number(180))")
        order.append("xformOp:rotate\(axis):r\(place)")
      case 4:
        lines.append("quatf xformOp:orient:o\(place) = (0.5, 0.5, \(pick(["0.5", "-0.5"])), 0.5)")
        order.append("xformOp:orient:o\(place)")
      default:
        lines.append("double3 xformOp:translate:p\(place) = \(triple())")
        lines.append("float xformOp:rotateZ:p\(place) = \(number(90))")
        order += [
          "xformOp:translate:p\(place)", "xformOp:rotateZ:p\(place)",
          "!invert!xformOp:translate:p\(place)",
        ]
      }
    }
    let names = order.map { "\"\($0)\"" }.joined(separator: ", ")
    return lines.joined(separator: "\n") + "\nuniform token[] xformOpOrder = [\(names)]"
  }

  private mutating func mesh(_ name: String, _ specifier: String = "def") -> String {
    let vertices = Int.random(in: 3...6, using: &random)
    let faces = Int.random(in: 1...5, using: &random)
    let points = (0..<vertices).map { _ in triple(1) }.joined(separator: ", ")
    let indices = (0..<faces).flatMap { _ in (0..<vertices).shuffled(using: &random).prefix(3) }
    let sizes = [String](repeating: "3", count: faces).joined(separator: ", ")
    var lines = [
      "int[] faceVertexCounts = [\(sizes)]",
      "int[] faceVertexIndices = [\(indices.map(String.init).joined(separator: ", "))]",
      "uniform token subdivisionScheme = \"none\"",
      chance(8)
        ? "point3f[] points.timeSamples = { 1: [\(points)], 5: [\(points)] }"
        : "point3f[] points = [\(points)]",
    ]
    if chance(5) { lines.append("uniform token orientation = \"leftHanded\"") }
    if chance(6), faces > 1 { lines.append("int[] holeIndices = [0]") }
    return
      "\(specifier) Mesh \"\(name)\" {\n\(lines.joined(separator: "\n"))\n\(looks())\n\(transform())\n}"
  }

  /// What hides a prim and those below.
  private mutating func looks() -> String {
    if chance(10) { return "token visibility = \"invisible\"" }
    if chance(10) { return "uniform token purpose = \"\(pick(["render", "proxy", "guide"]))\"" }
    return ""
  }

  private mutating func group(_ parent: String, depth: Int) -> String {
    let name = name()
    let path = "\(parent)/\(name)"
    defer { known.append(path) }
    switch depth > 3 ? 0 : Int.random(in: 0..<9, using: &random) {
    case 0, 1: return mesh(name)
    case 2, 3:
      let inner = (0..<2).map { _ in group(path, depth: depth + 1) }.joined(separator: "\n")
      let metadata = chance(8) ? "(active = false)" : ""
      return "def Xform \"\(name)\" \(metadata) {\n\(looks())\n\(transform())\n\(inner)\n}"
    case 4:
      let targets = known.filter { !parent.hasPrefix($0) }
      guard !targets.isEmpty else { return mesh(name) }
      let arc = pick(["references", "inherits", "specializes", "payload"])
      let metadata = "\(arc) = <\(pick(targets))>\(chance(2) ? "\ninstanceable = true" : "")"
      return "def Xform \"\(name)\" (\(metadata)) {\n\(transform())\n}"
    case 5:
      let selection = chance(4) ? "" : "variants = { string v = \"\(pick(["a", "b"]))\" }"
      return """
        def Xform "\(name)" (prepend variantSets = "v"
        \(selection)) {
        \(transform())
        variantSet "v" = {
        "a" {
        \(mesh("a"))
        }
        "b" {
        \(mesh("b"))
        }
        }
        }
        """
    case 6:
      return
        "def Xform \"\(name)\" (references = @part.usda@\(chance(2) ? "</Part/m>" : "")) {\n\(transform())\n}"
    default: return instancer(name, path)
    }
  }

  private mutating func instancer(_ name: String, _ path: String) -> String {
    let count = Int.random(in: 1...4, using: &random)
    var (prototypes, inner): ([String], [String]) = ([], [])
    for place in 0..<Int.random(in: 1...2, using: &random) {
      let specifier = pick(["def", "class", "over"])
      if chance(2) {
        inner.append(mesh("p\(place)", specifier))
        prototypes.append("<\(path)/p\(place)>")
      } else {
        let library = "L\(name)\(place)"
        beside.append(
          "\(specifier) Xform \"\(library)\" {\n\(transform())\n\(mesh("g", pick(["def", "over"])))\n}"
        )
        prototypes.append(chance(2) ? "</\(library)>" : "</\(library)/g>")
      }
    }
    func list(_ element: (Int) -> String) -> String {
      "[" + (0..<count).map(element).joined(separator: ", ") + "]"
    }
    let chosen = (0..<count).map { _ in Int.random(in: 0..<prototypes.count, using: &random) }
    let places = (0..<count).map { _ in triple(5) }
    var lines = [
      "rel prototypes = [\(prototypes.joined(separator: ", "))]",
      "int[] protoIndices = \(list { "\(chosen[$0])" })",
      "point3f[] positions = \(list { places[$0] })",
    ]
    if chance(2) {
      let turns = ["(1, 0, 0, 0)", "(0.5, 0.5, 0.5, 0.5)", "(0, 0, 1, 0)"]
      lines.append("quath[] orientations = \(list { turns[$0 % 3] })")
    }
    if chance(2) {
      let scales = ["(1, 1, 1)", "(2, 1, -1)", "(0.5, 2, 1)"]
      lines.append("float3[] scales = \(list { scales[$0 % 3] })")
    }
    let hasIds = chance(2)
    if hasIds { lines.append("int64[] ids = \(list { "\(7_000_000_000 + $0)" })") }
    if chance(4) { lines.append("int64[] invisibleIds = [\(hasIds ? 7_000_000_000 : 0)]") }
    let last = hasIds ? 7_000_000_000 + count - 1 : count - 1
    let metadata = chance(3) ? "(\(pick(["", "prepend ", "append "]))inactiveIds = [\(last)])" : ""
    return """
      def PointInstancer "\(name)" \(metadata) {
      \(lines.joined(separator: "\n"))
      \(looks())
      \(transform())
      \(inner.joined(separator: "\n"))
      }
      """
  }

  /// Changes that a stronger layer makes to a prim.
  private mutating func over() -> String {
    let names = pick(known).split(separator: "/")
    let change = pick([
      "(active = false) {", "{\ntoken visibility = \"invisible\"",
      "{\ndouble3 xformOp:translate:t9 = \(triple())\nuniform token[] xformOpOrder = [\"xformOp:translate:t9\"]",
    ])
    let opening = names.dropLast().map { "over \"\($0)\" {" }.joined(separator: "\n")
    return "\(opening)\nover \"\(names.last ?? "")\" \(change)"
      + String(repeating: "\n}", count: names.count)
  }
}
