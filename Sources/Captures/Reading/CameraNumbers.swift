package import MeshPipeline

/// The origin of pixel coordinates.
package enum PixelOrigin: Sendable {
  /// The centre of the first pixel is (0, 0): OpenCV's and ARKit's.
  case firstPixelCenter
  /// The centre of the first pixel is (0.5, 0.5), as in meshpipe.
  case corner

  /// A point in meshpipe's pixels.
  func converted(_ point: SIMD2<Double>) -> SIMD2<Double> {
    self == .corner ? point : point + 0.5
  }

  /// The numbers of a file for a point in meshpipe's pixels.
  func numbers(for point: SIMD2<Double>) -> SIMD2<Double> {
    self == .corner ? point : point - 0.5
  }
}

extension Transform {
  /// A camera's pose from the rows of a matrix, camera to world.
  ///
  /// - Parameters:
  ///   - rows: Four rows of four, or three, concatenated. A matrix whose last column is 0 0 0 1 was
  ///     stored column by column.
  ///   - axes: The axes of the matrix's camera.
  init(cameraToWorld rows: [Double], axes: PoseConvention.Axes = .openGL) throws(FrameFault) {
    guard rows.count == 16 || rows.count == 12 else {
      throw FrameFault("its pose has \(rows.count) numbers instead of 16")
    }
    guard rows.allSatisfy(\.isFinite) else {
      throw FrameFault("its pose contains a non-finite number")
    }
    var rows = rows
    if Self.isByColumns(rows) {
      rows = (0..<16).map { rows[$0 % 4 * 4 + $0 / 4] }
    } else if rows.count == 16, !Self.isLastRow(rows[12..<16]) {
      throw FrameFault("the last row of its pose is not 0 0 0 1")
    }
    let sign: Double = axes == .openCV ? -1 : 1
    self.init(
      x: SIMD3(rows[0], rows[4], rows[8]), y: SIMD3(rows[1], rows[5], rows[9]) * sign,
      z: SIMD3(rows[2], rows[6], rows[10]) * sign, translation: SIMD3(rows[3], rows[7], rows[11]))
  }

  /// The rows of a camera's pose as a matrix, camera to world: what
  /// ``init(cameraToWorld:axes:)`` reads.
  ///
  /// - Parameter axes: The axes of the matrix's camera.
  package func cameraToWorldRows(axes: PoseConvention.Axes = .openGL) -> [[Double]] {
    let pose = PoseConvention(axes: axes).numbers(for: self)
    return Transform(
      x: pose.x.normalized, y: pose.y.normalized, z: pose.z.normalized,
      translation: pose.translation
    ).rows
  }

  /// Whether 16 numbers are a pose stored column by column: 0 0 0 1 is the last column, and not the
  /// last row.
  static func isByColumns(_ rows: [Double]) -> Bool {
    rows.count == 16 && !isLastRow(rows[12..<16])
      && isLastRow([rows[3], rows[7], rows[11], rows[15]])
  }

  private static func isLastRow(_ row: some Sequence<Double>) -> Bool {
    zip(row, [0, 0, 0, 1]).allSatisfy { abs($0 - $1) < 1e-3 }
  }
}

extension Capture.Intrinsics {
  /// Intrinsics from a matrix of three rows; one whose last column is 0 0 1 was stored column by
  /// column.
  init(matrix: [Double], origin: PixelOrigin) throws(FrameFault) {
    guard matrix.count == 9 else {
      throw FrameFault("its intrinsics have \(matrix.count) numbers instead of 9")
    }
    let isByColumns = matrix[2] == 0 && matrix[5] == 0 && (matrix[6] != 0 || matrix[7] != 0)
    let center = isByColumns ? SIMD2(matrix[6], matrix[7]) : SIMD2(matrix[2], matrix[5])
    self.init(
      focalLength: SIMD2(matrix[0], matrix[4]), principalPoint: origin.converted(center))
  }
}

extension JSONValue {
  /// The numbers of an array, or of an array of arrays; nil if it contains anything else.
  var numbers: [Double]? {
    guard case .array(let elements) = content else { return nil }
    var numbers: [Double] = []
    for element in elements {
      if let number = element.number {
        numbers.append(number)
      } else if let row = element.numbers {
        numbers += row
      } else {
        return nil
      }
    }
    return numbers
  }

  /// The first member with one of these names.
  func first(of keys: String...) -> JSONValue? {
    keys.lazy.compactMap { self[$0] }.first { $0.content != .null }
  }

  /// The number as an integer; nil if it is not one.
  var wholeNumber: Int? { number.flatMap { Int(exactly: $0) } }
}
