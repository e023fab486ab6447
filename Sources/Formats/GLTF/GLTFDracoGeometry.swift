import MeshPipeline
import NativeLibraries

/// What a primitive compressed by `KHR_draco_mesh_compression` holds.
struct GLTFDracoGeometry {
  /// Three vertices per face.
  let triangles: [UInt32]
  /// The elements of accessors, in their types.
  private(set) var values: [Int: [UInt8]] = [:]

  /// Decodes a primitive; nil if it is not compressed.
  ///
  /// - Parameter mostElements: The most vertices and corners that it may have.
  init?(
    _ primitive: JSONValue, in reader: GLTFReader, mostElements: Int, _ place: String
  ) throws {
    guard let declaration = primitive["extensions"]?[GLTFDracoPrimitive.name] else { return nil }
    guard let view = try reader.integer(declaration["bufferView"], place) else {
      throw reader.fault(place, "its compression has no bufferView")
    }
    let (bytes, range, _) = try reader.view(view)
    let mesh: DracoMesh
    do throws(DracoMesh.Failure) {
      mesh = try bytes.withBytes { bytes throws(DracoMesh.Failure) in
        try DracoMesh(bytes.extracting(range), mostElements: mostElements)
      }
    } catch {
      throw Self.fault(error, in: reader, place)
    }
    triangles = mesh.triangles
    guard case .object(let members)? = declaration["attributes"]?.content else {
      throw reader.fault(place, "its compression has no attributes")
    }
    // As many bytes as floats in all attributes of the data may have.
    var room = 16 * mostElements
    for member in members {
      guard let identifier = try reader.integer(member.value, place),
        let accessor = try reader.integer(primitive["attributes"]?[member.key], place),
        values[accessor] == nil
      else { continue }
      let attribute = "\(place): \(member.key.prefix(64))"
      let decoded: [UInt8]
      do {
        decoded = try Self.values(of: mesh, identifier, as: accessor, in: reader, attribute)
      } catch let failure as DracoMesh.Failure {
        throw Self.fault(failure, in: reader, attribute)
      }
      room -= decoded.count
      guard room >= 0 else {
        throw reader.fault(place, "its attributes are more data than plausible; is it damaged?")
      }
      values[accessor] = decoded
    }
  }

  private static func fault(
    _ failure: DracoMesh.Failure, in reader: GLTFReader, _ place: String
  ) -> any UserError {
    failure.exitCode == .data
      ? reader.fault(place, "\(failure.reason) (\(GLTFDracoPrimitive.name))")
      : NativeLibraryError(
        "Draco", "\(failure.reason) (needed for \(reader.path))", exitCode: failure.exitCode)
  }

  private static func values(
    of mesh: DracoMesh, _ identifier: Int, as accessor: Int, in reader: GLTFReader,
    _ place: String
  ) throws -> [UInt8] {
    let description = try reader.element("accessors", accessor)
    let type = try reader.type(description, "accessors[\(accessor)]")
    guard let width = try mesh.width(ofAttribute: identifier) else {
      throw reader.fault(place, "the compressed data have no attribute \(identifier)")
    }
    let shape = description["type"]?.text ?? ""
    guard width == GLTFReader.components[shape] else {
      throw reader.fault(
        place, "has \(width) components in the compressed data, but is '\(shape.prefix(8))'")
    }
    guard let values = try mesh.values(ofAttribute: identifier, as: type) else {
      throw reader.fault(place, "its values don't fit its componentType")
    }
    return values
  }
}
