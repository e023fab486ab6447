import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Finds the corners of a marker from the edges of all its cells, to a few hundredths of a pixel.
///
/// Ink that spreads, blur and the tone curve of a camera move every edge towards white or towards black: a marker of 45
/// pixels comes out a pixel too small or too large where its outline alone is looked at. As some edges of its cells face
/// one way and some the other, the shift is found together with the corners, and does not change them.
struct MarkerCornerFit {
  private let image: GrayscaleImage
  private let edges: MarkerEdges

  /// Smaller cells are blurred into each other, in pixels.
  private static let leastCell = 2.0
  /// How far from an edge it is looked for: in cells, and at most in pixels.
  private static let reach = (cells: 0.6, pixels: 3.0)
  /// The samples of a profile across an edge, and how many at each end say how black and white are.
  private static let samples = (all: 25, end: 6)
  /// The least difference of black and white, in linear light.
  private static let leastContrast: Float = 0.02
  /// The least part of the places at which an edge has to be found.
  private static let leastPart = 0.5
  private static let rounds = 6
  /// Corners that move by less are found, in pixels.
  private static let enough = 0.005
  /// Residuals of edges that count half, in pixels.
  private static let tolerance = 0.3
  /// The largest typical distance of edges from those of the fit, in pixels.
  private static let largestResidual = 0.5
  /// The unknowns: two for each corner, and the shift of edges.
  private static let unknowns = 9

  init(_ image: GrayscaleImage, _ edges: MarkerEdges) {
    self.image = image
    self.edges = edges
  }

  /// The corners near given ones, in pixels; nil if the marker is too small or too faint for it.
  func corners(near start: [SIMD2<Double>]) -> [SIMD2<Double>]? {
    var corners = start
    for _ in 0..<Self.rounds {
      guard let step = step(corners) else { return nil }
      var largest = 0.0
      for corner in corners.indices {
        corners[corner] += step[corner]
        largest = max(largest, step[corner].x.magnitude, step[corner].y.magnitude)
      }
      let moved = zip(corners, start).map { ($0 - $1) }
      let cell = (start[1] - start[0]).length / Double(edges.side)
      guard moved.allSatisfy({ $0.length < 2 * max(1, cell) }) else { return nil }
      if largest < Self.enough { break }
    }
    return corners
  }

  /// What corners have to move by; nil if too few edges are found.
  private func step(_ corners: [SIMD2<Double>]) -> [SIMD2<Double>]? {
    guard let map = MarkerHomography(corners) else { return nil }
    let shifted = Self.neighbors(of: corners)
    guard shifted.count == 8 else { return nil }
    var terms: [Double] = []
    var offsets: [Double] = []
    var profile = [Float](repeating: 0, count: Self.samples.all)
    for place in edges.places {
      guard let (normal, offset) = offset(of: place, map, &profile) else { continue }
      let pixel = map.pixel(place.position)
      for map in shifted {
        terms.append((((map.pixel(place.position) - pixel) / Self.nudge) * normal).sum())
      }
      terms.append(1)
      offsets.append(offset)
    }
    guard Double(offsets.count) >= Self.leastPart * Double(edges.places.count),
      let solution = Self.solution(terms, offsets)
    else { return nil }
    return (0..<4).map { SIMD2(solution[2 * $0], solution[2 * $0 + 1]) }
  }

  /// The pixels by which corners are moved to see what that changes.
  private static let nudge = 0.01

  /// The maps of corners of which one coordinate is a little larger.
  private static func neighbors(of corners: [SIMD2<Double>]) -> [MarkerHomography] {
    (0..<8).compactMap { unknown in
      var moved = corners
      moved[unknown / 2][unknown % 2] += nudge
      return MarkerHomography(moved)
    }
  }

  // MARK: Edges

