internal import CDraco
internal import CMeshopt
import MeshpipeBase
import MeshpipeScene

/// The mesh that is open.
@safe final class OpenDraco {
  fileprivate let handle: OpaquePointer
  fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = handle }
  deinit { unsafe meshpipe_draco_free_mesh(handle) }
}

extension DecoderService {
  /// Decodes a mesh with at most a number of points and corners, or with 1 what a file may hold: answers the number of
  /// points and, with 4 bytes each, three points for each face.
  func openDraco(_ request: CellMessage) -> CellMessage {
    draco = nil
    let bytes = request.bytes
    guard request.numbers.count == 2 else { return CellMessage(.damaged) }
    let (most, isFile) = (UInt64(max(0, request.numbers[0])), request.numbers[1] == 1)
    var opened: OpaquePointer?
    let reason = unsafe nativeMessage { error, size in
      unsafe opened = bytes.withUnsafeBufferPointer { bytes in
        unsafe meshpipe_draco_decode(bytes.baseAddress, bytes.count, isFile, most, error, size)
      }
    }
    guard let handle = unsafe opened else { return CellMessage(.damaged, text: reason) }
    draco = unsafe OpenDraco(handle)
    let count = unsafe 3 * meshpipe_draco_face_count(handle)
    var indices = [UInt32](repeating: 0, count: count)
    if count > 0 { unsafe meshpipe_draco_indices(handle, &indices) }
    return unsafe CellMessage(
      .done, [Int(meshpipe_draco_point_count(handle))], values: indices)
  }

  /// Five numbers of 4 bytes for each attribute: identifier, kind, components, their size, and 1 for whole numbers.
  func dracoAttributes() -> CellMessage {
    guard let draco else { return CellMessage(.damaged) }
    let count = unsafe meshpipe_draco_attribute_count(draco.handle)
    let numbers = (0..<count).flatMap { index in
      var found = meshpipe_draco_description()
      unsafe meshpipe_draco_describe(draco.handle, index, &found)
      return [
        found.identifier, found.kind.rawValue, UInt32(truncatingIfNeeded: found.components),
        UInt32(truncatingIfNeeded: found.size), found.is_integer ? 1 : 0,
      ]
    }
    return CellMessage(.done, [], values: numbers)
  }

  /// The number of components of an attribute; 0 if there is none with this identifier.
  func dracoWidth(_ request: CellMessage) -> CellMessage {
    guard let draco, let identifier = request.numbers.first.flatMap(UInt32.init(exactly:)) else {
      return CellMessage(.done, [0])
    }
    return unsafe CellMessage(.done, [Int(meshpipe_draco_components(draco.handle, identifier))])
  }

  /// The values of an attribute, in a type and the number of its bytes, for each point.
  func dracoValues(_ request: CellMessage) -> CellMessage {
    guard let draco, request.numbers.count == 3,
      let identifier = UInt32(exactly: request.numbers[0])
    else { return CellMessage(.damaged) }
    let width = unsafe Int(meshpipe_draco_components(draco.handle, identifier))
    let count = unsafe meshpipe_draco_point_count(draco.handle) * width * request.numbers[2]
    var values = [UInt8](repeating: 0, count: count)
    let type = meshpipe_draco_type(rawValue: UInt32(truncatingIfNeeded: request.numbers[1]))
    let isDone = unsafe values.withUnsafeMutableBytes { target in
      unsafe meshpipe_draco_values(draco.handle, identifier, type, target.baseAddress)
    }
    return isDone ? CellMessage(.done, bytes: values) : CellMessage(.damaged)
  }

  /// Decodes a buffer of a mode, a filter, and a number of elements of a stride.
  static func meshopt(_ request: CellMessage) -> CellMessage {
    guard request.numbers.count == 4 else { return CellMessage(.damaged) }
    let (count, stride, bytes) = (request.numbers[2], request.numbers[3], request.bytes)
    let mode = meshpipe_meshopt_mode(rawValue: UInt32(truncatingIfNeeded: request.numbers[0]))
    let filter = meshpipe_meshopt_filter(rawValue: UInt32(truncatingIfNeeded: request.numbers[1]))
    var result = [UInt8](repeating: 0, count: count * stride)
    var status = meshpipe_meshopt_damaged
    let words = unsafe nativeMessage { error, capacity in
      status = unsafe result.withUnsafeMutableBytes { target in
        unsafe bytes.withUnsafeBufferPointer { source in
          unsafe meshpipe_meshopt_decode(
            mode, filter, target.baseAddress, count, stride, source.baseAddress, source.count,
            error, capacity)
        }
      }
    }
    switch status {
    case meshpipe_meshopt_ok: return CellMessage(.done, bytes: result)
    case meshpipe_meshopt_unavailable: return CellMessage(.missing, text: words)
    default: return CellMessage(.damaged)
    }
  }
}
