/// A triangle mesh with shared vertices and attributes per vertex, corner and face.
///
/// Vertices are never split at seams: whatever differs across an edge (texture coordinates, hard
/// normals, material, class) is stored per corner or face, and only a writer whose format needs it
/// splits vertices. Corner `3 * face + 0…2` is a vertex of one face; faces are wound
/// counter-clockwise seen from outside.
///
/// Invariants, validated where data comes from outside (``validate(materialCount:)``): every index
/// is below `positions.count`, and each attribute is nil or has one element per vertex, corner or
/// face.
public struct Mesh: Sendable, Equatable {
  /// Identifies the mesh in messages and files; need not be unique.
  public var name: String

  /// One position per vertex, in the units of the scene's coordinate system.
  public var positions: [Vector3]
  /// Three vertices per face.
  public var indices: [UInt32]

  /// Unit normals per vertex.
  public var normals: [Vector3]?
  /// Vertex colours, sRGB-encoded.
  public var colors: [Color]?
  /// The sensor's confidence per vertex; ARKit's scale is 0 low, 1 medium, 2 high.
  public var confidences: [Float]?

  /// Texture coordinates per corner; the origin is the lower left corner of the image, as in OBJ.
  public var textureCoordinates: [Vector2]?
  /// A second set per corner, as for light maps; no material of the scene uses it.
  public var secondTextureCoordinates: [Vector2]?
  /// Unit normals per corner, for hard edges; they take precedence over ``normals``.
  public var cornerNormals: [Vector3]?
  /// Tangents per corner, those of ``textureCoordinates`` and of the normals.
  public var tangents: [Tangent]?

  /// Index into the scene's materials per face; nil if no face has a material.
  public var faceMaterials: [UInt32]?
  /// One label per face; nil if no face has a class.
  public var classes: FaceClasses?
  /// Colours of whole faces, sRGB-encoded; they take precedence over ``colors``.
  public var faceColors: [Color]?

  /// Attributes of the file per vertex that meshpipe has no meaning for.
  public var vertexAttributes: [CustomAttribute] = []
  /// The same per corner: those that differ at seams.
  public var cornerAttributes: [CustomAttribute] = []
  /// The same per face.
  public var faceAttributes: [CustomAttribute] = []

  /// Creates a mesh without attributes.
  public init(name: String = "", positions: [Vector3] = [], indices: [UInt32] = []) {
    self.name = name
    self.positions = positions
    self.indices = indices
  }

  /// The number of vertices, including those that no face uses.
  public var vertexCount: Int { positions.count }
  /// The number of triangles.
  public var faceCount: Int { indices.count / 3 }
  /// Three per face.
  public var cornerCount: Int { indices.count }

  /// The smallest box around the finite vertices.
  public var bounds: Box { Box(positions) }

  /// The three vertices of a face.
  @inlinable
  public func vertices(ofFace face: Int) -> (UInt32, UInt32, UInt32) {
    (indices[3 * face], indices[3 * face + 1], indices[3 * face + 2])
  }
}
