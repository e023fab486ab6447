import Foundation
import MeshPipeline
import NativeLibraries
import Synchronization

extension SyntheticCapture {
  /// Renders pictures, depth maps and confidences of all frames into their files.
  func writePictures(_ options: Options) throws {
    let failure = Mutex<(any Error)?>(nil)
    Parallel.forEach(0..<frames.count) { index in
      do {
        try writePicture(index, options)
        try writeDepth(index, options)
      } catch {
        failure.withLock { $0 = error }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func writePicture(_ index: Int, _ options: Options) throws {
    var light = light(index, options)
    if let blur = options.blurred[index] {
      light = blurred(light, size: options.size, deviation: blur)
    }
    let image = Image(
      width: options.size.x, height: options.size.y,
      pixels: light.map { UInt8((255 * SRGB.code($0)).rounded()) })
    let bytes =
      try options.jpegQuality.map { try JPEG.encode(image, quality: $0) }
      ?? PNG.encode(image, level: 1)
    try write(bytes, to: frames[index].image.path)
  }

  /// Linear red, green and blue of each pixel, times the frame's gain.
  private func light(_ index: Int, _ options: Options) -> [Float] {
    let rays = Rays(trueFrame(index))
    let withPerson = options.framesWithPerson.contains(index)
    let gain = gains[index]
    let scale = 1 / Float(options.samples * options.samples)
    var result: [Float] = []
    result.reserveCapacity(3 * options.size.x * options.size.y)
    for y in 0..<options.size.y {
      for x in 0..<options.size.x {
        var (red, green, blue): (Float, Float, Float) = (0, 0, 0)
        for row in 0..<options.samples {
          for column in 0..<options.samples {
            let ray = rays.direction(
              Float(x) + (Float(column) + 0.5) / Float(options.samples),
              Float(y) + (Float(row) + 0.5) / Float(options.samples))
            let color = color(from: rays.origin, along: ray, withPerson: withPerson)
            red += color.0
            green += color.1
            blue += color.2
          }
        }
        result.append(red * scale * gain.x)
        result.append(green * scale * gain.y)
        result.append(blue * scale * gain.z)
      }
    }
    return result
  }

  private func color(
    from origin: (Float, Float, Float), along ray: (Float, Float, Float), withPerson: Bool
  ) -> (Float, Float, Float) {
    let hit = room.firstHit(from: origin, along: ray, withPerson: withPerson)
    if hit.isPerson {
      let color = SyntheticRoom.personColor
      return (color.x, color.y, color.z)
    }
    let distance = hit.distance
    return room.color(
      origin.0 + distance * ray.0, origin.1 + distance * ray.1, origin.2 + distance * ray.2)
  }

  /// The frame as it really was taken.
  private func trueFrame(_ index: Int) -> Capture.Frame {
    var frame = frames[index]
    frame.pose = truePoses[index]
    return frame
  }

  /// A Gaussian blur; what lies outside is like the pixel at the border.
  private func blurred(_ light: [Float], size: SIMD2<Int>, deviation: Float) -> [Float] {
    let radius = Int((3 * deviation).rounded(.up))
    var weights = (-radius...radius).map { expf(-Float($0 * $0) / (2 * deviation * deviation)) }
    let sum = weights.reduce(0, +)
    weights = weights.map { $0 / sum }
    func pass(_ source: [Float], _ stepX: Int, _ stepY: Int) -> [Float] {
      var result: [Float] = []
      result.reserveCapacity(source.count)
      for y in 0..<size.y {
        for x in 0..<size.x {
          var (red, green, blue): (Float, Float, Float) = (0, 0, 0)
          for tap in -radius...radius {
            let column = min(max(x + tap * stepX, 0), size.x - 1)
            let row = min(max(y + tap * stepY, 0), size.y - 1)
            let (weight, place) = (weights[tap + radius], 3 * (row * size.x + column))
            red += weight * source[place]
            green += weight * source[place + 1]
            blue += weight * source[place + 2]
          }
          result.append(red)
          result.append(green)
          result.append(blue)
        }
      }
      return result
    }
    return pass(pass(light, 1, 0), 0, 1)
  }

  private func writeDepth(_ index: Int, _ options: Options) throws {
    guard let size = options.depthSize, let depth = frames[index].depth else { return }
    var frame = trueFrame(index)
    frame.intrinsics = frame.intrinsics.scaled(from: frame.imageSize, to: size)
    frame.imageSize = size
    let rays = Rays(frame)
    let withPerson = options.framesWithPerson.contains(index)
    var millimeters: [UInt16] = []
    for y in 0..<size.y {
      for x in 0..<size.x {
        let ray = rays.direction(Float(x) + 0.5, Float(y) + 0.5)
        let hit = room.firstHit(from: rays.origin, along: ray, withPerson: withPerson)
        millimeters.append(UInt16((1000 * hit.distance).rounded()))
      }
    }
    try write(
      PNG.encodeGray16(millimeters, width: size.x, height: size.y, level: 1), to: depth.path)
    if let confidence = depth.confidence {
      let sure = millimeters.map { UInt8($0 > 3000 ? 1 : 2) }
      try write(PNG.encodeGray8(sure, width: size.x, height: size.y), to: confidence.path)
    }
  }

  private func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }
}

/// The rays of a camera with a depth of 1, worked out from its pose alone.
private struct Rays {
  let origin: (Float, Float, Float)
  private let corner: SIMD3<Float>
  private let perColumn: SIMD3<Float>
  private let perRow: SIMD3<Float>
  private let bent: Camera?

  init(_ frame: Capture.Frame) {
    let (pose, intrinsics) = (frame.pose, frame.intrinsics)
    let center = SIMD3<Float>(pose.translation)
    origin = (center.x, center.y, center.z)
    // +X right, +Y up, looks along −Z, while rows go down.
    let column = pose.x / intrinsics.focalLength.x
    let row = -pose.y / intrinsics.focalLength.y
    perColumn = SIMD3<Float>(column)
    perRow = SIMD3<Float>(row)
    corner = SIMD3<Float>(
      -pose.z - column * intrinsics.principalPoint.x - row * intrinsics.principalPoint.y)
    bent = frame.distortion == .none ? nil : Camera(frame)
  }

  func direction(_ x: Float, _ y: Float) -> (Float, Float, Float) {
    if let bent {
      let ray = bent.ray(through: SIMD2(x, y))
      return (ray.x, ray.y, ray.z)
    }
    return (
      corner.x + x * perColumn.x + y * perRow.x, corner.y + x * perColumn.y + y * perRow.y,
      corner.z + x * perColumn.z + y * perRow.z
    )
  }
}
