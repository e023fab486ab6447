internal import CDraco
package import MeshpipeBase
package import MeshpipeScene

/// A mesh or points compressed with Draco, decoded in a cell.
package final class DracoMesh {
  /// Why there is no mesh; the reason, for the message of a file.
  package struct Failure: Error {
    package var reason: String
    /// That of data, unless the system or the installation is at fault.
    package var exitCode: ExitCode

    package init(reason: String, exitCode: ExitCode = .data) {
      (self.reason, self.exitCode) = (reason, exitCode)
    }
  }

  private let seat: DecoderPool.Seat
  private let limits: DecoderCell.Limits
  private var isSound = true
  package let pointCount: Int
  /// Three points for each face.
  package let triangles: [UInt32]

  /// Decodes a mesh.
  ///
  /// - Parameters:
  ///   - isFile: Whether the bytes are a file, which may also hold points, or be older than what
  ///     `KHR_draco_mesh_compression` allows.
  ///   - mostElements: The most points and corners of faces that the data may claim, which is checked before memory
  ///     is taken for them. All attributes together may have four times as many numbers.
  ///   - run: What ends waiting for the decoder when it is cancelled.
  package init(
    _ bytes: Span<UInt8>, isFile: Bool = false, mostElements: Int,
    for run: (any Cancellable)? = nil
  ) throws(Failure) {
    let most = min(max(0, mostElements), Self.ceiling)
    limits = DecoderCell.Limits(
      seconds: 60 + Double(most) / 1e5, memory: 1 << 29 + Self.memoryPerElement * most,
      answer: 16 * most, run: run)
    let answer: CellMessage
    do {
      (seat, answer) = try DecoderPool.begin(
        CellMessage(.openDraco, [most, isFile ? 1 : 0], bytes: [UInt8](copying: bytes)), .draco,
        limits)
    } catch {
      throw Failure(reason: error.reason(.draco), exitCode: error.exitCode)
    }
    guard answer.outcome == .done else {
      DecoderPool.giveBack(seat)
      throw Failure(reason: answer.text)
    }
    let count = answer.numbers.first ?? -1
    triangles = answer.values(as: UInt32.self)
    pointCount = count
    guard (0...most).contains(count), answer.bytes.count % 12 == 0,
      triangles.allSatisfy({ Int($0) < count })
    else {
      isSound = false
      throw Failure(reason: CellFailure.nonsense("faces are missing").reason(.draco))
    }
  }

  deinit {
    guard isSound, (try? seat.answer(to: CellMessage(.close), limits)) != nil else { return }
    DecoderPool.giveBack(seat)
  }

  /// More than indices of 32 bits can name.
  private static let ceiling = 1 << 32
  /// The most bytes of memory for a point or corner: its numbers in the codec, as values, and for this process.
  private static let memoryPerElement = 256

  /// What an attribute is for, and how its values are stored.
  package struct Attribute: Sendable {
    package var identifier: Int
    package var kind: DracoEncoder.Kind
    /// The number of components.
    package var width: Int
    /// The bytes of a component.
    package var size: Int
    package var isInteger: Bool
  }

  /// All attributes, in the order of the data.
  package func attributes() throws(Failure) -> [Attribute] {
    let numbers = try ask(CellMessage(.dracoAttributes)).values(as: UInt32.self).map(Int.init)
    return stride(from: 0, to: numbers.count / 5 * 5, by: 5).map { start in
      Attribute(
        identifier: numbers[start], kind: DracoEncoder.Kind(native: numbers[start + 1]),
        width: numbers[start + 2], size: numbers[start + 3], isInteger: numbers[start + 4] == 1)
    }
  }

  /// The number of components of an attribute; nil if there is no attribute with this identifier.
  package func width(ofAttribute identifier: Int) throws(Failure) -> Int? {
    let width = try ask(CellMessage(.dracoWidth, [identifier])).numbers.first ?? 0
    guard (0...127).contains(width) else { throw nonsense }
    return width > 0 ? width : nil
  }

  /// The values of an attribute for each point, one after the other.
  ///
  /// - Parameter type: One of glTF's.
  /// - Returns: Nil if there is no such attribute, or if the type can't hold its values.
  package func values(
    ofAttribute identifier: Int, as type: NumberType
  ) throws(Failure) -> [UInt8]? {
    guard let width = try width(ofAttribute: identifier) else { return nil }
    let numbers = [identifier, Int(type.draco.rawValue), type.size]
    let answer = try ask(CellMessage(.dracoValues, numbers))
    guard answer.outcome == .done else { return nil }
    guard answer.bytes.count == pointCount * width * type.size else { throw nonsense }
    return answer.bytes
  }

  private var nonsense: Failure {
    isSound = false
    return Failure(reason: CellFailure.nonsense("values are missing").reason(.draco))
  }

  private func ask(_ request: CellMessage) throws(Failure) -> CellMessage {
    do {
      return try seat.answer(to: request, limits)
    } catch {
      isSound = false
      throw Failure(reason: error.reason(.draco), exitCode: error.exitCode)
    }
  }
}
