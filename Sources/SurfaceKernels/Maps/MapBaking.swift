package import MeshpipeBase
package import MeshpipeScene
package import NativeLibraries

/// Makes pictures for a light surface that show what a heavy one has.
///
/// Each texel is a point of the light surface; what it stands for on the heavy one is found once for
/// all maps of a page (Cohen, Olano and Manocha 1998; Cignoni and others 1998).
package struct MapBaking: Sendable {
  let target: MapTarget
  let source: MapSource
  /// The maximum distance between a point of the light surface and its point on the heavy one.
  package let reach: Float
  let choice: MapSource.Choice

  /// The points from which the deviation of the surfaces is measured, about.
  private static let measuredPoints = 16_384
  /// The share of them that has to be in reach, since light surfaces may close holes.
  private static let share = 0.995
  /// The factor by which a distance along the normal may exceed that to the nearest point.
  private static let excess: Float = 2
  /// The vertices of the heavy surface that are looked at for what the light one leaves out, about.
  private static let measuredVertices = 65_536
  /// The usual maximum of the reach, as a fraction of the extent: what is farther away is not of the light surface.
  package static let usualReach: Float = 0.05

  /// - Parameter reach: Measured from the deviation of the two surfaces if nil.
  package init(
    _ target: MapTarget, _ source: MapSource, reach: Float?, choice: MapSource.Choice = .nearest
  ) throws(NativeLibraryError) {
    self.target = target
    self.source = source
    self.choice = choice
    if let reach {
      self.reach = reach
    } else {
      self.reach = max(
        Self.measuredReach(target, source), try Self.heightOfDetails(target, source))
    }
  }

  /// The distance from the light surface to parts of the heavy one that are too small to count for the deviation:
  /// handles, switches and the like.
  private static func heightOfDetails(
    _ target: MapTarget, _ source: MapSource
  ) throws(NativeLibraryError) -> Float {
    let surface = source.sampler.surface
    let tracer = try RayTracer(positions: target.positions, indices: target.indices)
    let step = max(1, surface.indices.count / measuredVertices)
    let far = usualReach * source.extent
    // Normals lean, so that it is a little farther along them.
    let margin: Float = 1.1
    let distances = Parallel.array(count: surface.indices.count / step, chunkSize: 256) { sample in
      let vertex = surface.positions[Int(surface.indices[sample * step])].simd
      return tracer.nearest(to: vertex, within: far / margin)?.distance ?? 0
    }
    return margin * (distances.max() ?? 0)
  }

  private static func measuredReach(_ target: MapTarget, _ source: MapSource) -> Float {
    var points: [SIMD3<Float>] = []
    for page in target.atlas.pages.indices {
      let owners = target.owners(ofPage: page).faces
      let width = target.atlas.pages[page].x
      let used = owners.indices.filter { owners[$0] != .max }
      let step = max(1, used.count * target.atlas.pages.count / measuredPoints)
      for index in stride(from: 0, to: used.count, by: step) {
        let texel = used[index]
        points.append(
          target.point(ofFace: Int(owners[texel]), column: texel % width, row: texel / width)
            .position)
      }
    }
    let distances = Parallel.array(count: points.count, chunkSize: 256) { [points] index in
      source.tracer.nearest(to: points[index])?.distance ?? 0
    }.sorted()
    guard !distances.isEmpty else { return 0 }
    let last = distances[min(distances.count - 1, Int(share * Double(distances.count)))]
    return max(excess * last, 1e-4 * source.extent)
  }

  /// The diagonal of the heavy surface's box.
  package var extent: Float { source.extent }
  /// The heavy surface's box.
  package var sourceBox: Box { source.sampler.surface.usedBox }
  package var pageCount: Int { target.atlas.pages.count }

  /// Finds what the texels of a page stand for.
  package func page(
    _ number: Int, cancellation: some Cancellable
  ) throws(Cancelled) -> MapPage {
    let size = target.atlas.pages[number]
    let (owners, shared) = target.owners(ofPage: number)
    var hits: [[MapSource.Hit]] = []
    // In bands, so that a run can be cancelled.
    for first in stride(from: 0, to: size.y, by: Self.bandHeight) {
      try cancellation.checkCancellation()
      let rows = first..<min(first + Self.bandHeight, size.y)
      hits.append(
        Parallel.array(count: rows.count * size.x, chunkSize: 1 << 10) { index in
          let texel = first * size.x + index
          guard owners[texel] != .max else { return MapSource.Hit.none }
          let point = target.point(
            ofFace: Int(owners[texel]), column: texel % size.x, row: texel / size.x)
          return source.hit(
            at: point.position, normal: point.normal.normalized, within: reach, choice)
        })
    }
    return MapPage(
      baking: self, number: number, size: size, owners: owners, hits: Parallel.joined(hits),
      sharedTexels: shared)
  }

  /// Rows of texels between two looks whether the run is cancelled.
  static let bandHeight = 128
}

