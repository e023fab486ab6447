public import MeshPipeline

/// What a picture of a scene shows and how.
public struct RenderStyle: Sendable {
  /// How much of the light is invented.
  public enum Shading: String, Sendable, CaseIterable {
    /// Photographed colours (textures, vertex colours) with a touch of shading, all others lit.
    case auto
    /// Everything lit from above, with the shade that near surfaces throw.
    case lit
    /// Colours as they are stored.
    case unlit
  }

  /// Where the colours come from.
  public enum Colors: String, Sendable, CaseIterable {
    /// The best that each face has: texture, vertex colours, a coloured material, class, grey.
    case auto
    case texture, vertex, material
    case classification = "class"
    /// One grey.
    case none
  }

  /// The faces that are seen.
  public enum Sides: String, Sendable, CaseIterable {
    /// Only fronts where the scene is a room seen from outside, which opens it like a doll's house.
    case auto
    case both, front, back
  }

  public var shading = Shading.auto
  public var colors = Colors.auto
  public var sides = Sides.auto
  /// Whether ``Shading/auto`` shades photographed colours at all.
  public var shadesPhotographs = true
  /// The side in pixels up to which textures are shown as they are.
  ///
  /// Larger ones are halved, at most three times, until they fit: enough for a small picture, and JPEG
  /// decodes so in a part of the time.
  public var largestTexture = Int.max

  public init(
    shading: Shading = .auto, colors: Colors = .auto, sides: Sides = .auto
  ) {
    self.shading = shading
    self.colors = colors
    self.sides = sides
  }

  /// For a model beside its photographs: their colours as they are stored, all others lit.
  public static let comparison: RenderStyle = {
    var style = RenderStyle(sides: .both)
    style.shadesPhotographs = false
    return style
  }()

  /// Stored colours of whatever the camera meets: to compare a model with its photographs.
  public static let photographic = RenderStyle(shading: .unlit, sides: .both)
}

/// What a picture shows where there is no surface.
public enum Background: Sendable, Equatable {
  /// A light grey that darkens towards the bottom.
  case gradient
  case color(Color)
  /// Nothing: pixels keep the colour of the surface in them, and ``RenderedPicture/coverage`` is alpha.
  case transparent
}

/// A rendered picture.
public struct RenderedPicture: Sendable, Equatable {
  public var image: Image
  /// How much of each pixel a surface fills: 0 none, 255 all.
  public var coverage: [UInt8]
}
