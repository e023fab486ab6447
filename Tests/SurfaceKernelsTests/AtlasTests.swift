import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import SurfaceKernels

/// Charts, packing and texels of ``AtlasBuilder``.
struct AtlasTests {
  static let meshes: [String: Mesh] = {
    let meshes = [
      MeshFixtures.grid(columns: 6, rows: 5), MeshFixtures.sphere(), MeshFixtures.torus(),
      MeshFixtures.moebiusStrip(), MeshFixtures.fin, MeshFixtures.bowTie,
      MeshFixtures.degenerate, MeshFixtures.soup(), MeshFixtures.openCone(), cube, spiralStairs,
      doubled, hugeAndTiny, noisyWall,
    ]
    return Dictionary(uniqueKeysWithValues: meshes.map { ($0.name, $0) })
  }()
  static let names = meshes.keys.sorted()

  private func atlas(
    _ name: String,
    _ options: AtlasOptions = AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4)
  ) throws -> (Mesh, Atlas) {
    let mesh = try #require(Self.meshes[name])
    let atlas = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: options)
    return (mesh, atlas)
  }

  /// The face of each texel of a page, -1 for none; a texel visited twice fails the test.
  private func owners(_ atlas: Atlas, page: Int) -> [Int] {
    var owners = [Int](repeating: -1, count: atlas.pages[page].x * atlas.pages[page].y)
    for face in 0..<atlas.faceCount where Int(atlas.facePages[face]) == page {
      atlas.forEachSpan(ofFace: face) { span in
        for column in span.columns {
          let texel = span.row * atlas.pages[page].x + column
          #expect(owners[texel] == -1)
          owners[texel] = face
        }
      }
    }
    return owners
  }

  @Test(arguments: names) func `every texel belongs to one face at most`(_ name: String) throws {
    let (_, atlas) = try atlas(name)
    for page in atlas.pages.indices {
      let owned = owners(atlas, page: page).count { $0 >= 0 }
      let share = Double(owned) / Double(atlas.pages[page].x * atlas.pages[page].y)
      #expect(abs(share - atlas.usedShare) < 0.03)
    }
  }

  @Test func `what deserves more detail gets more texels, in charts of their own scale`() throws {
    let mesh = Self.cube
    // The first of six equal sides is to be three times as fine as the others.
    func texels(_ atlas: Atlas, _ face: Int) -> Int {
      var count = 0
      atlas.forEachSpan(ofFace: face) { count += $0.columns.count }
      return count
    }
    var options = AtlasOptions(pageSize: 512, maximumPages: 1, padding: 4)
    let side = 0..<mesh.faceCount / 6
    options.detail = (0..<mesh.faceCount).map { side.contains($0) ? 3 : 1 }
    let atlas = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: options)
    let other = side.upperBound
    let ratio = Double(texels(atlas, 0)) / Double(texels(atlas, other))
    #expect(abs(ratio - 9) < 1.2, "\(ratio)")
    // What nothing is known of is drawn coarsely, and not left out.
    options.detail = (0..<mesh.faceCount).map { side.contains($0) ? 1 : 0 }
    let partial = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: options)
    #expect(texels(partial, other) > 100 && texels(partial, other) < texels(partial, 0))
  }

  @Test(arguments: names) func `every face has a place inside its page`(_ name: String) throws {
    let (mesh, atlas) = try atlas(name)
    for face in 0..<mesh.faceCount {
      let size = atlas.pages[Int(atlas.facePages[face])]
      let area = mesh.area(ofFace: face)
      #expect((atlas.faceCharts[face] == Atlas.noChart) == !(area > 0 && area.isFinite))
      for corner in 3 * face..<3 * face + 3 {
        let place = atlas.cornerTexels[corner]
        #expect(place.x >= 0 && Int(place.x) <= 256 * size.x)
        #expect(place.y >= 0 && Int(place.y) <= 256 * size.y)
      }
    }
  }

  @Test(arguments: names) func `no chart comes nearer to another than the padding`(
    _ name: String
  ) throws {
    let (_, atlas) = try atlas(name, AtlasOptions(pageSize: 128, maximumPages: 1, padding: 6))
    let width = atlas.pages[0].x
    let owners = owners(atlas, page: 0)
    for texel in owners.indices where owners[texel] >= 0 {
      let (x, y) = (texel % width, texel / width)
      // Centres of texels in two charts are at least the padding apart, along a row or a column.
      for step in 1..<6 {
        for other in [x + step < width ? texel + step : -1, texel + step * width]
        where other >= 0 && other < owners.count && owners[other] >= 0 {
          #expect(
            atlas.faceCharts[owners[other]] == atlas.faceCharts[owners[texel]],
            "at \(x), \(y)")
        }
      }
    }
  }

  @Test(arguments: ["grid", "sphere", "cube", "noisy wall"])
  func `texels are spread evenly over the surface`(_ name: String) throws {
    let (mesh, atlas) = try atlas(name, AtlasOptions(pageSize: 256, maximumPages: 1, padding: 4))
    var (even, total) = (0.0, 0.0)
    for face in 0..<mesh.faceCount {
      let corners = (3 * face..<3 * face + 3).map { corner in
        SIMD2(Double(atlas.cornerTexels[corner].x), Double(atlas.cornerTexels[corner].y)) / 256
      }
      let (ab, ac) = (corners[1] - corners[0], corners[2] - corners[0])
      let area = mesh.area(ofFace: face)
      // With y down, a face that shows its outside has a negative area.
      let texels = (ab.y * ac.x - ab.x * ac.y) / 2
      #expect(texels > 0)
      let density = texels / (area * atlas.texelsPerUnit * atlas.texelsPerUnit)
      total += area
      if abs(density - 1) < 0.3 { even += area }
    }
    #expect(even / total > 0.9)
  }

  @Test func `the weights of a span give back the place of its texels`() throws {
    let (_, atlas) = try atlas("sphere")
    for face in 0..<atlas.faceCount {
      let corners = (3 * face..<3 * face + 3).map { corner in
        SIMD2(Float(atlas.cornerTexels[corner].x), Float(atlas.cornerTexels[corner].y)) / 256
      }
      atlas.forEachSpan(ofFace: face) { span in
        for column in span.columns {
          let weights = span.weights(atColumn: column)
          let sum = corners[0] * weights.x + corners[1] * weights.y + corners[2] * weights.z
          #expect(abs(sum.x - Float(column) - 0.5) < 0.001)
          #expect(abs(sum.y - Float(span.row) - 0.5) < 0.001)
          #expect(weights.min() > -0.001)
        }
      }
    }
  }

  @Test func `a cube has six charts and a noisy wall is one`() throws {
    for (name, count) in [("cube", 6), ("noisy wall", 1)] {
      let mesh = try #require(Self.meshes[name])
      let surface = ChartSurface(positions: mesh.positions, indices: mesh.indices)
      #expect(ChartGrowth(surface).count == count)
    }
  }

  @Test func `seams lie between charts only`() throws {
    let (mesh, atlas) = try atlas("torus")
    let edges = Edges(mesh)
    for corner in 0..<mesh.cornerCount {
      guard let other = edges.opposite(ofCorner: corner),
        atlas.faceCharts[corner / 3] == atlas.faceCharts[other / 3]
      else { continue }
      #expect(atlas.cornerTexels[corner] == atlas.cornerTexels[nextCorner(other)])
    }
  }

  @Test func `an atlas does not depend on the number of threads`() throws {
    let parallel = try atlas("torus").1
    let alone = try Parallel.withThreads(1) { try atlas("torus").1 }
    #expect(alone == parallel)
  }

  @Test func `a given density is kept on as many pages as it takes`() throws {
    let options = AtlasOptions(texelsPerUnit: 64, pageSize: 256, maximumPages: 16, padding: 4)
    let (_, atlas) = try atlas("grid", options)
    #expect(atlas.texelsPerUnit == 64)
    #expect(atlas.pages.count > 1)
    #expect(atlas.pages.allSatisfy { $0.x <= 256 && $0.y <= 256 && $0.x % 4 == 0 && $0.y % 4 == 0 })
    #expect(Set(atlas.facePages).count == atlas.pages.count)
    // On one page the density is what fits.
    let single = try self.atlas(
      "grid", AtlasOptions(texelsPerUnit: 64, pageSize: 256, maximumPages: 1, padding: 4)
    ).1
    #expect(single.pages.count == 1 && single.texelsPerUnit < 64)
  }

  @Test func `drawn charts keep their texels`() throws {
    // A unit square drawn at ten texels, and one drawn over it in the same chart.
    let square: [SIMD2<Float>] = [[0, 0], [10, 0], [10, 10], [0, 0], [10, 10], [0, 10]]
    let atlas = try AtlasBuilder.packed(
      indices: [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7], chartOfFace: [0, 0, 0, 0], chartCount: 1,
      corners: square + square,
      options: AtlasOptions(
        texelsPerUnit: 1, pageSize: 64, maximumPages: 1, padding: 4, turnsCharts: false))
    #expect(atlas.chartCount == 2)
    #expect(owners(atlas, page: 0).count { $0 >= 0 } == 200)
    #expect(atlas.pages == [[28, 16]] || atlas.pages == [[32, 16]])
  }

  @Test(arguments: [4, 6, 32])
  func `a page too small for the padding of all charts is never left empty`(padding: Int) throws {
    // Four hundred triangles that share nothing.
    let positions = (0..<400).flatMap { number -> [Vector3] in
      let (x, y) = (Float(number % 20), Float(number / 20))
      return [Vector3(x, y, 0), Vector3(x + 0.8, y, 0), Vector3(x, y + 0.8, Float(number % 3))]
    }
    var sizes: [Int] = []
    for size in stride(from: 16, through: 256, by: 16) {
      do throws(AtlasError) {
        let atlas = try AtlasBuilder.unwrapped(
          positions: positions, indices: Array(UInt32(0)..<1200),
          options: AtlasOptions(pageSize: size, maximumPages: 1, padding: padding))
        #expect(atlas.usedShare > 0.02, "\(size)")
        #expect(atlas.padding <= padding)
        sizes.append(size)
      } catch {
        // Once they fit, they fit on any larger page.
        #expect(sizes.isEmpty, "\(size)")
      }
    }
    #expect(sizes.contains(96))
  }

  @Test func `padding is as wide as there is room for`() throws {
    func padding(_ wanted: Int) throws -> Int {
      try atlas("cube", AtlasOptions(pageSize: 128, maximumPages: 1, padding: wanted)).1.padding
    }
    #expect(try padding(4) == 4)
    #expect(try (8...32).contains(padding(256)))
  }

  @Test func `what cannot be drawn has no place and does no harm`() throws {
    let empty = try AtlasBuilder.unwrapped(
      positions: [], indices: [], options: AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4))
    #expect(empty.pages.isEmpty && empty.chartCount == 0)
    let line = try AtlasBuilder.unwrapped(
      positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(2, 0, 0)], indices: [0, 1, 2],
      options: AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4))
    #expect(line.facePages == [Atlas.noPage])
    let broken = try AtlasBuilder.packed(
      indices: [0, 1, 2, 0, 2, 3], chartOfFace: [0, 1], chartCount: 2,
      corners: [[0, 0], [.nan, 0], [0, 1], [0, 0], [.infinity, 0], [0, 1]],
      options: AtlasOptions(pageSize: 128, maximumPages: 1, padding: 4))
    #expect(broken.chartCount == 0)
    #expect(throws: AtlasError.self) {
      // Three hundred charts of a texel each.
      let indices = Array(UInt32(0)..<900)
      _ = try AtlasBuilder.packed(
        indices: indices, chartOfFace: Array(UInt32(0)..<300), chartCount: 300,
        corners: indices.map { [[0, 0], [1, 0], [0, 1]][Int($0) % 3] },
        options: AtlasOptions(pageSize: 32, maximumPages: 1, padding: 4))
    }
  }

  @Test func `padding leaves no texel black and keeps the covered ones`() throws {
    let (_, atlas) = try atlas("sphere")
    let covered = atlas.coverage(ofPage: 0)
    var pixels = [UInt8](repeating: 0, count: 3 * 128 * 128)
    for y in 0..<128 {
      for x in 0..<128 where covered[x, y] {
        for channel in 0..<3 { pixels[3 * (128 * y + x) + channel] = 200 }
      }
    }
    PagePadding.fill(&pixels, covered: covered)
    #expect(pixels.allSatisfy { $0 == 200 })
  }

  @Test func `padding continues the nearest chart and mip levels do not bleed`() {
    // A red strip on the left, a blue one on the right, sixteen texels apart.
    var covered = TexelMap(width: 48, height: 8)
    var pixels = [UInt8](repeating: 0, count: 3 * 48 * 8)
    for row in 0..<8 {
      covered.take(row: row, 0..<16)
      covered.take(row: row, 32..<48)
      for column in 0..<16 { pixels[3 * (48 * row + column)] = 250 }
      for column in 32..<48 { pixels[3 * (48 * row + column) + 2] = 250 }
    }
    PagePadding.fill(&pixels, covered: covered)
    for row in 0..<8 {
      for column in 0..<20 { #expect(pixels[3 * (48 * row + column)] == 250) }
      for column in 28..<48 { #expect(pixels[3 * (48 * row + column) + 2] == 250) }
    }
  }
}

// MARK: - Shapes

extension AtlasTests {
  /// A cube of 6 × 6 quads a side.
  private static var cube: Mesh {
    var mesh = Mesh(name: "cube")
    for axis in 0..<3 {
      for side in [-3, 3] as [Float] {
        let first = UInt32(mesh.positions.count)
        for row in 0...6 {
          for column in 0...6 {
            var point = SIMD3<Float>.zero
            point[axis] = side
            point[(axis + 1) % 3] = (Float(column) - 3) * (side > 0 ? 1 : -1)
            point[(axis + 2) % 3] = Float(row) - 3
            mesh.positions.append(Vector3(point))
          }
        }
        for row in 0..<UInt32(6) {
          for column in 0..<UInt32(6) {
            let a = first + 7 * row + column
            mesh.indices += [a, a + 1, a + 8, a, a + 8, a + 7]
          }
        }
      }
    }
    return mesh
  }

  /// A ramp that turns thrice around an axis: seen from above it covers itself.
  private static var spiralStairs: Mesh {
    var mesh = Mesh(name: "spiral stairs")
    for step in 0...72 {
      let angle = Double(step) * .pi / 12
      for radius in [0.5, 1.5] {
        mesh.positions.append(
          Vector3(
            Float(radius * cos(angle)), Float(step) * 0.03, Float(-radius * sin(angle))))
      }
    }
    for step in 0..<UInt32(72) {
      let a = 2 * step
      mesh.indices += [a, a + 1, a + 2, a + 1, a + 3, a + 2]
    }
    return mesh
  }

  /// A grid whose faces are there twice.
  private static var doubled: Mesh {
    var mesh = MeshFixtures.grid(columns: 3, rows: 3)
    mesh.name = "doubled"
    mesh.indices += mesh.indices
    return mesh
  }

  private static var hugeAndTiny: Mesh {
    var mesh = Mesh(
      name: "huge and tiny",
      positions: [Vector3(-100, 0, -100), Vector3(-100, 0, 100), Vector3(100, 0, 0)],
      indices: [0, 1, 2])
    for number in 0..<50 {
      let x = Float(number)
      mesh.addFace(Vector3(x, 5, 0), Vector3(x, 5, 0.01), Vector3(x + 0.01, 5, 0))
    }
    return mesh
  }

  /// A wall as a LiDAR sensor sees it: normals are off by some twenty degrees, some by ninety.
  private static var noisyWall: Mesh {
    var mesh = MeshFixtures.grid(columns: 24, rows: 16)
    mesh.name = "noisy wall"
    var random = SeededGenerator(seed: 3)
    for index in mesh.positions.indices {
      mesh.positions[index].x += Float.random(in: -0.3...0.3, using: &random)
      mesh.positions[index].y += Float.random(in: -0.25...0.25, using: &random)
      mesh.positions[index].z += Float.random(in: -0.3...0.3, using: &random)
    }
    return mesh
  }
}
