import MeshPipeline

/// A layer of a drawing, named as by the CAD layer guidelines of the AIA.
struct DrawingLayer: Hashable, Sendable {
  /// `A-WALL`.
  let name: String
  /// For people.
  let title: String
  /// The colour on paper.
  let color: Color
  /// The number of AutoCAD's colour index that comes near, 7 for black.
  let colorIndex: Int
  /// The width of its lines on paper in hundredths of a millimetre, one of those that DXF knows.
  let lineWeight: Int
  /// Whether its lines are dashed.
  let isDashed: Bool

  init(
    _ name: String, _ title: String, gray: UInt8 = 0, colorIndex: Int = 7, lineWeight: Int = 18,
    isDashed: Bool = false
  ) {
    (self.name, self.title, self.colorIndex) = (name, title, colorIndex)
    color = Color(red: gray, green: gray, blue: gray)
    (self.lineWeight, self.isDashed) = (lineWeight, isDashed)
  }

  static let walls = DrawingLayer("A-WALL", "Walls", lineWeight: 35)
  static let wallFill = DrawingLayer(
    "A-WALL-PATT", "Filling of walls", gray: 110, colorIndex: 8, lineWeight: 9)
  static let cutFill = DrawingLayer(
    "A-SECT-PATT", "Filling of what is cut", gray: 190, colorIndex: 9, lineWeight: 9)
  static let doors = DrawingLayer("A-DOOR", "Doors", colorIndex: 30, lineWeight: 18)
  static let glazing = DrawingLayer("A-GLAZ", "Windows", colorIndex: 140, lineWeight: 18)
  static let openings = DrawingLayer(
    "A-WALL-HEAD", "Heads of openings", colorIndex: 7, lineWeight: 13, isDashed: true)
  static let columns = DrawingLayer("S-COLS", "Columns", lineWeight: 35)
  static let stairs = DrawingLayer("A-FLOR-STRS", "Stairs", colorIndex: 34, lineWeight: 18)
  static let stairsAbove = DrawingLayer(
    "A-FLOR-OVHD", "Stairs above the plan", colorIndex: 34, lineWeight: 13, isDashed: true)
  static let furniture = DrawingLayer(
    "A-FURN", "Furniture", gray: 90, colorIndex: 8, lineWeight: 13, isDashed: true)
  static let roomNames = DrawingLayer("A-FLOR-IDEN", "Rooms", colorIndex: 7, lineWeight: 18)
  static let areas = DrawingLayer(
    "A-AREA", "Outlines of rooms", gray: 170, colorIndex: 9, lineWeight: 9)
  static let dimensions = DrawingLayer(
    "A-ANNO-DIMS", "Dimensions", gray: 40, colorIndex: 1, lineWeight: 13)
  static let titleBlock = DrawingLayer("A-ANNO-TTLB", "Title block", lineWeight: 25)
  static let symbols = DrawingLayer(
    "A-ANNO-SYMB", "Scale bar and north arrow", lineWeight: 13)
  static let photographs = DrawingLayer("A-ELEV-PHOT", "Photographs of walls", lineWeight: 9)
  static let elevations = DrawingLayer("A-ELEV", "Outlines seen from the front", lineWeight: 25)

  /// The layer of what a section cuts, by the name of a class or of a mesh.
  static func section(_ name: String) -> DrawingLayer {
    switch name {
    case "wall", "wall-decoration", "fireplace": walls
    case "door", "door-frame": doors
    case "window", "blinds": glazing
    case "floor": DrawingLayer("A-FLOR", "Floors", lineWeight: 35)
    case "ceiling": DrawingLayer("A-CLNG", "Ceilings", lineWeight: 35)
    case "stairs": stairs
    case "table", "seat", "bed", "counter", "cabinet", "storage", "sofa", "chair":
      DrawingLayer("A-FURN-SECT", "Furniture that is cut", colorIndex: 34, lineWeight: 25)
    default: DrawingLayer("A-SECT" + suffix(of: name), sectionTitle(of: name), lineWeight: 25)
    }
  }

  private static func sectionTitle(of name: String) -> String {
    name.isEmpty || name == "none" ? "What is cut" : "What is cut of \(name)"
  }

  /// `-SOFA_2` of `sofa 2`: what any reader of DXF takes for a part of a name, at most 24 letters.
  private static func suffix(of name: String) -> String {
    guard !name.isEmpty, name != "none" else { return "" }
    let letters = name.uppercased().unicodeScalars.map { scalar -> Character in
      let isPlain =
        ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "-"
      return isPlain ? Character(scalar) : "_"
    }
    return "-" + String(letters.prefix(24))
  }
}
