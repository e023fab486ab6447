extension Mesh {
  /// The vertices as points: formats store the attributes of both alike.
  package var vertexPoints: PointCloud {
    var points = PointCloud(name: name, positions: positions)
    Mesh.forEachAttribute(VertexPointsVisitor(mesh: self), &points)
    points.attributes = vertexAttributes
    return points
  }

  /// A mesh whose vertices are points with their attributes; classes belong to faces.
  package init(vertices points: PointCloud, indices: [UInt32]) {
    self.init(name: points.name, positions: points.positions, indices: indices)
    Mesh.forEachAttribute(VertexVisitor(points: points), &self)
    vertexAttributes = points.attributes
  }
}

private struct VertexPointsVisitor: AttributeVisitor {
  let mesh: Mesh

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ points: inout PointCloud)
  {
    guard attribute.element == .vertex, let path = attribute.ofPoints else { return }
    points[keyPath: path] = mesh[keyPath: attribute.path]
  }
}

private struct VertexVisitor: AttributeVisitor {
  let points: PointCloud

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ mesh: inout Mesh) {
    guard attribute.element == .vertex, let path = attribute.ofPoints else { return }
    mesh[keyPath: attribute.path] = points[keyPath: path]
  }
}
