/// What a surface has at each place of its texture coordinates, as pictures that no material refers to.
public struct SurfaceMap: Sendable, Equatable {
  /// What the pictures show.
  public enum Kind: String, Sendable, CaseIterable, Codable {
    /// Where the place is; the axes are red, green and blue.
    case position
    /// How far something is from the surface along its normal; grey for nothing, white outwards.
    case height
    /// The mean curvature; grey where it is flat, white where it is convex.
    case curvature
    /// The class, by the colours of renderings.
    case classification = "class"

    /// The kind that the name of a file ends with, as `room.height.png`; nil if it ends with none.
    public init?(ofFile name: String) {
      guard
        let kind = Self.allCases.first(where: { name.lowercased().hasSuffix(".\($0.rawValue).png") }
        )
      else { return nil }
      self = kind
    }
  }

  /// What the pictures show.
  public var kind: Kind
  /// A picture for each page of texture coordinates.
  public var pages: [Texture]

  /// Creates a map from encoded pictures, which are not checked.
  public init(kind: Kind, pages: [Texture]) {
    self.kind = kind
    self.pages = pages
  }
}
