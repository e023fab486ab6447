internal import CMeshpipePlugin
package import MeshpipeScene

/// The attributes that a plugin gets because it declares that it handles them.
package struct LentAttributes: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  static let secondTextureCoordinates = Self(
    rawValue: UInt32(MESHPIPE_SECOND_TEXTURE_COORDINATES))
  static let tangents = Self(rawValue: UInt32(MESHPIPE_TANGENTS))
  static let customAttributes = Self(rawValue: UInt32(MESHPIPE_CUSTOM_ATTRIBUTES))
  static let wideIntegers = Self(rawValue: UInt32(MESHPIPE_WIDE_INTEGERS))

  /// Whether a custom attribute with values of a type is lent.
  func lends(_ type: NumberType) -> Bool {
    contains(.customAttributes) && (type != .uint64 || contains(.wideIntegers))
  }

  /// The names, in messages, of a scene's attributes that are not lent.
  package func missing(of scene: Scene) -> [String] {
    var known = WireHello.firstAttributes
    if contains(.secondTextureCoordinates) { known.insert("secondTextureCoordinates") }
    if contains(.tangents) { known.insert("tangents") }
    let custom =
      !contains(.customAttributes)
      ? scene.customAttributeNames()
      : contains(.wideIntegers) ? [] : scene.customAttributeNames(type: .uint64)
    return custom + scene.attributes(besides: known)
  }
}

extension NumberType {
  private static let byNumber: [NumberType] = [
    .int8, .uint8, .int16, .uint16, .int32, .uint32, .float32, .float64, .uint64,
  ]

  /// The type as `MESHPIPE_INT8` and so on.
  var pluginNumber: Int32 { Int32(Self.byNumber.firstIndex(of: self) ?? 0) }

  init?(pluginNumber: Int32) {
    guard Self.byNumber.indices.contains(Int(pluginNumber)) else { return nil }
    self = Self.byNumber[Int(pluginNumber)]
  }
}

extension AttributeElement {
  private static let byNumber: [AttributeElement] = [.vertex, .corner, .face, .point]

  /// The element as `MESHPIPE_VERTEX` and so on.
  var pluginNumber: Int32 { Int32(Self.byNumber.firstIndex(of: self) ?? 0) }

  init?(pluginNumber: Int32) {
    guard Self.byNumber.indices.contains(Int(pluginNumber)) else { return nil }
    self = Self.byNumber[Int(pluginNumber)]
  }
}
