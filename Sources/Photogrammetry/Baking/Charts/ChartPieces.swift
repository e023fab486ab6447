import MeshpipeScene
import SurfaceKernels

/// The connected pieces of a surface whose faces have the same frame.
struct ChartPieces {
  /// No frame sees a face as a whole.
  static let noFrame = UInt32.max

  /// The piece of each face.
  private(set) var pieceOfFace: [UInt32]
  /// All faces, piece by piece.
  private(set) var faces: [UInt32] = []
  /// Where the faces of each piece begin; one more element than there are pieces.
  private(set) var offsets: [UInt32] = [0]

  var count: Int { offsets.count - 1 }

  /// - Parameters:
  ///   - frames: The frame of each face.
  ///   - neighbors: The face across each corner's edge.
  init(_ frames: [UInt32], _ neighbors: [UInt32]) {
    let none = UInt32.max
    pieceOfFace = [UInt32](repeating: none, count: frames.count)
    faces.reserveCapacity(frames.count)
    for first in frames.indices where pieceOfFace[first] == none {
      let piece = UInt32(truncatingIfNeeded: count)
      pieceOfFace[first] = piece
      var next = faces.count
      faces.append(UInt32(truncatingIfNeeded: first))
      while next < faces.count {
        let face = Int(faces[next])
        next += 1
        for neighbor in neighbors[3 * face..<3 * face + 3] where neighbor != ChartSurface.none {
          let other = Int(neighbor)
          guard frames[other] == frames[first], pieceOfFace[other] == none else { continue }
          pieceOfFace[other] = piece
          faces.append(neighbor)
        }
      }
      offsets.append(UInt32(truncatingIfNeeded: faces.count))
    }
  }

  func faces(of piece: Int) -> ArraySlice<UInt32> {
    faces[Int(offsets[piece])..<Int(offsets[piece + 1])]
  }
}

/// Gives small pieces the frame of a neighbouring piece, so that charts are few and seams are short.
///
/// A chart is only a layout: its texels take light from every frame that is good for them. So a piece may be laid out
/// as in a frame that is not among its best, as long as all of it lies open there and gets enough texels.
struct ChartJoining {
  let surface: ObservedSurface
  let cameras: [Camera]
  let depthBounds: [DepthBounds?]
  /// The face across each corner's edge.
  let neighbors: [UInt32]

  /// Pieces of fewer faces are joined with others.
  private static let fewFaces = 32
  /// The least part of a face's pixels in its own frame: half along each side.
  private static let leastPixels: Float = 0.25
  /// Pieces that were joined may be small yet, or lie between others that can be joined.
  private static let rounds = 3

  /// Changes the frames of the faces of small pieces.
  func join(_ frames: inout [UInt32]) {
    for _ in 0..<Self.rounds {
      let pieces = ChartPieces(frames, neighbors)
      let small = (0..<pieces.count).filter { pieces.faces(of: $0).count < Self.fewFaces }
        .sorted { (pieces.faces(of: $0).count, $0) < (pieces.faces(of: $1).count, $1) }
      var isDone = true
      for piece in small {
        let faces = pieces.faces(of: piece)
        let around = framesAround(faces, pieces, frames)
        guard let frame = around.first(where: { shows(faces, $0, frames) }) else { continue }
        for face in faces { frames[Int(face)] = frame }
        isDone = false
      }
      if isDone { return }
    }
  }

  /// The frames of the faces around a piece, that with most common edges first.
  private func framesAround(
    _ faces: ArraySlice<UInt32>, _ pieces: ChartPieces, _ frames: [UInt32]
  ) -> [UInt32] {
    var edges: [(frame: UInt32, count: Int)] = []
    for face in faces {
      for neighbor in neighbors[3 * Int(face)..<3 * Int(face) + 3]
      where neighbor != ChartSurface.none {
        let other = Int(neighbor)
        guard pieces.pieceOfFace[other] != pieces.pieceOfFace[Int(face)],
          frames[other] != ChartPieces.noFrame
        else { continue }
        if let place = edges.firstIndex(where: { $0.frame == frames[other] }) {
          edges[place].count += 1
        } else {
          edges.append((frames[other], 1))
        }
      }
    }
    return edges.sorted { ($1.count, $0.frame) < ($0.count, $1.frame) }.map(\.frame)
  }

  /// Whether all of some faces lies open in a frame, with enough pixels.
  private func shows(_ faces: ArraySlice<UInt32>, _ frame: UInt32, _ frames: [UInt32]) -> Bool {
    let camera = cameras[Int(frame)]
    guard let map = depthBounds[Int(frame)] else { return false }
    return faces.allSatisfy { number in
      let face = Int(number)
      guard ProjectedCharts.isWhole(face, of: surface, in: camera),
        isOpen(face, camera, map)
      else { return false }
      let own = frames[face]
      guard own != ChartPieces.noFrame else { return true }
      return pixels(of: face, in: camera)
        >= Self.leastPixels * pixels(of: face, in: cameras[Int(own)])
    }
  }

  /// Whether nothing is before a face, so that its chart covers none of its own faces.
  private func isOpen(_ face: Int, _ camera: Camera, _ map: DepthBounds) -> Bool {
    let (a, b, c) = surface.vertices(ofFace: face)
    let places = [a, b, c].map { surface.positions[$0].simd }
    let center = (places[0] + places[1] + places[2]) / 3
    let normal = (places[1] - places[0]).cross(places[2] - places[0]).normalized
    let cosine = normal.dot((camera.position - center).normalized)
    return (places + [center]).allSatisfy { place in
      guard let seen = camera.project(place) else { return false }
      return !map.hides(
        SIMD2(seen.x, seen.y), millimeters: surface.scale.millimeters(seen.z), cosine: cosine,
        camera)
    }
  }

  /// The area of a face in an image.
  private func pixels(of face: Int, in camera: Camera) -> Float {
    let (a, b, c) = surface.vertices(ofFace: face)
    guard let pa = camera.project(surface.positions[a].simd),
      let pb = camera.project(surface.positions[b].simd),
      let pc = camera.project(surface.positions[c].simd)
    else { return 0 }
    let (ab, ac) = (pb - pa, pc - pa)
    return abs(ab.x * ac.y - ab.y * ac.x) / 2
  }
}
