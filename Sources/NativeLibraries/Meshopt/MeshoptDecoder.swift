internal import CMeshopt
import MeshpipeBase
import MeshpipeScene

/// The codecs of `EXT_meshopt_compression`, with meshoptimizer, in a cell.
package enum MeshoptDecoder {
  /// What the elements of a compressed buffer are.
  package enum Mode: String, Sendable {
    case attributes = "ATTRIBUTES"
    case triangles = "TRIANGLES"
    case indices = "INDICES"
  }

  /// What was done to attributes before they were compressed, and is undone after.
  package enum Filter: String, Sendable {
    case none = "NONE"
    case octahedral = "OCTAHEDRAL"
    case quaternion = "QUATERNION"
    case exponential = "EXPONENTIAL"
    case color = "COLOR"
  }

  /// The most bytes that a compressed byte of a whole file stands for.
  ///
  /// A header of two bits is for sixteen bytes that are the same. A single stream of version 1 may have more.
  package static let largestRatio = 64

  /// Why there are no elements.
  package enum Failure: Error {
    /// The data are damaged or don't belong together; the reason, for the message of a file.
    case damaged(String)
    /// meshoptimizer can't be used.
    case missing(NativeLibraryError)
  }

  /// Decodes a buffer: by meshoptimizer, except attributes of version 1 of the codec, which it may not know.
  ///
  /// - Parameters:
  ///   - count: The number of elements: vertices or indices.
  ///   - stride: The bytes of each.
  /// - Returns: `count * stride` bytes.
  package static func decode(
    _ bytes: Span<UInt8>, _ mode: Mode, _ filter: Filter, count: Int, stride: Int
  ) throws(Failure) -> [UInt8] {
    guard isAllowed(mode, filter, count: count, stride: stride) else {
      throw .damaged(
        "\(mode.rawValue) of \(count) elements of \(stride) bytes can't have filter "
          + filter.rawValue)
    }
    // Checked before there is memory for them.
    let (size, overflows) = count.multipliedReportingOverflow(by: stride)
    let isOwn = mode == .attributes && bytes.count > 0 && bytes[0] == MeshoptAttributeStream.header
    let ratio = isOwn ? MeshoptAttributeStream.largestRatio : largestRatio
    guard !overflows, size <= ratio * bytes.count else {
      throw .damaged("\(bytes.count) bytes can't hold \(count) elements")
    }
    guard count > 0 else { return [] }
    if isOwn { return try attributes(bytes, filter, count: count, stride: stride) }
    let request = CellMessage(
      .meshopt, [Int(mode.native.rawValue), Int(filter.native.rawValue), count, stride],
      bytes: [UInt8](copying: bytes))
    let answer: CellMessage
    do {
      answer = try DecoderPool.answer(
        to: request, .meshopt,
        .init(seconds: 60 + Double(size) / 1e6, memory: 1 << 28 + 4 * size, answer: size))
    } catch {
      throw error.isOfFile
        ? .damaged(error.reason(.meshopt))
        : .missing(
          NativeLibraryError("meshoptimizer", error.reason(.meshopt), exitCode: error.exitCode))
    }
    switch answer.outcome {
    case .done:
      guard answer.bytes.count == size else {
        throw .damaged(CellFailure.nonsense("elements are missing").reason(.meshopt))
      }
      var result = answer.bytes
      if filter == .color { filter.undo(&result, stride: stride) }
      return result
    case .missing: throw .missing(NativeLibraryError("meshoptimizer", answer.text))
    default: throw .damaged("the compressed data are damaged, or of a newer version of the codec")
    }
  }

  private static func attributes(
    _ bytes: Span<UInt8>, _ filter: Filter, count: Int, stride: Int
  ) throws(Failure) -> [UInt8] {
    do {
      var stream = try MeshoptAttributeStream([UInt8](copying: bytes), stride: stride)
      var result = try stream.elements(count)
      filter.undo(&result, stride: stride)
      return result
    } catch {
      throw .damaged("the compressed data are damaged")
    }
  }

  /// What the specification allows, and meshoptimizer takes for granted.
  private static func isAllowed(_ mode: Mode, _ filter: Filter, count: Int, stride: Int) -> Bool {
    guard count >= 0 else { return false }
    return switch (mode, filter) {
    case (.attributes, .none), (.attributes, .exponential):
      stride > 0 && stride <= 256 && stride % 4 == 0
    case (.attributes, .octahedral), (.attributes, .color): stride == 4 || stride == 8
    case (.attributes, .quaternion): stride == 8
    case (.triangles, .none): count % 3 == 0 && (stride == 2 || stride == 4)
    case (.indices, .none): stride == 2 || stride == 4
    default: false
    }
  }
}

extension MeshoptDecoder.Mode {
  fileprivate var native: meshpipe_meshopt_mode {
    switch self {
    case .attributes: meshpipe_meshopt_attributes
    case .triangles: meshpipe_meshopt_triangles
    case .indices: meshpipe_meshopt_indices
    }
  }
}

extension MeshoptDecoder.Filter {
  fileprivate var native: meshpipe_meshopt_filter {
    switch self {
    case .none: meshpipe_meshopt_plain
    case .octahedral: meshpipe_meshopt_octahedral
    case .quaternion: meshpipe_meshopt_quaternion
    case .exponential: meshpipe_meshopt_exponential
    // Undone by our own.
    case .color: meshpipe_meshopt_plain
    }
  }
}
