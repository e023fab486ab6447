import MeshTestSupport
import MeshpipeScene
import NativeLibraries
import Testing

@testable import NativeLibraries

/// Markers that are drawn are found where they were drawn.
@Suite struct MarkerDetectorTests {
  /// Grey pixels, white where nothing is drawn.
  private struct Page {
    let width: Int
    let height: Int
    var codes: [UInt8]

    init(width: Int, height: Int) {
      (self.width, self.height) = (width, height)
      codes = [UInt8](repeating: 230, count: width * height)
    }

    /// Draws a marker with cells of `cell` pixels, turned by quarters clockwise.
    mutating func draw(
      _ cells: [Bool], side: Int, cell: Int, at corner: SIMD2<Int>, quarters: Int = 0
    ) {
      let size = side * cell
      for y in 0..<size {
        for x in 0..<size {
          var (column, row) = (x / cell, y / cell)
          for _ in 0..<quarters { (column, row) = (row, side - 1 - column) }
          codes[(corner.y + y) * width + corner.x + x] = cells[row * side + column] ? 230 : 20
        }
      }
    }
  }

  private func page(
    _ dictionary: MarkerDictionary, _ identifier: Int, quarters: Int = 0
  ) throws -> Page {
    var page = Page(width: 200, height: 180)
    page.draw(
      try #require(dictionary.cells(of: identifier)), side: dictionary.side, cell: 10,
      at: SIMD2(40, 30), quarters: quarters)
    return page
  }

  @Test(arguments: MarkerDictionary.allCases)
  func `markers of each dictionary have their number and their corners`(
    dictionary: MarkerDictionary
  ) throws {
    let detector = MarkerDetector([dictionary])
    for identifier in [0, 7, 29] {
      let page = try page(dictionary, identifier)
      let found = try #require(
        detector.markers(in: page.codes, width: page.width, height: page.height))
      let marker = try #require(found.first, "\(dictionary.rawValue) \(identifier)")
      #expect(found.count == 1)
      #expect(marker.identifier == identifier)
      let size = Double(10 * dictionary.side)
      let corners = [SIMD2(0, 0), SIMD2(size, 0), SIMD2(size, size), SIMD2(0, size)]
      for (corner, place) in zip(marker.corners, corners) {
        let error = corner - place - SIMD2(40, 30)
        #expect(abs(error.x) < 0.7 && abs(error.y) < 0.7)
      }
    }
  }

  @Test(arguments: 1...3)
  func `corners begin at the marker's own top left, however it is turned`(quarters: Int) throws {
    let page = try page(.aruco6x6Of50, 11, quarters: quarters)
    let detector = MarkerDetector([.aruco6x6Of50])
    let marker = try #require(
      detector.markers(in: page.codes, width: page.width, height: page.height)?.first)
    #expect(marker.identifier == 11)
    let start = [SIMD2(40, 30), SIMD2(120, 30), SIMD2(120, 110), SIMD2(40, 110)][quarters]
    let error = marker.corners[0] - SIMD2<Double>(start)
    #expect(abs(error.x) < 0.7 && abs(error.y) < 0.7)
  }

  @Test func `several dictionaries are told apart in one picture`() throws {
    var page = Page(width: 300, height: 160)
    for (place, dictionary) in [MarkerDictionary.aruco5x5Of50, .aprilTag36h11].enumerated() {
      page.draw(
        try #require(dictionary.cells(of: 3)), side: dictionary.side, cell: 8,
        at: SIMD2(40 + 130 * place, 40))
    }
    let detector = MarkerDetector([.aprilTag36h11, .aruco5x5Of50])
    let found = try #require(
      detector.markers(in: page.codes, width: page.width, height: page.height))
    #expect(found.map(\.dictionary) == [.aprilTag36h11, .aruco5x5Of50])
    #expect(found.map(\.identifier) == [3, 3])
  }

  @Test func `a smaller dictionary is the beginning of a larger one`() throws {
    #expect(
      MarkerDictionary.aruco4x4Of50.cells(of: 49) == MarkerDictionary.aruco4x4Of250.cells(of: 49))
    #expect(MarkerDictionary.aruco4x4Of50.cells(of: 50) == nil)
    #expect(MarkerDictionary.aruco4x4Of250.cells(of: 250) == nil)
    #expect(MarkerDictionary.aprilTag16h5.cells(of: 30) == nil)
    #expect(MarkerDictionary.arucoOriginal.cells(of: 1023) != nil)
    #expect(MarkerDictionary.arucoOriginal.cells(of: -1) == nil)
    let page = try page(.aruco4x4Of100, 60)
    let detector = MarkerDetector([.aruco4x4Of50])
    #expect(
      detector.markers(in: page.codes, width: page.width, height: page.height)?.isEmpty == true)
  }

  @Test func `nothing is found in noise, in nothing and in tiny pictures`() throws {
    let detector = MarkerDetector([.aruco6x6Of250, .aprilTag36h11])
    var generator = SeededGenerator(seed: 1)
    let noise = (0..<320 * 240).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(detector.markers(in: noise, width: 320, height: 240)?.isEmpty == true)
    for side in [0, 1, 15, 16, 17, 64] {
      let plain = [UInt8](repeating: 128, count: side * side)
      #expect(detector.markers(in: plain, width: side, height: side)?.isEmpty == true)
    }
    #expect(detector.markers(in: noise, width: 320 * 240, height: 1)?.isEmpty == true)
    #expect(detector.markers(in: noise, width: 4, height: 80 * 240)?.isEmpty == true)
  }
}
