import MeshTestSupport
import Testing

@testable import Photogrammetry

/// The reduced system against the whole one, landmarks and all, solved by Gaussian elimination.
struct ReducedNormalEquationsTests {
  /// Observations at random: each of one landmark with two unknowns, in one of three cameras with six
  /// each, and all of two shared unknowns.
  private struct Problem: LandmarkTerms {
    static let cameraCount = 3
    struct Observation {
      var camera: Int
      /// By the camera's unknowns and the shared ones.
      var byCamera: [Double]
      var byLandmark: SIMD2<Double>
      var residual: Double
      var weight: Double
    }

    var landmarks: [[Observation]] = []
    var landmarkCount: Int { landmarks.count }
    let unknownCount = 6 * cameraCount + 2

    init(landmarkCount: Int) {
      var random = SeededGenerator(seed: 11)
      func value() -> Double { Double(Int(random.next() % 2001) - 1000) / 1000 }
      for _ in 0..<landmarkCount {
        landmarks.append(
          (0..<5).map { number in
            Observation(
              camera: number % Self.cameraCount, byCamera: (0..<8).map { _ in value() },
              byLandmark: SIMD2(value(), value()), residual: value(), weight: 1.5 + value())
          })
      }
    }

    /// An observation's row of J.
    func row(_ observation: Observation) -> [Double] {
      var row = [Double](repeating: 0, count: unknownCount)
      for index in 0..<6 { row[6 * observation.camera + index] = observation.byCamera[index] }
      row[unknownCount - 2] = observation.byCamera[6]
      row[unknownCount - 1] = observation.byCamera[7]
      return row
    }

    /// Adds Jᵀ W times values, minus what the landmark explains of them.
    private func add(_ landmark: Int, _ values: [Double], to sums: inout [Double]) {
      var (xx, xy, yy, x, y) = (0.0, 0.0, 0.0, 0.0, 0.0)
      for (observation, value) in zip(landmarks[landmark], values) {
        let (l, weight) = (observation.byLandmark, observation.weight)
        xx += weight * l.x * l.x
        xy += weight * l.x * l.y
        yy += weight * l.y * l.y
        x += weight * l.x * value
        y += weight * l.y * value
      }
      let determinant = xx * yy - xy * xy
      let own = SIMD2(yy * x - xy * y, xx * y - xy * x) / determinant
      for (observation, value) in zip(landmarks[landmark], values) {
        let rest = observation.weight * (value - (observation.byLandmark * own).sum())
        for (index, slope) in row(observation).enumerated() { sums[index] += slope * rest }
      }
    }

    func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
      let values = landmarks[landmark].map { observation in
        zip(row(observation), vector).reduce(0) { $0 + $1.0 * $1.1 }
      }
      add(landmark, values, to: &sums)
    }

