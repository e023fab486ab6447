import MeshPipeline
import NativeLibraries
import Photogrammetry

/// What the options of a stage say of true sizes.
struct KnownSizes {
  var markers: [MarkerSize]
  var boards: [MarkerBoard]
  var distances: [KnownDistance]
  /// As a share; 0 for any.
  var maximumChange: Double

  /// What is wrong with them together.
  var faults: [String] {
    var faults: [String] = []
    if markers.isEmpty, boards.isEmpty, distances.isEmpty {
      faults.append("give 'markers', 'boards' or 'distances', whose true size is known")
    }
    let sizes = Dictionary(grouping: markers, by: \.dictionary)
    if let twice = sizes.keys.filter({ (sizes[$0]?.count ?? 0) > 1 }).min(by: {
      $0.rawValue < $1.rawValue
    }) {
      faults.append("'markers' has two sizes of \(twice.rawValue); use another dictionary for each")
    }
    return faults
  }

  /// The dictionaries of which markers have to be found, each once.
  var dictionaries: [MarkerDictionary] {
    let named = distances.flatMap { [$0.from, $0.to] }.compactMap { end -> MarkerDictionary? in
      guard case .marker(let dictionary, _) = end else { return nil }
      return dictionary
    }
    var seen: Set<MarkerDictionary> = []
    return (markers.map(\.dictionary) + boards.map(\.dictionary) + named)
      .filter { seen.insert($0).inserted }
  }

  /// The clues in units of a scene.
  func references(in scene: borrowing Scene) throws -> [ScaleMeasurement.Reference] {
    let system = scene.coordinateSystem
    func text(_ length: Length) -> String {
      LengthScale(of: [length.meters]).shortText(length.meters)
    }
    var references = markers.map { size in
      ScaleMeasurement.Reference(
        clue: .side(size.dictionary, size.side.units(in: system)),
        name: "markers of \(text(size.side))")
    }
    references += boards.map { board in
      ScaleMeasurement.Reference(
        clue: .board(
          board.dictionary, columns: board.columns, rows: board.rows,
          square: board.square.units(in: system)),
        name:
          "markers of the board of \(board.columns)x\(board.rows) squares of \(text(board.square))"
      )
    }
    for distance in distances {
      references.append(
        ScaleMeasurement.Reference(
          clue: .distance(
            try place(distance.from, in: scene), try place(distance.to, in: scene),
            distance.length.units(in: system)),
          name: "the distance '\(distance.text)'"))
    }
    return references
  }

  private func place(
    _ end: KnownDistance.End, in scene: borrowing Scene
  ) throws -> ScalePlace {
    switch end {
    case .point(let point): return .point(point.place(in: scene))
    case .marker(let named, let number):
      let known = dictionaries
      guard let dictionary = named ?? (known.count == 1 ? known.first : nil) else {
        throw ScaleFailure.unknownDictionary(number, option: "distances")
      }
      return .marker(MarkerName(dictionary, number))
    }
  }
}
