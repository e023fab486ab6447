import MeshpipeBase
package import MeshpipeScene

/// The distances of points from those of a cloud.
package enum PointDistances {
  /// The nearest point of a cloud that has finite points: a place whose `face` is the index of the point, without a side.
  ///
  /// - Parameter points: One that is not finite is at no place.
  package static func places(nearestTo points: [Vector3], in cloud: [Vector3]) -> [NearestSurface
    .Place]
  {
    let tree = PointTree(cloud)
    return Parallel.array(count: points.count, chunkSize: 1 << 10) { range, output in
      var found = NearestPoints(capacity: 1)
      for index in range {
        guard points[index].isFinite else {
          output.append(.none)
          continue
        }
        tree.find(&found, around: points[index].double)
        output.append(
          NearestSurface.Place(
            distance: Float(found[0].squaredDistance.squareRoot()), face: found[0].index,
            barycentric: .zero, side: nil))
      }
    }
  }

  /// The median distance of points from the nearest one elsewhere; 0 if there is none.
  package static func medianSpacing(of cloud: [Vector3]) -> Double {
    let tree = PointTree(cloud)
    let step = max(1, cloud.count / 2000)
    let trial = stride(from: 0, to: cloud.count, by: step).filter { cloud[$0].isFinite }
    let spacings: [Double] = Parallel.array(count: trial.count, chunkSize: 1 << 8) {
      range, output in
      // Points may occur several times.
      var found = NearestPoints(capacity: 8)
      for index in range {
        tree.find(&found, around: cloud[trial[index]].double)
        let distances = (0..<found.count).map { found[$0].squaredDistance }
        output.append(distances.first { $0 > 0 }?.squareRoot() ?? 0)
      }
    }
    return spacings.filter { $0 > 0 }.median() ?? 0
  }
}
