import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry

/// Where markers are in rendered photographs is known, and OpenCV finds them, too.
@Suite struct MarkerSightingsTests {
  private func sightings(_ capture: MarkerCapture) throws -> MarkerSightings {
    try MarkerSightings(
      of: [.aruco6x6Of50], in: capture.scene.capture?.frames ?? [], from: FrameStore(capacity: 0)
    ) { _ in }
  }

  /// The corners of the prints on the floor and the wall.
  private func corners(of print: MarkerCapture.Print) -> [SIMD3<Double>] {
    [SIMD2(-0.5, 0.5), SIMD2(0.5, 0.5), SIMD2(0.5, -0.5), SIMD2(-0.5, -0.5)].map { corner in
      let place = print.center + corner * print.side
      return print.isOnWall ? SIMD3(place.x, 0.5, place.y) : SIMD3(place.x, place.y, 0)
    }
  }

  @Test(arguments: [0.5, 1.2])
  func `corners are found to a few hundredths of a pixel, however sharp the picture is`(
    blur: Double
  ) throws {
    let capture = try MarkerCapture { $0.blur = blur }
    let frames = try #require(capture.scene.capture).frames
    let found = try sightings(capture)
    #expect(found.photographs == frames.count)
    #expect(found.sightings.count > 50)
    var errors: [Double] = []
    var growth: [Double] = []
    for sighting in found.sightings {
      let camera = Camera(frames[sighting.frame])
      let print = MarkerCapture.prints[sighting.marker.identifier]
      let truth = try corners(of: print).map { corner in
        let pixel = try #require(camera.project(SIMD3<Float>(corner)))
        return SIMD2(Double(pixel.x), Double(pixel.y))
      }
      let center = truth.reduce(.zero, +) / 4
      for (corner, place) in zip(sighting.corners, truth) {
        errors.append((corner - place).length)
        growth.append((corner - center).length - (place - center).length)
      }
    }
    #expect(try #require(errors.median()) < 0.06)
    #expect(try #require(errors.max()) < 0.5)
    // No marker is larger or smaller for its blur or the curve of its codes.
    #expect(abs(growth.reduce(0, +) / Double(growth.count)) < 0.02)
  }

  @Test func `markers are located to tenths of a millimetre`() throws {
    let capture = try MarkerCapture()
    let frames = try #require(capture.scene.capture).frames
    let (markers, faults) = try sightings(capture).located(in: frames)
    #expect(faults.isEmpty)
    #expect(markers.map(\.name.identifier) == Array(0..<8))
    for marker in markers {
      let truth = corners(of: MarkerCapture.prints[marker.name.identifier])
      for (corner, place) in zip(marker.corners, truth) {
        #expect((corner - place).length < 0.0005)
      }
      #expect(marker.deviation < 0.0003)
      #expect(marker.residual < 0.2)
    }
  }

  @Test(.needs("cv2")) func `OpenCV finds the same markers at the same places`() throws {
    let capture = try MarkerCapture()
    let frames = try #require(capture.scene.capture).frames
    let output = try Checkers.run(
      "Tools/checks/markers.py", ["DICT_6X6_50"] + frames.map(\.image.path))
    struct Found: Decodable {
      var number: Int
      var corners: [[Double]]
    }
    let others = try JSONDecoder().decode([[Found]].self, from: Data(output.utf8))
    let ours = try sightings(capture).sightings
    for (index, found) in others.enumerated() {
      let own = ours.filter { $0.frame == index }
      #expect(Set(found.map(\.number)).isSubset(of: own.map(\.marker.identifier)))
      #expect(found.count >= 6)
      for marker in found {
        let sighting = try #require(own.first { $0.marker.identifier == marker.number })
        let center = marker.corners.reduce(SIMD2<Double>.zero) { $0 + SIMD2($1[0], $1[1]) } / 4
        // OpenCV's corners lie inside of the true ones, by a pixel where pictures are blurred.
        #expect((sighting.corners.reduce(.zero, +) / 4 - center).length < 0.8)
        for (corner, place) in zip(sighting.corners, marker.corners) {
          #expect((corner - SIMD2(place[0], place[1])).length < 3)
        }
      }
    }
  }

  @Test func `the first marker has the bits that OpenCV's has`() throws {
    let cells = try #require(MarkerDictionary.aruco6x6Of50.cells(of: 0))
    #expect(cells.count == 64)
    let rows = (1...6).map { row in
      (1...6).map { cells[row * 8 + $0] ? "1" : "0" }.joined()
    }
    #expect(rows == MarkerSightingsTests.firstMarker)
    #expect((0..<8).allSatisfy { !cells[$0] && !cells[56 + $0] })
  }

  private static let firstMarker = ["000111", "100011", "110111", "011000", "001010", "100110"]
}
