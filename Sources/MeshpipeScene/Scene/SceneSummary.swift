/// Counts and measurements of a scene, for `meshpipe info`.
public struct SceneSummary: Sendable, Equatable {
  /// One mesh or point cloud.
  public struct Part: Sendable, Equatable {
    /// The name of the mesh or cloud.
    public var name: String
    /// The vertices of a mesh; 0 for a cloud.
    public var vertices: Int
    /// The faces of a mesh; 0 for a cloud.
    public var faces: Int
    /// The points of a cloud; 0 for a mesh.
    public var points: Int
  }

  /// The faces (or points) of one class.
  public struct ClassShare: Sendable, Equatable {
    /// The name of the class.
    public var name: String
    /// The faces of the class.
    public var faces: Int
    /// The points of the class.
    public var points: Int
    /// Square metres.
    public var area: Double
  }

  /// A texture and its image.
  public struct TextureSummary: Sendable, Equatable {
    /// The texture's file name, without folder.
    public var fileName: String
    /// The encoding, such as `png`.
    public var encoding: String
    /// Width and height in pixels; nil if the image can't be decoded.
    public var pixelSize: SIMD2<Int>?
    /// The size of the encoded image.
    public var bytes: Int
  }

  /// A custom attribute of one or more meshes or point clouds.
  public struct AttributeSummary: Sendable, Equatable {
    /// The name of the attribute.
    public var name: String
    /// What it has values for: `vertex`, `corner`, `face` or `point`.
    public var element: String
    /// The type of the values, such as `float32`.
    public var type: String
    /// The number of values of each element.
    public var width: Int
  }

  /// The points that are Gaussian splats.
  public struct Splats: Sendable, Equatable {
    /// Their number.
    public var count: Int
    /// The forms of their clouds, each once.
    public var forms: [SplatForm]
  }

  /// One for each mesh and point cloud.
  public var parts: [Part] = []
  /// The vertices of all meshes.
  public var vertices = 0
  /// The faces of all meshes.
  public var faces = 0
  /// The points of all point clouds.
  public var points = 0
  /// Those of the points that are Gaussian splats; nil if none are.
  public var splats: Splats?
  /// In the scene's own axes and units, relative to its ``origin``; nil if there is no finite vertex.
  public var bounds: Box?
  /// What is added to ``bounds`` for the coordinates of the file.
  public var origin = SIMD3<Double>.zero
  /// The map that the coordinates belong to; nil if the file names none.
  public var referenceSystem: ReferenceSystem?
  /// Edge lengths of ``bounds`` in metres.
  public var sizeInMeters = SIMD3<Double>.zero
  /// Square metres.
  public var area = 0.0
  /// The classes of at least one face or point, in label order.
  public var classes: [ClassShare] = []
  /// The names of the materials.
  public var materials: [String] = []
  /// The number of draw calls: one for each material and class of each mesh, and for each point
  /// cloud.
  public var drawCalls = 0
  /// One for each texture.
  public var textures: [TextureSummary] = []
  /// The kinds of data that the scene has.
  public var features: [SceneFeature] = []
  /// The attributes that meshpipe has no meaning for.
  public var customAttributes: [AttributeSummary] = []
  /// Edges with one face, within each mesh.
  public var boundaryEdges = 0
  /// Edges with more than two faces.
  public var nonManifoldEdges = 0
  /// Edges whose two faces are wound inconsistently.
  private var inconsistentEdges = 0
  /// What the meshes enclose, in cubic metres; negative if their outside faces in, and nil unless each edge has two faces
  /// that are wound consistently.
  public var volume: Double?
  /// Connected components: faces that share an edge belong to the same one.
  public var components = 0
  /// The number of frames of the capture.
  public var frames = 0
  /// How the file was interpreted where it leaves a choice.
  public var interpretation = Interpretation()
  /// The axes and unit of ``bounds``.
  public var coordinateSystem: CoordinateSystem

