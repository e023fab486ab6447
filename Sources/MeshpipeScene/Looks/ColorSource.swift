/// The source of the colours of a surface.
public enum ColorSource: String, Sendable, CaseIterable {
  /// The best that each face has: texture, vertex colours, a coloured material, class, grey.
  case auto
  /// One source only; faces without it are grey.
  case texture, vertex, material
  /// One colour for each class of faces.
  case classification = "class"
  /// One grey.
  case none

  package var usesTextures: Bool { self == .auto || self == .texture }
}