/// The points of the heavy surface that the texels of a page show: 20 bytes per texel.
package struct MapPage: Sendable {
  let baking: MapBaking
  package let number: Int
  package let size: SIMD2<Int>
  /// The light surface's face in each texel, `UInt32.max` outside of charts.
  let owners: [UInt32]
  let hits: [MapSource.Hit]
  /// Texels that several faces use, of which one is shown.
  package let sharedTexels: Int

  /// The number of texels in charts.
  package var usedTexels: Int { owners.count { $0 != .max } }
  /// The number of texels in charts that show no point of the heavy surface.
  package var missedTexels: Int {
    zip(owners, hits).count { $0.0 != .max && $0.1.isNone }
  }

  func point(_ texel: Int) -> MapTarget.Point {
    baking.target.point(
      ofFace: Int(owners[texel]), column: texel % size.x, row: texel / size.x)
  }

  /// The texels that have a value.
  func covered(where hasValue: (Int) -> Bool) -> TexelMap {
    var map = TexelMap(width: size.x, height: size.y)
    for row in 0..<size.y {
      for word in 0..<map.wordsPerRow {
        var bits: UInt64 = 0
        for column in 64 * word..<min(64 * word + 64, size.x) where hasValue(row * size.x + column)
        {
          bits |= 1 << UInt64(column - 64 * word)
        }
        map.take(row: row, word: word, bits: bits)
      }
    }
    return map
  }

  /// A picture of three bytes per texel, extended beyond the charts.
  ///
  /// - Parameters:
  ///   - fills: Whether texels of charts that stand for nothing take the value of their
  ///     neighbours.
  func picture(_ pixels: consuming [UInt8], fills: Bool) -> Image {
    picture(pixels) { !(fills ? hits[$0].isNone : owners[$0] == .max) }
  }

  /// - Parameter hasValue: Whether a texel keeps its own; others take that of their neighbours.
  func picture(_ pixels: consuming [UInt8], where hasValue: (Int) -> Bool) -> Image {
    let covered = covered(where: hasValue)
    var pixels = pixels
    PagePadding.fill(&pixels, covered: covered, rings: Self.paddingRings)
    return Image(width: size.x, height: size.y, pixels: pixels)
  }

  static let paddingRings = 4

  // MARK: Maps

  /// The directions of the heavy surface's normals, turned by its normal maps, in the light one's tangent space, as glTF,
  /// OpenGL and Blender want them: red to the right, green up, blue outwards.
  package func normals() -> Image {
    let flat: SIMD3<UInt8> = SIMD3(128, 128, 255)
    let codes: [SIMD3<UInt8>] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      guard !hits[texel].isNone else { return flat }
      let point = point(texel)
      var direction = baking.target.tangentSpace(
        of: baking.source.detailedNormal(at: hits[texel], area: point.area), at: point,
        ofFace: Int(owners[texel]))
      direction.z = max(direction.z, 0)
      let code = (direction.normalized * 0.5 + 0.5) * 255 + 0.5
      return SIMD3<UInt8>(code.clamped(lowerBound: .zero, upperBound: SIMD3(repeating: 255)))
    }
    return picture(Self.bytes(codes), fills: false)
  }

  /// The share of the texels that may turn a normal in a flat map: some beside edges see the next face.
  private static let flatTolerance = 1e-4

  /// Whether hardly a texel of a map of directions turns its normal by more than half a degree, a step of its codes.
  package static func isFlat(_ map: Image) -> Bool {
    let turning = stride(from: 0, to: map.pixels.count, by: 3).count { texel in
      !(127...129 ~= map.pixels[texel] && 127...129 ~= map.pixels[texel + 1])
    }
    return Double(turning) <= flatTolerance * Double(map.width * map.height)
  }

  /// The colours of the heavy surface, by the looks of its faces.
  ///
  /// - Parameter opacity: Where it is 0, the colour is that of the neighbours, so that filters mix in no colour of what
  ///   can't be seen.
  package func colors(_ opacity: MapOpacity? = nil) -> Image {
    let codes = colorCodes { baking.source.sight(of: $0, area: $1).color }
    guard let opacity else { return picture(codes, fills: true) }
    return picture(codes) { !hits[$0].isNone && opacity.codes[$0] > 0 }
  }

  /// The sRGB codes of linear light, three for each texel.
  ///
  /// - Parameter light: The light at a point, as the mean over an area.
  func colorCodes(_ light: @Sendable (MapSource.Hit, Float) -> SIMD3<Float>) -> [UInt8] {
    let table = SRGBTable.shared
    let codes: [SIMD3<UInt8>] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      guard !hits[texel].isNone else { return .zero }
      let color = light(hits[texel], point(texel).area)
      return SIMD3(table.code(color.x), table.code(color.y), table.code(color.z))
    }
    return Self.bytes(codes)
  }

  static func bytes(_ codes: [SIMD3<UInt8>]) -> [UInt8] {
    Parallel.array(count: 3 * codes.count) { codes[$0 / 3][$0 % 3] }
  }

  /// Continues pictures across seams, so that filtering shows none; of values that do not depend on
  /// the chart.
  package static func continueAcrossSeams(_ pictures: inout [Image], _ baking: MapBaking) {
    let atlas = baking.target.atlas
    let (indices, vertexCount) = baking.target.weldedIndices()
    let covered = atlas.pages.indices.map { atlas.coverage(ofPage: $0) }
    SeamPadding(atlas, covered, indices: indices, vertexCount: vertexCount).fill(&pictures)
  }
}
