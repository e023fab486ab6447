extension PointCloud {
  /// Removes the points for which `keep` is false, with their attributes; the order stays.
  ///
  /// - Parameter keep: One entry per point.
  public mutating func keepPoints(_ keep: [Bool]) {
    precondition(keep.count == positions.count)
    guard keep.contains(false) else { return }
    self = selecting(points: keep.indices.filter { keep[$0] })
  }

  /// A cloud of the given points, in the given order, with their attributes.
  public func selecting(points: [Int]) -> PointCloud {
    var result = PointCloud(name: name, positions: points.map { positions[$0] })
    result.normals = normals.map { all in points.map { all[$0] } }
    result.colors = colors.map { all in points.map { all[$0] } }
    result.confidences = confidences.map { all in points.map { all[$0] } }
    result.classes = classes.map { all in
      FaceClasses(labels: points.map { all.labels[$0] }, names: all.names)
    }
    return result
  }
}
