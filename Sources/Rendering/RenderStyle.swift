public import MeshpipeScene

/// Rendering options.
public struct RenderStyle: Sendable {
  /// How surfaces are lit.
  public enum Shading: String, Sendable, CaseIterable {
    /// Photographed colours (textures, vertex colours) with slight shading, all others lit.
    case auto
    /// Everything lit from above, with ambient occlusion.
    case lit
    /// Colours as stored.
    case unlit
  }

  /// The source of colours.
  public typealias Colors = ColorSource

  /// The visible sides of faces.
  public enum Sides: String, Sendable, CaseIterable {
    /// Only fronts if the scene is a room seen from outside, which opens it like a doll's house.
    case auto
    /// Both sides, only fronts, or only backs.
    case both, front, back
  }

  /// How surfaces are lit.
  public var shading = Shading.auto
  /// The source of colours.
  public var colors = Colors.auto
  /// The visible sides of faces.
  public var sides = Sides.auto
  /// Whether the edges of faces are drawn.
  public var showsEdges = false
  /// Whether ``Shading/auto`` shades photographed colours at all.
  package var shadesPhotographs = true
  /// The longest side in pixels of textures at full size.
  ///
  /// Larger ones are halved, at most three times, until they fit: enough for a small image, and
  /// JPEG decodes faster at reduced size.
  public var largestTexture = Int.max
  /// The most pixels of a texture at full size, likewise.
  package var mostTexels = Int.max

  /// Creates a style with textures at full size.
  public init(
    shading: Shading = .auto, colors: Colors = .auto, sides: Sides = .auto
  ) {
    self.shading = shading
    self.colors = colors
    self.sides = sides
  }

  /// For a model next to its photographs: their colours as stored, all others lit.
  package static let comparison: RenderStyle = {
    var style = RenderStyle(sides: .both)
    style.shadesPhotographs = false
    return style
  }()

  /// Stored colours only, to compare a model with its photographs.
  public static let photographic = RenderStyle(shading: .unlit, sides: .both)
}

/// The background.
public enum Background: Sendable, Equatable {
  /// A light grey that darkens towards the bottom.
  case gradient
  /// One colour.
  case color(Color)
  /// Transparent: pixels keep the colour of the surface in them, and ``RenderedPicture/coverage``
  /// is alpha.
  case transparent
}

/// A rendered image.
public struct RenderedPicture: Sendable, Equatable {
  /// The colours, of the size of the camera.
  public var image: Image
  /// The coverage of each pixel by a surface: 0 none, 255 all.
  public var coverage: [UInt8]
}