    func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
      add(landmark, landmarks[landmark].map { -$0.residual }, to: &sums)
    }

    func blocks(prior: [Double]) -> [SymmetricBlock] {
      var blocks = [SymmetricBlock](repeating: SymmetricBlock(), count: Self.cameraCount)
      for camera in blocks.indices {
        blocks[camera].addDiagonal(prior[6 * camera..<6 * camera + 6])
      }
      for observation in landmarks.joined() {
        for row in 0..<6 {
          for column in 0...row {
            blocks[observation.camera].add(
              observation.weight * observation.byCamera[row] * observation.byCamera[column],
              row: row, column: column)
          }
        }
      }
      return blocks
    }

    /// The step of the cameras and the shared unknowns, from the equations of all unknowns.
    func denseSolution(precisions: [Double], offsets: [Double]) -> [Double] {
      let size = unknownCount + 2 * landmarks.count
      var matrix = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
      var right = [Double](repeating: 0, count: size)
      for (landmark, observations) in landmarks.enumerated() {
        for observation in observations {
          var row = row(observation) + [Double](repeating: 0, count: 2 * landmarks.count)
          row[unknownCount + 2 * landmark] = observation.byLandmark.x
          row[unknownCount + 2 * landmark + 1] = observation.byLandmark.y
          let used = row.indices.filter { row[$0] != 0 }
          for first in used {
            right[first] -= observation.weight * row[first] * observation.residual
            for second in used {
              matrix[first][second] += observation.weight * row[first] * row[second]
            }
          }
        }
      }
      for index in precisions.indices {
        matrix[index][index] += precisions[index]
        right[index] -= precisions[index] * offsets[index]
      }
      return Array(Self.eliminated(matrix, right)[..<unknownCount])
    }

    private static func eliminated(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
      var (matrix, right) = (matrix, right)
      let size = right.count
      for pivot in 0..<size {
        let best = (pivot..<size).max { abs(matrix[$0][pivot]) < abs(matrix[$1][pivot]) } ?? pivot
        matrix.swapAt(pivot, best)
        right.swapAt(pivot, best)
        for row in pivot + 1..<size where matrix[row][pivot] != 0 {
          let factor = matrix[row][pivot] / matrix[pivot][pivot]
          for column in pivot..<size { matrix[row][column] -= factor * matrix[pivot][column] }
          right[row] -= factor * right[pivot]
        }
      }
      for row in (0..<size).reversed() {
        for column in row + 1..<size { right[row] -= matrix[row][column] * right[column] }
        right[row] /= matrix[row][row]
      }
      return right
    }
  }

  private static let exact = ConjugateGradients(relativeTolerance: 1e-26)
  private static let prior = (0..<18).map { 0.2 + 0.1 * Double($0 % 4) }
  private static let offsets = (0..<18).map { 0.3 - 0.05 * Double($0 % 7) }

  private static func expectEqual(_ found: [Double], _ wanted: [Double]) {
    for (a, b) in zip(found, wanted) { #expect(abs(a - b) < 1e-9) }
    #expect(found.count == wanted.count)
  }

  @Test(arguments: [Int.max, 7])
  func `cameras move as if landmarks had been solved for, too`(chunkSize: Int) throws {
    let problem = Problem(landmarkCount: 20)
    let equations = ReducedNormalEquations(
      terms: problem, prior: Self.prior, chunkSize: chunkSize)
    let preconditioner = BlockPreconditioner(problem.blocks(prior: Self.prior))
    let shared = [
      SharedUnknown(index: 18, precision: 0.7, offset: 0.4),
      SharedUnknown(index: 19, precision: 0.5, offset: -1),
    ]
    let found = equations.solveBordered(
      equations.rightHandSide(offsets: Self.offsets), shared, by: Self.exact, preconditioner)
    func solution(_ offset: Double) -> [Double] {
      problem.denseSolution(
        precisions: Self.prior + [0.7, 0.5], offsets: Self.offsets + [offset, -1])
    }
    Self.expectEqual(found, solution(0.4))
    // One more of the mean of a prior moves the solution by its precision times the covariance.
    let covariance = try #require(
      equations.covariance(of: shared, by: Self.exact, preconditioner))
    let moved = solution(1.4)
    for number in 0..<2 {
      let change = moved[18 + number] - found[18 + number]
      #expect(abs(change + 0.7 * covariance[0][number]) < 1e-9)
    }
  }

  @Test func `an unknown that is not solved for stays`() {
    let problem = Problem(landmarkCount: 20)
    let equations = ReducedNormalEquations(terms: problem, prior: Self.prior)
    let found = equations.solve(
      equations.rightHandSide(offsets: Self.offsets), by: Self.exact,
      BlockPreconditioner(problem.blocks(prior: Self.prior)))
    // As if it were known.
    let wanted = problem.denseSolution(
      precisions: Self.prior + [1e12, 1e12], offsets: Self.offsets + [0, 0])
    Self.expectEqual(Array(found.dropLast(2)), Array(wanted.dropLast(2)))
    #expect(found.suffix(2) == [0, 0])
  }

  @Test func `the start and the preconditioner do not matter`() {
    let problem = Problem(landmarkCount: 20)
    let prior = Self.prior + [0.7, 0.5]
    let equations = ReducedNormalEquations(terms: problem, prior: prior)
    let found = equations.solve(
      equations.rightHandSide(offsets: Self.offsets + [0.4, -1]),
      from: (0..<20).map { Double($0) / 10 }, by: Self.exact,
      DiagonalPreconditioner(diagonal: prior.map { 5 + $0 }))
    Self.expectEqual(
      found, problem.denseSolution(precisions: prior, offsets: Self.offsets + [0.4, -1]))
  }
}