  /// Counts and measures a scene.
  ///
  /// - Complexity: O(faces + vertices).
  public init(_ scene: Scene) {
    coordinateSystem = scene.coordinateSystem
    interpretation = scene.interpretation
    origin = scene.origin
    referenceSystem = scene.survey?.referenceSystem
    vertices = scene.vertexCount
    faces = scene.faceCount
    points = scene.pointCount
    features = scene.features.sorted()
    frames = scene.capture?.frames.count ?? 0
    let unit = coordinateSystem.metersPerUnit
    let box = scene.bounds
    if !box.isEmpty {
      bounds = box
      sizeInMeters = SIMD3<Double>(box.size) * unit
    }
    materials = scene.materials.map(\.name)
    textures = scene.textures.map { texture in
      TextureSummary(
        fileName: texture.fileName, encoding: texture.encoding.rawValue,
        pixelSize: texture.pixelSize, bytes: texture.bytes.count)
    }
    drawCalls = scene.drawCalls
    for mesh in scene.meshes { addCustomAttributes(of: mesh) }
    for cloud in scene.pointClouds { addCustomAttributes(of: cloud) }
    for mesh in scene.meshes { add(mesh, metersPerUnit: unit) }
    let isClosed = boundaryEdges == 0 && nonManifoldEdges == 0 && inconsistentEdges == 0
    if faces > 0, isClosed {
      volume = scene.meshes.reduce(0) { $0 + $1.enclosedVolume } * unit * unit * unit
    }
    for cloud in scene.pointClouds { add(cloud) }
    var forms: [SplatForm] = []
    for form in scene.pointClouds.compactMap(\.splatForm) where !forms.contains(form) {
      forms.append(form)
    }
    if !forms.isEmpty { splats = Splats(count: scene.splatCount, forms: forms) }
  }

  private mutating func add(_ mesh: Mesh, metersPerUnit: Double) {
    let squareMeters = metersPerUnit * metersPerUnit
    parts.append(
      Part(name: mesh.name, vertices: mesh.vertexCount, faces: mesh.faceCount, points: 0))
    let edges = Edges(mesh)
    for edge in edges {
      boundaryEdges += edge.isBoundary ? 1 : 0
      nonManifoldEdges += edge.valence > 2 ? 1 : 0
      inconsistentEdges += edges.isInconsistent(edge) ? 1 : 0
    }
    components += FaceComponents(edges: edges, faceCount: mesh.faceCount).count
    var areas = [Double](repeating: 0, count: mesh.classes?.names.count ?? 0)
    for face in 0..<mesh.faceCount {
      let area = mesh.area(ofFace: face) * squareMeters
      guard area.isFinite else { continue }
      self.area += area
      if let classes = mesh.classes { areas[Int(classes.labels[face])] += area }
    }
    if let classes = mesh.classes { add(classes, areas: areas, ofFaces: true) }
  }

  private mutating func addCustomAttributes<Owner: AttributeOwner>(of owner: Owner) {
    for element in Owner.elements {
      for attribute in owner[keyPath: Owner.customAttributes(of: element)] {
        let summary = AttributeSummary(
          name: attribute.name, element: element.rawValue, type: attribute.type.rawValue,
          width: attribute.width)
        if !customAttributes.contains(summary) { customAttributes.append(summary) }
      }
    }
  }

  private mutating func add(_ cloud: PointCloud) {
    parts.append(Part(name: cloud.name, vertices: 0, faces: 0, points: cloud.positions.count))
    if let classes = cloud.classes { add(classes, areas: nil, ofFaces: false) }
  }

  private mutating func add(_ classes: FaceClasses, areas: [Double]?, ofFaces: Bool) {
    for (label, count) in classes.counts.enumerated() where count > 0 {
      let name = classes.names[label]
      var index = self.classes.firstIndex { $0.name == name }
      if index == nil {
        index = self.classes.count
        self.classes.append(ClassShare(name: name, faces: 0, points: 0, area: 0))
      }
      guard let index else { continue }
      self.classes[index].faces += ofFaces ? count : 0
      self.classes[index].points += ofFaces ? 0 : count
      self.classes[index].area += areas?[label] ?? 0
    }
  }
}