  /// The direction to white of an edge in the picture, and how far the edge lies that way, in pixels.
  private func offset(
    of place: MarkerEdges.Place, _ map: MarkerHomography, _ profile: inout [Float]
  ) -> (normal: SIMD2<Double>, offset: Double)? {
    let step = 0.1 / Double(edges.side)
    let pixel = map.pixel(place.position)
    let across = map.pixel(place.position + place.toWhite * step) - pixel
    let along =
      map.pixel(place.position + SIMD2(place.toWhite.y, place.toWhite.x) * step) - pixel
    let cell = across.length / step / Double(edges.side)
    guard cell >= Self.leastCell, along.length > 0 else { return nil }
    var normal = SIMD2(along.y, -along.x) / along.length
    if (normal * across).sum() < 0 { normal = -normal }
    let reach = min(Self.reach.pixels, Self.reach.cells * cell)
    let last = Double(profile.count - 1)
    for sample in profile.indices {
      let distance = reach * (2 * Double(sample) / last - 1)
      guard let light = light(at: pixel + normal * distance) else { return nil }
      profile[sample] = light
    }
    guard let crossing = Self.crossing(profile) else { return nil }
    return (normal, reach * (2 * crossing / last - 1))
  }

  /// Where a profile rises through the mean of its ends, in samples: the place nearest to its middle; nil if it does not.
  private static func crossing(_ profile: [Float]) -> Double? {
    let dark = profile.prefix(samples.end).reduce(0, +) / Float(samples.end)
    let bright = profile.suffix(samples.end).reduce(0, +) / Float(samples.end)
    guard bright - dark > leastContrast else { return nil }
    let middle = (dark + bright) / 2
    let center = Double(profile.count - 1) / 2
    var best: Double?
    for sample in 1..<profile.count {
      let (before, after) = (profile[sample - 1] - middle, profile[sample] - middle)
      guard before < 0, after >= 0 else { continue }
      let place = Double(sample - 1) + Double(before / (before - after))
      if abs(place - center) < abs((best ?? .infinity) - center) { best = place }
    }
    return best
  }

  /// The linear light at a place between pixels; nil outside of the picture.
  private func light(at place: SIMD2<Double>) -> Float? {
    let (x, y) = (place.x - 0.5, place.y - 0.5)
    guard x >= 0, y >= 0, x < Double(image.width - 1), y < Double(image.height - 1) else {
      return nil
    }
    let (column, row) = (Int(x), Int(y))
    let (right, down) = (Float(x - Double(column)), Float(y - Double(row)))
    let start = row * image.width + column
    let table = SRGBTable.shared.linear
    func linear(_ index: Int) -> Float { table[Int(image.codes[index])] }
    let above = linear(start) * (1 - right) + linear(start + 1) * right
    let below =
      linear(start + image.width) * (1 - right) + linear(start + image.width + 1) * right
    return above * (1 - down) + below * down
  }

  // MARK: Least squares

  /// The unknowns that fit best, with weights that lessen edges far from it; nil if they are not determined or fit badly.
  ///
  /// - Parameter terms: Those of one equation after another.
  private static func solution(_ terms: [Double], _ offsets: [Double]) -> [Double]? {
    var weights = [Double](repeating: 1, count: offsets.count)
    var values = [Double](repeating: 0, count: unknowns)
    var residuals = offsets
    for _ in 0..<4 {
      var equations = DenseNormalEquations(unknownCount: unknowns)
      for index in offsets.indices {
        equations.add(
          terms, from: index * unknowns, equals: offsets[index], weight: weights[index])
      }
      guard let found = equations.solution(pivotsAbove: 1e-9) else { return nil }
      values = found
      for index in offsets.indices {
        var fitted = 0.0
        for unknown in 0..<unknowns {
          fitted += terms[index * unknowns + unknown] * values[unknown]
        }
        residuals[index] = offsets[index] - fitted
        let share = residuals[index] / tolerance
        weights[index] = 1 / (1 + share * share)
      }
    }
    guard let typical = residuals.map(\.magnitude).median(), typical <= largestResidual else {
      return nil
    }
    return values
  }
}
